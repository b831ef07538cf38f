"""Asking a place that somebody named, and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit, urlunsplit

from tablewright.service.outbound.addresses import (
    Place,
    Resolver,
    checked,
    look_up,
)
from tablewright.service.outbound.unpacking import TooLarge, Unpacked

if TYPE_CHECKING:
    import ssl

    import httpx2

TIMEOUT_SECS = 10.0
MOST_BYTES = 5 * 1024 * 1024
MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_AGENT = "tablewright"


class OutboundError(Exception):
    """There was no answer, or none that can be used, for a reason that may be shown."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        #: UPPER_SNAKE: TIMEOUT, TOO_LARGE, UNREACHABLE, BAD_ANSWER, TOO_MANY_REDIRECTS.
        self.code = code


@dataclass(frozen=True)
class Answer:
    """What a place said."""

    status: int
    #: Names in small letters.
    headers: Mapping[str, str]
    body: bytes
    #: The address that answered in the end.
    url: str


class Outbound:
    """Asks places that people named. It keeps no connections: hosts are checked every time."""

    def __init__(
        self,
        *,
        allow_local: bool = False,
        timeout: float = TIMEOUT_SECS,
        most_bytes: int = MOST_BYTES,
        resolver: Resolver = look_up,
    ) -> None:
        self._allow_local = allow_local
        self._timeout = timeout
        self._most = most_bytes
        self._resolver = resolver

    async def check(self, url: str) -> None:
        """:class:`UnsafeAddress` if the address is none that would be asked.

        A host that cannot be found now is let through: it is looked for each time it is asked.
        """
        try:
            async with asyncio.timeout(self._timeout):
                await self._place(url, self._allow_local)
        except (OSError, TimeoutError):
            return

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> Answer:
        """The answer, after up to three redirects."""
        return await self._within_time(self._followed(url, dict(headers or {})))

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """The answer; a redirect is one, since nobody named the place that it leads to."""
        return await self._within_time(self._posted(url, body, dict(headers)))

    async def _within_time(self, work: Awaitable[Answer]) -> Answer:
        import httpx2

        try:
            async with asyncio.timeout(self._timeout):
                return await work
        except (TimeoutError, httpx2.TimeoutException) as error:
            raise OutboundError("TIMEOUT", f"no answer in {self._timeout:g} s") from error
        except TooLarge as error:
            raise OutboundError("TOO_LARGE", f"more than {self._most} bytes") from error
        except ValueError as error:
            raise OutboundError("BAD_ANSWER", f"the answer {error}") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            # Not its text, which may hold the address.
            raise OutboundError("UNREACHABLE", f"failed: {type(error).__name__}") from error

    async def _followed(self, url: str, headers: dict[str, str]) -> Answer:
        allow_local = self._allow_local
        for _ in range(MOST_REDIRECTS + 1):
            place = await self._place(url, allow_local)
            answer = await self._asked("GET", place, b"", headers)
            target = answer.headers.get("location")
            if answer.status not in _REDIRECTS or target is None:
                return answer
            url = urljoin(url, target)
            # Somebody out there must not send us home.
            allow_local = place.local
        raise OutboundError("TOO_MANY_REDIRECTS", f"more than {MOST_REDIRECTS} redirects")

    async def _posted(self, url: str, body: bytes, headers: dict[str, str]) -> Answer:
        place = await self._place(url, self._allow_local)
        return await self._asked("POST", place, body, headers)

    async def _place(self, url: str, allow_local: bool) -> Place:
        return await checked(url, allow_local=allow_local, resolver=self._resolver)

    async def _asked(
        self, method: str, place: Place, body: bytes, headers: dict[str, str]
    ) -> Answer:
        """One request, to the first of the addresses that can be connected to."""
        import httpx2

        for ip in place.ips[:-1]:
            try:
                return await self._exchange(method, place, ip, body, headers)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._exchange(method, place, place.ips[-1], body, headers)

    async def _exchange(
        self, method: str, place: Place, ip: str, body: bytes, headers: dict[str, str]
    ) -> Answer:
        import httpx2

        own = {"User-Agent": _AGENT, "Accept-Encoding": "gzip", "Host": _host_header(place)}
        each_step = max(0.5, self._timeout / len(place.ips))
        timeout = httpx2.Timeout(self._timeout, connect=each_step)
        # No proxy, no credentials of this machine: nothing between us and the checked address.
        async with httpx2.AsyncClient(
            verify=_trusted(), trust_env=False, follow_redirects=False, timeout=timeout
        ) as client:
            asked = client.build_request(
                method,
                _pinned(place, ip),
                headers={**headers, **own},
                content=body or None,
                # The certificate has to be that of the name, though the address is connected to.
                extensions={"sni_hostname": place.host},
            )
            answer = await client.send(asked, stream=True)
            try:
                return await self._read(answer, place.url)
            finally:
                await answer.aclose()

    async def _read(self, answer: httpx2.Response, url: str) -> Answer:
        unpacked = Unpacked(answer.headers.get("content-encoding", ""), self._most)
        async for part in answer.aiter_raw():
            unpacked.add(part)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return Answer(answer.status_code, headers, unpacked.body(), url)


def retry_after(text: str | None, now: float) -> float | None:
    """The seconds that ``Retry-After`` asks for, which is a number or a date."""
    if text is None:
        return None
    if text.strip().isdigit():
        return float(text)
    try:
        until = parsedate_to_datetime(text)
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, until.timestamp() - now)


def _pinned(place: Place, ip: str) -> str:
    """The same address with the host's own address for its name."""
    parts = urlsplit(place.url)
    host = f"[{ip}]" if ":" in ip else ip
    return urlunsplit((parts.scheme, f"{host}:{place.port}", parts.path or "/", parts.query, ""))


def _host_header(place: Place) -> str:
    host = f"[{place.host}]" if ":" in place.host else place.host
    usual = 443 if place.scheme == "https" else 80
    return host if place.port == usual else f"{host}:{place.port}"


@cache
def _trusted() -> ssl.SSLContext:
    """Whom to trust; reading all the certificates takes a while."""
    import httpx2

    return httpx2.create_ssl_context()
