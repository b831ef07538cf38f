"""What is too large for an item, for a while."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Protocol

from tablewright.service.settings import SettingsError
from tablewright.systems.vibejudge.service.blobs.bucket import Bucket
from tablewright.systems.vibejudge.service.blobs.files import Files
from tablewright.systems.vibejudge.table import Agent

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

KEPT: Final = timedelta(days=90)
_KEY: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*\Z")
_S3: Final = re.compile(r"s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/([A-Za-z0-9_./-]*))?\Z")


class Place(Protocol):
    """Somewhere to keep bytes by name. It blocks: to be called beside the loop."""

    def put(self, key: str, data: bytes, now: float) -> None: ...

    def get(self, key: str) -> bytes | None: ...

    def erase(self, prefix: str) -> int:
        """Delete all below a folder; how many."""
        ...

    def sweep(self, before: float) -> int:
        """Delete what was put before then; how many."""
        ...


def answers_key(hack_id: str, sub_id: str, run_id: str, agent: Agent) -> str:
    """Where what a model answered to an agent is kept."""
    return f"answers/{hack_id}/{sub_id}/{run_id}/{agent}.json"


class Blobs:
    """What is too large for an item, for a while."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._place: Place | None = None
        self._passing: TemporaryDirectory[str] | None = None

    async def open(self) -> None:
        """An address that cannot be used is told before anything starts."""
        place = self._opened()
        if isinstance(place, Bucket):
            await asyncio.to_thread(place.check)

    async def close(self) -> None:
        passing, self._passing, self._place = self._passing, None, None
        if passing is not None:
            await asyncio.to_thread(passing.cleanup)

    async def put(self, key: str, data: bytes) -> None:
        """Keep it under this key; what was there is replaced."""
        now = self._courtroom.runtime.clock.now()
        await asyncio.to_thread(self._opened().put, _checked(key), data, now)

    async def get(self, key: str) -> bytes | None:
        """What is kept under a key; None if it never was, or its time is over."""
        return await asyncio.to_thread(self._opened().get, _checked(key))

    async def erase(self, prefix: str) -> int:
        """Delete all below a folder such as ``answers/{hack_id}``."""
        return await asyncio.to_thread(self._opened().erase, _checked(prefix))

    async def sweep(self) -> int:
        """Delete what is older than 90 days."""
        before = self._courtroom.runtime.clock.now() - KEPT.total_seconds()
        return await asyncio.to_thread(self._opened().sweep, before)

    def _opened(self) -> Place:
        if self._place is None:
            self._place = self._made()
        return self._place

    def _made(self) -> Place:
        wanted, data = self._courtroom.options.blobs, self._courtroom.runtime.settings.data
        if wanted is not None:
            return _bucket(wanted)
        if data is not None:
            return Files(data / "blobs" / "vibejudge")
        # Without a data folder nothing outlives the process.
        self._passing = TemporaryDirectory(prefix="vibejudge-blobs-", ignore_cleanup_errors=True)
        return Files(self._passing.name)


def _bucket(url: str) -> Bucket:
    found = _S3.match(url)
    if found is None:
        raise SettingsError(f"blobs in [vibejudge]: {url}: must be s3://bucket/prefix")
    return Bucket(found[1], (found[2] or "").strip("/"))


def _checked(key: str) -> str:
    if not _KEY.match(key) or len(key) > 500:
        raise ValueError(f"{key!r} cannot be the name of a blob")
    return key
