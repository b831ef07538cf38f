"""One request and its answer, bounded in time and size, never redirected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import orjson

from tablewright.clock import Clock
from tablewright.service.outbound import retry_after
from tablewright.service.settings import SettingsError, is_secure
from tablewright.systems.kurukshetra.gateway.credentials import Credentials
from tablewright.systems.kurukshetra.gateway.failures import (
    Complaint,
    GatewayFailed,
    KeyRefused,
    NotFound,
    OutcomeUnknown,
    Refused,
    Throttled,
    Unavailable,
)

if TYPE_CHECKING:
    import httpx2

TIMEOUT_SECS = 10.0
MOST_BYTES = 4 * 1024 * 1024
_NO_SUCH = "does not exist"

#: ``read`` changes nothing. ``safe`` has the same effect however often it is asked. ``once`` has
#: one for each time.
Repeat: TypeAlias = Literal["read", "safe", "once"]


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    path: str
    repeat: Repeat
    params: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Exchange:
    """Asks the gateway; its connections are opened when first needed."""

    def __init__(
        self, base_url: str, credentials: Credentials, clock: Clock, timeout: float
    ) -> None:
        if not is_secure(base_url):
            raise SettingsError(f"razorpay: {base_url}: must begin with https://")
        self._base = base_url.rstrip("/")
        self._credentials = credentials
        self._clock = clock
        self._timeout = timeout
        self._client: httpx2.AsyncClient | None = None

    async def asked(self, request: Request) -> dict[str, object]:
        """The document that it answers with; failures are those of :mod:`.failures`."""
        status, headers, body = await self._sent(request)
        if not 200 <= status < 300:
            raise self._failure(status, headers, body)
        document = _document(body)
        if document is None:
            raise OutcomeUnknown("BAD_ANSWER", "the gateway's answer is no document")
        return document

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        if self._client is None:
            secret = self._credentials.key_secret.get_secret_value()
            self._client = httpx2.AsyncClient(
                auth=(self._credentials.key_id, secret),
                headers={"User-Agent": "tablewright"},
                timeout=self._timeout,
                # A redirect would carry the keys to whoever it leads to.
                follow_redirects=False,
            )
        return self._client

    async def _sent(self, request: Request) -> tuple[int, Mapping[str, str], bytes]:
        import httpx2

        headers = dict(request.headers)
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        asking = self._opened().stream(
            request.method,
            self._base + request.path,
            params=dict(request.params),
            content=request.body,
            headers=headers,
        )
        try:
            # The client's own limit is for each read: a trickle would never end.
            async with asyncio.timeout(self._timeout), asking as answer:
                return answer.status_code, answer.headers, await _read(answer)
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as error:
            raise Unavailable("UNREACHABLE", "the gateway cannot be reached") from error
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise OutcomeUnknown("TIMEOUT", f"no answer in {self._timeout:g} s") from error
        except (httpx2.HTTPError, OSError) as error:
            raise OutcomeUnknown("LOST", f"no answer: {type(error).__name__}") from error

    def _failure(self, status: int, headers: Mapping[str, str], body: bytes) -> GatewayFailed:
        if status == 429:
            return Throttled(retry_after(headers.get("retry-after"), self._clock.now()))
        if status == 409:
            # The same request is at work there: ours, from a try before this one.
            return OutcomeUnknown("IN_PROGRESS", "the gateway is still at it")
        if status >= 500 or status == 408:
            return OutcomeUnknown("UPSTREAM_ERROR", f"the gateway answered {status}")
        complaint = _complaint(body)
        if status in (401, 403):
            return KeyRefused("KEY_REFUSED", "the gateway refused our keys", complaint)
        if status == 404 or _NO_SUCH in complaint.description:
            return NotFound("NOT_FOUND", "the gateway knows no such thing", complaint)
        if 400 <= status < 500:
            told = complaint.description or str(status)
            return Refused("REFUSED", f"the gateway refused: {told}", complaint)
        return OutcomeUnknown("BAD_ANSWER", f"the gateway answered {status}")


async def _read(answer: httpx2.Response) -> bytes:
    found = bytearray()
    async for part in answer.aiter_bytes():
        found += part
        if len(found) > MOST_BYTES:
            raise OutcomeUnknown("TOO_LARGE", "the gateway's answer is too long")
    return bytes(found)


def _document(body: bytes) -> dict[str, Any] | None:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _complaint(body: bytes) -> Complaint:
    told = (_document(body) or {}).get("error")
    error = told if isinstance(told, dict) else {}

    def part(name: str) -> str | None:
        value = error.get(name)
        return value[:200] if isinstance(value, str) else None

    return Complaint(
        code=part("code") or "",
        description=part("description") or "",
        field=part("field"),
        source=part("source"),
        step=part("step"),
        reason=part("reason"),
    )
