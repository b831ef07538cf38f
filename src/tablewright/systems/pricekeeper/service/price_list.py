"""AWS's Price List over HTTPS: public documents, without credentials.

For each offer there is an index of regions, which names the document of the current version; that
one has all prices of the region, in some megabytes. What comes is bounded in time and size, never
redirected, and taken as a whole or not at all.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from tablewright.service.settings import is_secure
from tablewright.systems.pricekeeper.rules.price_list import OFFERS, PriceListError

if TYPE_CHECKING:
    import httpx2

#: Seconds for one document, and how often a failing one is asked for again.
TIMEOUT_SECS, ATTEMPTS = 60.0, 3
MOST_BYTES = 128 * 1024 * 1024


class PriceList:
    """The price list of a region."""

    def __init__(
        self, base: str, region: str, *, pause: float = 1.0, timeout: float = TIMEOUT_SECS
    ) -> None:
        self._base = _secure(base).rstrip("/")
        self._region = region
        self._pause = pause
        self._timeout = timeout

    async def offers(self) -> dict[str, Mapping[str, Any]]:
        """The documents of all offers of Bedrock; an offer that is not sold in the region is not
        among them."""
        import httpx2

        async with httpx2.AsyncClient(follow_redirects=False, timeout=self._timeout) as client:
            found = {offer: await self._offer(client, offer) for offer in OFFERS}
        documents = {offer: each for offer, each in found.items() if each is not None}
        if not documents:
            raise PriceListError(f"Bedrock has no prices in {self._region}")
        return documents

    async def _offer(self, client: httpx2.AsyncClient, offer: str) -> Mapping[str, Any] | None:
        index = await self._document(
            client, f"/offers/v1.0/aws/{offer}/current/region_index.json", may_lack=True
        )
        regions = index.get("regions", {}) if index else {}
        if not isinstance(regions, dict) or self._region not in regions:
            return None
        path = regions[self._region].get("currentVersionUrl", "")
        if not isinstance(path, str) or not path.startswith("/offers/"):
            raise PriceListError(f"{offer}: the index of regions names no document")
        return await self._document(client, path)

    async def _document(
        self, client: httpx2.AsyncClient, path: str, *, may_lack: bool = False
    ) -> dict[str, Any]:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return await self._once(client, path, may_lack)
            except _Again as error:
                if attempt == ATTEMPTS:
                    raise PriceListError(f"{self._base}{path}: {error}") from error
            await asyncio.sleep(self._pause * 2**attempt * random.uniform(0.5, 1))
        raise AssertionError("every attempt returns or raises")

    async def _once(self, client: httpx2.AsyncClient, path: str, may_lack: bool) -> dict[str, Any]:
        import httpx2

        try:
            # The client's own limit is for each read: a trickle would never end.
            async with asyncio.timeout(self._timeout):
                status, body = await _fetched(client, f"{self._base}{path}")
        except (httpx2.HTTPError, TimeoutError, OSError) as error:
            raise _Again(str(error) or type(error).__name__) from error
        if status in (403, 404) and may_lack:
            return {}  # the store behind it says 403 for what is not there
        if status == 429 or status >= 500:
            raise _Again(f"answered {status}")
        if status != 200:
            raise PriceListError(f"{self._base}{path}: answered {status}")
        return await asyncio.to_thread(_parsed, path, body)


class _Again(Exception):
    """It may be better the next time."""


async def _fetched(client: httpx2.AsyncClient, url: str) -> tuple[int, bytes]:
    body = bytearray()
    async with client.stream("GET", url, headers={"Accept": "application/json"}) as answer:
        async for part in answer.aiter_bytes():
            body += part
            if len(body) > MOST_BYTES:
                raise PriceListError(f"{url}: has more than {MOST_BYTES} bytes")
    return answer.status_code, bytes(body)


def _parsed(path: str, body: bytes) -> dict[str, Any]:
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # Cut off on the way, most likely.
        raise _Again(f"is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise PriceListError(f"{path}: is no document")
    return found


def _secure(base: str) -> str:
    if not is_secure(base):
        raise PriceListError(f"{base}: the price list is asked for over https only")
    return base
