"""OpenAI's chat completions, of whoever speaks them: OpenAI, a gateway, a server of one's own.

They differ in what they take. A question is asked in the fullest way first, with the schema of the
answer; a server that says it does not know a part of it is asked without, and remembered.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import SecretStr

from tablewright.clock import Clock, SystemClock
from tablewright.service.outbound import retry_after
from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.vibejudge.llm.calls import Reply, Request, StopReason, count
from tablewright.systems.vibejudge.llm.failures import (
    CallFailed,
    Faulty,
    Lost,
    Misconfigured,
    Refused,
    Throttled,
)
from tablewright.systems.vibejudge.rules.rates import TokenUsage

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECS, CONNECT_SECS = 120.0, 5.0
MOST_BYTES = 2 * 1024 * 1024
_PATH = "/chat/completions"
_CHECK_KEY = "Check the setting openai_key in [vibejudge] (VIBEJUDGE_OPENAI_KEY)."
_MOST_MESSAGE = 200
_KEY_LIKE = re.compile(r"\b[\w*-]{20,}\b")
_STOPS: Mapping[str, StopReason] = {
    "stop": "end",
    "length": "max_tokens",
    "content_filter": "filtered",
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a model takes besides messages."""

    schema: bool = True
    temperature: bool = True
    #: What the most tokens of an answer are called. A name that a server does not know may be
    #: ignored silently, and then nothing bounds the answer: so the old one, known to all, is first.
    limit: str = "max_tokens"

    def without(self, complaint: str) -> Dialect | None:
        """What to try instead, of a complaint about a part of it; None if it is about none."""
        if self.limit == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, limit="max_completion_tokens")
        if self.schema and ("response_format" in complaint or "json_schema" in complaint):
            return replace(self, schema=False)
        if self.temperature and "temperature" in complaint:
            return replace(self, temperature=False)
        return None


class OpenAiCompatible:
    """Asks models at an address; its connections are opened when first needed."""

    def __init__(
        self,
        base_url: str,
        key: SecretStr | None = None,
        *,
        timeout: float = TIMEOUT_SECS,
        clock: Clock | None = None,
    ) -> None:
        self._url = _secure(base_url) + _PATH
        self._key = key
        self._timeout = timeout
        self._clock = clock or SystemClock()
        self._client: httpx2.AsyncClient | None = None
        self._dialects: dict[str, Dialect] = {}

    async def call(self, request: Request) -> Reply:
        began = time.perf_counter()
        while True:
            dialect = self._dialects.get(request.model_id, Dialect())
            status, headers, body = await self._asked(_body(request, dialect))
            if status == 200:
                elapsed = round((time.perf_counter() - began) * 1000)
                return _reply(body, request.model_id, elapsed)
            other = dialect.without(_complaint(body)) if status in (400, 422) else None
            if other is None:
                raise self._failure(status, headers, body)
            # Refused before anything was read by a model: asking again is the same call.
            self._dialects[request.model_id] = other

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            # A redirect would carry the key to whoever it leads to.
            timeout = httpx2.Timeout(self._timeout, connect=min(CONNECT_SECS, self._timeout))
            self._client = httpx2.AsyncClient(timeout=timeout, follow_redirects=False)
        return self._client

    async def _asked(self, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        import httpx2

        asking = self._opened().stream("POST", self._url, content=body, headers=self._headers())
        try:
            # The client's own limit is for each read: a trickle would never end.
            async with asyncio.timeout(self._timeout), asking as answer:
                found = bytearray()
                async for part in answer.aiter_bytes():
                    found += part
                    if len(found) > MOST_BYTES:
                        raise Lost("too_large", "the answer is too long")
                return answer.status_code, answer.headers, bytes(found)
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            raise Faulty("unreachable", "the model's address cannot be reached") from error
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise Lost("timeout", f"no answer in {self._timeout:g} s") from error
        except (httpx2.HTTPError, OSError) as error:
            raise Lost("lost", f"no answer: {type(error).__name__}") from error

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "tablewright"}
        if self._key is not None:
            headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        return headers

    def _failure(self, status: int, headers: Mapping[str, str], body: bytes) -> CallFailed:
        code = _code(body) or str(status)
        said = _provider_message(body)
        if status == 429 and code == "insufficient_quota":
            reason = f"The model provider says that the account has no credit left{said}."
            return Misconfigured("no_quota", reason)
        if status == 401:
            reason = f"Authentication at the model provider failed ({code}){said}. {_CHECK_KEY}"
            return Misconfigured("authentication", reason)
        if status == 404:
            reason = (
                f"The model provider does not know this model or address ({code}){said}. "
                "Check the hackathon's models and the setting openai_url."
            )
            return Misconfigured("unknown_model", reason)
        if status in (409, 429):
            seconds = retry_after(headers.get("retry-after"), self._clock.now())
            return Throttled(f"the provider asks us to wait: {code}", seconds)
        if status >= 500 or status == 408:
            return Faulty("provider_error", f"the provider answered {status}")
        return Refused("refused", f"The model provider refused the request ({code}){said}.")


def _secure(base_url: str) -> str:
    if not is_secure(base_url):
        raise SettingsError(f"openai_url in [vibejudge]: {base_url}: must begin with https://")
    return base_url.rstrip("/")


def _body(request: Request, dialect: Dialect) -> bytes:
    said = [{"role": each.role, "content": each.text} for each in request.messages]
    body: dict[str, Any] = {
        "model": request.model_id,
        "messages": [{"role": "system", "content": request.system}, *said],
        dialect.limit: request.max_tokens,
    }
    if dialect.temperature:
        body["temperature"] = 0
    if dialect.schema and request.schema:
        schema = {"name": "review", "strict": True, "schema": request.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if request.service_tier == "flex":
        body["service_tier"] = "flex"
    return orjson.dumps(body)


def _reply(body: bytes, model_id: str, latency_ms: int) -> Reply:
    document = _document(body)
    choices = document.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        # It was answered with 200, so it may well be billed.
        raise Lost("bad_reply", "the provider's answer has no message")
    usage = document.get("usage")
    return Reply(
        text=str(first["message"].get("content") or ""),
        usage=_usage(usage) if isinstance(usage, dict) else None,
        model_id=model_id,
        latency_ms=latency_ms,
        stop_reason=_STOPS.get(str(first.get("finish_reason")), "other"),
    )


def _usage(told: Mapping[str, Any]) -> TokenUsage | None:
    """Here, the input is told with what a cache gave; the two have different prices."""
    if not count(told.get("prompt_tokens")):
        return None
    details = told.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else 0
    asked = count(told.get("prompt_tokens"))
    return TokenUsage(
        input=max(0, asked - cached),
        output=count(told.get("completion_tokens")),
        cache_read=min(cached, asked),
    )


def _document(body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        found = None
    return found if isinstance(found, dict) else {}


def _error(body: bytes) -> dict[str, Any]:
    found = _document(body)
    inner = found.get("error", found)
    return inner if isinstance(inner, dict) else {"message": inner}


def _code(body: bytes) -> str:
    error = _error(body)
    return str(error.get("code") or error.get("type") or "")[:80]


def _provider_message(body: bytes) -> str:
    """Quote the provider on one line, without anything that looks like a key."""
    said = " ".join(str(_error(body).get("message") or "").split()).rstrip(".")
    said = _KEY_LIKE.sub("…", said)[:_MOST_MESSAGE]
    return f": {said}" if said else ""


def _complaint(body: bytes) -> str:
    error = _error(body)
    return f"{error.get('param') or ''} {error.get('message') or ''}"[:2000]
