"""Requests to the service: tokens, retries, and problems as errors."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import httpx2 as httpx

from tablewright.systems.pricekeeper.client.errors import Rejected, Unreachable

Body = Mapping[str, object]
#: Answers after which the same request may be sent again.
_AGAIN = frozenset({429, 502, 503, 504})
#: A token is renewed this many seconds before it ends.
_EARLY = 30.0


@dataclass(frozen=True)
class Retries:
    """How long to go on. Waits are random, up to ``base`` doubled each time, at most ``cap``."""

    attempts: int = 6
    base: float = 0.1
    cap: float = 5.0

    def wait(self, attempt: int, asked: float | None) -> float:
        """Seconds before the next attempt; never less than what the service asked for."""
        own = random.uniform(0, min(self.cap, self.base * 2**attempt))
        return own if asked is None else max(own, asked)


@dataclass(frozen=True)
class _Token:
    access: str
    refresh: str | None
    until: float


class Session:
    """One client's connection; any number of tasks may use it."""

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str,
        *,
        retries: Retries | None = None,
        timeout: float = 10.0,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._base = url.rstrip("/")
        self._credentials = {"client_id": client_id, "client_secret": client_secret}
        self._retries = retries or Retries()
        self._http = http or httpx.AsyncClient(timeout=timeout)
        self._token: _Token | None = None
        self._renewing = asyncio.Lock()

    async def send(
        self,
        method: str,
        path: str,
        *,
        json: Body | None = None,
        params: Mapping[str, str] | None = None,
        again: frozenset[int] = _AGAIN,
        retries: Retries | None = None,
    ) -> httpx.Response:
        """The answer to a request that may safely be repeated; :class:`Rejected` for a problem."""
        retries = retries or self._retries
        renewed = False
        attempt = 0
        while True:
            response = await self._attempt(method, path, json, params)
            if response is not None and response.status_code == 401 and not renewed:
                renewed, self._token = True, None
                continue
            if response is not None and response.status_code not in again:
                return _checked(response)
            attempt += 1
            if attempt >= retries.attempts:
                raise _given_up(response)
            await asyncio.sleep(retries.wait(attempt, _asked(response)))

    async def close(self) -> None:
        await self._http.aclose()

    async def _attempt(
        self, method: str, path: str, json: Body | None, params: Mapping[str, str] | None
    ) -> httpx.Response | None:
        """One answer, or None if there was none."""
        try:
            headers = {"Authorization": f"Bearer {await self._access()}"}
            return await self._http.request(
                method, f"{self._base}/api/v1{path}", json=json, params=params, headers=headers
            )
        except httpx.TransportError:
            return None
        except _NoToken as error:
            return error.response

    async def _access(self) -> str:
        async with self._renewing:
            token = self._token
            if token is None or token.until - time.monotonic() < _EARLY:
                token = self._token = await self._renewed(token)
            return token.access

    async def _renewed(self, old: _Token | None) -> _Token:
        if old is not None and old.refresh is not None:
            response = await self._ask("/auth/refresh", {"refresh_token": old.refresh})
            if response.status_code == 200:
                return _token_of(response)
        grant = {"grant_type": "client_credentials", **self._credentials}
        response = await self._ask("/auth/token", grant)
        if response.status_code in _AGAIN:
            raise _NoToken(response)
        return _token_of(_checked(response))

    async def _ask(self, path: str, body: Body) -> httpx.Response:
        return await self._http.post(self._base + path, json=body)


class _NoToken(Exception):
    """The service cannot give a token just now."""

    def __init__(self, response: httpx.Response) -> None:
        super().__init__()
        self.response = response


def _token_of(response: httpx.Response) -> _Token:
    body = response.json()
    until = time.monotonic() + float(body["expires_in"])
    return _Token(str(body["access_token"]), body.get("refresh_token"), until)


def _checked(response: httpx.Response) -> httpx.Response:
    if response.status_code < 400:
        return response
    raise _rejected(response)


def _rejected(response: httpx.Response) -> Rejected:
    return Rejected(response.status_code, *said(response), retry_after=_asked(response) or 0.0)


def said(response: httpx.Response) -> tuple[str, str]:
    """The code and the text of a problem document, or what stands in for them."""
    problem = members(response)
    code = problem.get("code", f"HTTP_{response.status_code}")
    return str(code), str(problem.get("detail", response.reason_phrase))


def members(response: httpx.Response) -> dict[str, object]:
    """The JSON object in an answer; empty if there is none."""
    try:
        found = response.json()
    except ValueError:
        return {}
    return cast("dict[str, object]", found) if isinstance(found, dict) else {}


def _asked(response: httpx.Response | None) -> float | None:
    if response is None:
        return None
    try:
        return float(response.headers.get("Retry-After", ""))
    except ValueError:
        return None


def _given_up(response: httpx.Response | None) -> Exception:
    if response is None:
        return Unreachable("The service does not answer.")
    if response.status_code == 429:
        return _rejected(response)
    code, detail = said(response)
    return Unreachable(f"{code} ({response.status_code}): {detail}")
