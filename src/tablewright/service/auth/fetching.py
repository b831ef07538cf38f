"""Documents of an issuer, fetched with limits on time and size, and without redirects."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from tablewright.service.settings import is_secure

if TYPE_CHECKING:
    import ssl

    import httpx2

TIMEOUT_SECS = 5.0
MOST_BYTES = 1_000_000


class FetchError(Exception):
    """The issuer did not answer, or not with what was asked for."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        #: What it answered, if it did.
        self.status = status


class Fetcher:
    """Speaks to the issuer; its connections are opened when first needed."""

    def __init__(self, timeout: float = TIMEOUT_SECS) -> None:
        self._timeout = timeout
        self._client: httpx2.AsyncClient | None = None

    async def get(self, url: str) -> dict[str, object]:
        """A JSON document."""
        return await self._document("GET", url)

    async def post(
        self, url: str, form: Mapping[str, str], basic: tuple[str, str] | None = None
    ) -> dict[str, object]:
        """The JSON answer to a form."""
        return await self._document("POST", url, dict(form), basic)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _document(
        self,
        method: str,
        url: str,
        form: dict[str, str] | None = None,
        basic: tuple[str, str] | None = None,
    ) -> dict[str, object]:
        import httpx2

        if self._client is None:
            self._client = httpx2.AsyncClient(
                verify=_tls(), follow_redirects=False, timeout=self._timeout
            )
        checked = secure(url)
        try:
            # The client's own limit is for each read: a trickle would never end.
            async with asyncio.timeout(self._timeout):
                status, body = await self._exchange(self._client, method, checked, form, basic)
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError) as error:
            raise FetchError(f"{url}: {error or type(error).__name__}") from error
        return _parsed(url, status, body)

    @staticmethod
    async def _exchange(
        client: httpx2.AsyncClient,
        method: str,
        url: str,
        form: dict[str, str] | None,
        basic: tuple[str, str] | None,
    ) -> tuple[int, bytes]:
        headers = {"Accept": "application/json"}
        body = b""
        async with client.stream(method, url, data=form, auth=basic, headers=headers) as response:
            async for part in response.aiter_bytes():
                body += part
                if len(body) > MOST_BYTES:
                    raise FetchError(f"{url}: the answer is too long")
            return response.status_code, body


@cache
def _tls() -> ssl.SSLContext:
    """Whom to trust; reading all the certificates takes a while."""
    import httpx2

    return httpx2.create_ssl_context()


def _parsed(url: str, status: int, body: bytes) -> dict[str, object]:
    if status != 200:
        raise FetchError(f"{url}: answered {status}", status)
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise FetchError(f"{url}: the answer is not JSON") from error
    if not isinstance(document, dict):
        raise FetchError(f"{url}: the answer is not a JSON object")
    return document


def secure(url: str) -> str:
    """The same address, if nobody on the way can change what it answers."""
    if not is_secure(url):
        raise FetchError(f"{url}: an issuer has to be asked by https")
    return url
