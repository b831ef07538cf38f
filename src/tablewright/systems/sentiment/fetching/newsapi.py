"""NewsAPI's ``/v2/everything`` over HTTPS.

The key goes into a header, and from there nowhere: neither into addresses, which logs have, nor
into what is raised. Answers are bounded in time and size, and never redirected.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import SecretStr

from tablewright.clock import Clock
from tablewright.service.outbound import retry_after
from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.sentiment.fetching.failures import (
    CallFailed,
    Failure,
    KeyRefused,
    Refused,
    ToldToWait,
)
from tablewright.systems.sentiment.fetching.found import Found
from tablewright.systems.sentiment.rules.queries import Asked
from tablewright.systems.sentiment.rules.records import Record

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECS = 10.0
MOST_BYTES = 5 * 1024 * 1024
PAGE_SIZE = 100
_PATH = "/v2/everything"
#: What a publisher has taken back is listed with this for a title.
_REMOVED = "[Removed]"
_CUT = "maximumResultsReached"
_BUSY = frozenset({"rateLimited", "apiKeyExhausted"})


class NewsApi:
    """Asks NewsAPI; its connections are opened when first needed."""

    def __init__(
        self, base: str, key: SecretStr, clock: Clock, *, timeout: float = TIMEOUT_SECS
    ) -> None:
        self._base = _secure(base)
        self._key = key
        self._clock = clock
        self._timeout = timeout
        self._client: httpx2.AsyncClient | None = None

    async def page(self, asked: Asked, since: datetime, number: int = 1) -> Found:
        """One page of what was published since, the latest first."""
        wanted = {
            "q": asked.text,
            "from": f"{since:%Y-%m-%dT%H:%M:%S}",
            "sortBy": "publishedAt",
            "pageSize": str(PAGE_SIZE),
            "page": str(number),
        }
        status, headers, body = await self._asked(wanted)
        document = _document(body)
        if status == 200 and document.get("status") == "ok":
            return _found(document, asked.own_tag, number)
        code = str(document.get("code", ""))[:40]
        if code == _CUT:
            return Found(cut=True)
        raise self._failure(status, code, headers)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            # A redirect would carry the key to whoever it leads to.
            self._client = httpx2.AsyncClient(timeout=self._timeout, follow_redirects=False)
        return self._client

    async def _asked(self, wanted: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        import httpx2

        headers = {"X-Api-Key": self._key.get_secret_value(), "User-Agent": "tablewright"}
        asking = self._opened().stream("GET", self._base + _PATH, params=wanted, headers=headers)
        try:
            # The client's own limit is for each read: a trickle would never end.
            async with asyncio.timeout(self._timeout), asking as answer:
                body = bytearray()
                async for part in answer.aiter_bytes():
                    body += part
                    if len(body) > MOST_BYTES:
                        raise CallFailed("TOO_LARGE", "the answer is too long")
                return answer.status_code, answer.headers, bytes(body)
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise CallFailed("TIMEOUT", f"no answer in {self._timeout:g} s") from error
        except (httpx2.HTTPError, OSError) as error:
            raise CallFailed("UNREACHABLE", f"failed: {type(error).__name__}") from error

    def _failure(self, status: int, code: str, headers: Mapping[str, str]) -> Failure:
        if status == 429 or code in _BUSY:
            seconds = retry_after(headers.get("retry-after"), self._clock.now())
            return ToldToWait("RATE_LIMITED", "it asks us to wait", seconds)
        if status in (401, 403):
            return KeyRefused("KEY_REFUSED", f"the key was refused: {code or status}")
        if 400 <= status < 500:
            return Refused("BAD_QUERY", f"the question was refused: {code or status}")
        return CallFailed("UPSTREAM_ERROR", f"answered {status}")


def _secure(base: str) -> str:
    if not is_secure(base):
        raise SettingsError(f"newsapi_url in [sentiment]: {base}: must begin with https://")
    return base.rstrip("/")


def _document(body: bytes) -> dict[str, Any]:
    """The answer; what is no document says nothing, whatever its status."""
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    return found if isinstance(found, dict) else {}


def _found(document: dict[str, Any], own_tag: str | None, number: int) -> Found:
    articles = document.get("articles")
    if not isinstance(articles, list):
        raise CallFailed("BAD_ANSWER", "the answer has no articles")
    records = [found for each in articles if (found := _record(each, own_tag)) is not None]
    total = document.get("totalResults")
    more = isinstance(total, int) and total > number * PAGE_SIZE and bool(articles)
    return Found(records, len(articles) - len(records), more)


def _record(article: object, own_tag: str | None) -> Record | None:
    """An article as a record; None if it has no title or no time."""
    if not isinstance(article, dict):
        return None
    title, published = _text(article, "title"), _moment(_text(article, "publishedAt"))
    if not title.strip() or title == _REMOVED or published is None:
        return None
    publisher = article.get("source")
    return Record(
        title=title,
        text=_text(article, "description") or _text(article, "content"),
        url=_text(article, "url") or None,
        source=_text(publisher, "name") if isinstance(publisher, dict) else "",
        author=_text(article, "author") or None,
        published_at=published,
        own_tag=own_tag,
    )


def _text(article: dict[str, Any], name: str) -> str:
    value = article.get(name)
    return value if isinstance(value, str) else ""


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else None
