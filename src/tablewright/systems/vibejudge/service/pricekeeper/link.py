"""Requests to pricekeeper: with a token of its own making, and never for long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson
from pydantic import SecretStr

from tablewright.clock import Clock
from tablewright.service.outbound import retry_after

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECS, CONNECT_SECS = 5.0, 2.0
#: A token is asked for anew so many seconds before it ends.
_EARLY = 30.0
#: Who waited for a token in vain does not let the next one wait as well.
_SILENT_SECS = 2.0


class Away(Exception):
    """It does not answer, or cannot say who we are."""


@dataclass(frozen=True)
class Answer:
    status: int
    #: Empty if it is no JSON object.
    body: Mapping[str, Any]
    #: Seconds, if it asks to be left alone.
    retry_after: float | None = None

    @property
    def code(self) -> str:
        """Of a problem document."""
        return str(self.body.get("code") or f"HTTP_{self.status}")

    @property
    def detail(self) -> str:
        return str(self.body.get("detail") or "")[:300]


@dataclass(frozen=True)
class _Token:
    text: str
    until: float


class Link:
    """One organisation's way to pricekeeper; its connections are opened when first needed."""

    def __init__(
        self, url: str, org_id: str, client_id: str, secret: SecretStr, clock: Clock
    ) -> None:
        self._url = url.rstrip("/")
        self._org = quote(org_id, safe="")
        self._client_id = client_id
        self._secret = secret
        self._clock = clock
        self._http: httpx2.AsyncClient | None = None
        self._token: _Token | None = None
        self._silent_until = 0.0
        self._asking = asyncio.Lock()

    async def get(self, app: str, path: str) -> Answer:
        """Something of an app of the organisation."""
        return await self._sent("GET", app, path, None)

    async def post(self, app: str, path: str, body: Mapping[str, object]) -> Answer:
        return await self._sent("POST", app, path, orjson.dumps(body))

    async def close(self) -> None:
        http, self._http = self._http, None
        if http is not None:
            await http.aclose()

    async def _sent(self, method: str, app: str, path: str, body: bytes | None) -> Answer:
        url = f"{self._url}/api/v1/orgs/{self._org}/apps/{quote(app, safe='')}/{path}"
        token = await self._known()
        answer = await self._asked(method, url, body, token)
        if answer.status != 401:
            return answer
        # Its keys may have been changed, or our token ended.
        return await self._asked(method, url, body, await self._known(not_this=token))

    async def _known(self, not_this: str | None = None) -> str:
        async with self._asking:
            kept = self._token
            if kept is None or kept.text == not_this or kept.until <= time.monotonic():
                kept = self._token = await self._found()
            return kept.text

    async def _found(self) -> _Token:
        if time.monotonic() < self._silent_until:
            raise Away("pricekeeper did not answer a moment ago")
        try:
            return await self._new_token()
        except Away:
            self._silent_until = time.monotonic() + _SILENT_SECS
            raise

    async def _new_token(self) -> _Token:
        grant = {
            "grant_type": "client_credentials",
            "client_id": self._client_id,
            "client_secret": self._secret.get_secret_value(),
        }
        began = time.monotonic()
        answer = await self._asked("POST", f"{self._url}/auth/token", orjson.dumps(grant), None)
        text, secs = answer.body.get("access_token"), answer.body.get("expires_in")
        if answer.status != 200 or not isinstance(text, str) or not isinstance(secs, int | float):
            raise Away(f"pricekeeper gives no token: {answer.code}")
        return _Token(text, began + float(secs) - _EARLY)

    async def _asked(self, method: str, url: str, body: bytes | None, token: str | None) -> Answer:
        import httpx2

        head = {"Content-Type": "application/json"} if body is not None else {}
        if token is not None:
            head["Authorization"] = f"Bearer {token}"
        try:
            said = await self._opened().request(method, url, content=body, headers=head)
        except httpx2.HTTPError as error:
            raise Away(f"pricekeeper does not answer: {type(error).__name__}") from error
        asked = retry_after(said.headers.get("retry-after"), self._clock.now())
        return Answer(said.status_code, _object(said.content), asked)

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._http is None:
            timeout = httpx2.Timeout(TIMEOUT_SECS, connect=CONNECT_SECS)
            self._http = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._http


def _object(content: bytes) -> Mapping[str, Any]:
    try:
        found = orjson.loads(content)
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}
