"""Records on disk until the service has answered for them.

A record is taken when it is on disk: ``add`` returns after the sync, and callers that come together
share one. Records lie in segments, one file for each batch; a segment is sealed when it is sent and
deleted when the service has answered for all of it. Whatever a killed process leaves is found again
and sent by the next one, some of it perhaps a second time, which the service counts once.

A record does not say whose it is, so each app has a folder of its own; below it each process has
one, with a lock that dies with the process::

    spool/{org_id}/{app_id}/3f0c…/lock              held by its process
    spool/{org_id}/{app_id}/3f0c…/00000001.jsonl    one record a line, synced
    spool/{org_id}/{app_id}/rejected.jsonl          what the service refused, with the reason
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import uuid4

import orjson

from tablewright.systems.pricekeeper.client.errors import SpoolFull
from tablewright.systems.pricekeeper.client.filelock import lock

log = logging.getLogger(__name__)

#: A record as it is sent: a JSON object.
Record = dict[str, object]
MAX_BYTES = 100 * 1024 * 1024
#: Records in a segment, hence in a batch.
SEGMENT = 50
#: A process's folder.
_PROCESS = re.compile("[0-9a-f]{32}")


class Segment:
    """The records of one batch."""

    def __init__(self, path: Path, records: list[Record] | None = None, size: int = 0) -> None:
        self.path = path
        self.records = records if records is not None else []
        self.size = size


class Spool:
    """The records of one process, and those that dead ones have left."""

    def __init__(
        self, folder: Path, *, max_bytes: int = MAX_BYTES, segment_records: int = SEGMENT
    ) -> None:
        self._root = folder
        self._max_bytes = max_bytes
        self._segment_records = segment_records
        self._own = folder / uuid4().hex
        self._own.mkdir(parents=True)
        self._lock = lock(self._own / "lock")
        self._number = 0
        self._file: BinaryIO | None = None
        self._open: Segment | None = None
        self._sealed: list[Segment] = []
        self._locks = {self._own: self._lock}
        self._size = 0
        self._syncing: asyncio.Task[None] | None = None
        self._adopt()

    # --- taking --------------------------------------------------------------------------------

    async def add(self, record: Record) -> None:
        """Take a record; it is on disk when this returns."""
        line = orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
        if self._size + len(line) > self._max_bytes:
            raise SpoolFull(
                f"{self._size:,} bytes wait in {self._root} to be sent; {self._max_bytes:,} may"
            )
        segment, file = self._segment()
        file.write(line)
        segment.records.append(record)
        segment.size += len(line)
        self._size += len(line)
        await self._synced()

    async def _synced(self) -> None:
        """Wait for a sync that begins from now on; one is shared by all who wait for it."""
        running = self._syncing
        if running is not None and not running.done():
            with suppress(OSError):
                await asyncio.shield(running)
        if self._syncing is running:
            self._syncing = asyncio.create_task(self._sync())
        assert self._syncing is not None
        await asyncio.shield(self._syncing)

    async def _sync(self) -> None:
        file = self._file
        if file is not None:
            file.flush()
            # A copy of the number: the segment may be sealed and its file closed meanwhile.
            number = os.dup(file.fileno())
            try:
                await asyncio.to_thread(os.fsync, number)
            finally:
                os.close(number)

    def _segment(self) -> tuple[Segment, BinaryIO]:
        if self.records_open >= self._segment_records:
            self.seal()
        if self._open is None or self._file is None:
            self._number += 1
            path = self._own / f"{self._number:08d}.jsonl"
            self._open, self._file = Segment(path), path.open("ab")
            _sync_folder(self._own)
        return self._open, self._file

    # --- sending -------------------------------------------------------------------------------

    def seal(self) -> None:
        """End the open segment: what comes goes into the next one."""
        if self._open is None or self._file is None:
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        self._sealed.append(self._open)
        self._open = self._file = None

    def waiting(self) -> list[Segment]:
        """Sealed segments, the oldest first."""
        return list(self._sealed)

    def answered(self, segment: Segment) -> None:
        """The service has answered for all records of a segment."""
        self._sealed.remove(segment)
        self._size -= segment.size
        segment.path.unlink(missing_ok=True)
        self._leave(segment.path.parent)

    def reject(self, record: Record, problem: object) -> None:
        """Keep a record that the service refused, for people to look at."""
        line = orjson.dumps({"record": record, "problem": problem}, default=str)
        with self.dead_letters.open("ab") as file:
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())

    @property
    def dead_letters(self) -> Path:
        """The file of what was refused."""
        return self._root / "rejected.jsonl"

    @property
    def bytes_waiting(self) -> int:
        return self._size

    @property
    def records_waiting(self) -> int:
        return sum(len(segment.records) for segment in self._sealed) + self.records_open

    @property
    def is_full(self) -> bool:
        """Whether the open segment is worth sending as it is."""
        return bool(self._sealed) or self.records_open >= self._segment_records

    @property
    def records_open(self) -> int:
        """Records in the segment that is not sealed yet."""
        return 0 if self._open is None else len(self._open.records)

    # --- what others left ----------------------------------------------------------------------

    def _adopt(self) -> None:
        """Take over the folders whose process is gone."""
        for folder in sorted(self._root.iterdir()):
            if folder == self._own or not folder.is_dir():
                continue
            held = lock(folder / "lock", wait=False)
            if held is None:
                continue
            self._locks[folder] = held
            self._sealed.extend(_segments(folder))
            self._leave(folder)
        self._size = sum(segment.size for segment in self._sealed)

    def _leave(self, folder: Path) -> None:
        """Remove a dead process's folder once it is empty."""
        if folder == self._own or any(each.path.parent == folder for each in self._sealed):
            return
        held = self._locks.pop(folder, None)
        if held is not None:
            (folder / "lock").unlink(missing_ok=True)
            held.close()
        with suppress(OSError):
            folder.rmdir()

    def close(self) -> None:
        """Let go of the folder; what waits is left for the next process."""
        self.seal()
        for held in self._locks.values():
            held.close()
        if not self._sealed:
            (self._own / "lock").unlink(missing_ok=True)
            with suppress(OSError):
                self._own.rmdir()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def folder_of_app(root: Path, org_id: str, app_id: str) -> Path:
    """The folder for the records of one app.

    Folders of processes once lay in the spool itself. They become this app's, unless others use the
    spool too: then nobody knows whose they are, and people have to say it.
    """
    folder = root / org_id / app_id
    folder.mkdir(parents=True, exist_ok=True)
    apps = [each for each in root.glob("*/*") if each.is_dir()]
    for left in sorted(each for each in root.iterdir() if _PROCESS.fullmatch(each.name)):
        if apps == [folder]:
            _move(left, folder)
        else:
            log.warning("records wait in %s and name no app: move it into an app's folder", left)
    return folder


def _move(left: Path, folder: Path) -> None:
    """Take a folder over if its process is gone, and nobody else is quicker."""
    with suppress(OSError):
        held = lock(left / "lock", wait=False)
        if held is not None:
            held.close()
            left.rename(folder / left.name)


def _segments(folder: Path) -> Iterator[Segment]:
    for path in sorted(folder.glob("*.jsonl")):
        text = path.read_bytes()
        records = list(_whole(text))
        if records:
            yield Segment(path, records, len(text))
        else:
            path.unlink()


def _whole(text: bytes) -> Iterator[Record]:
    """The records of a file; a line that was cut by a crash was never acknowledged."""
    for line in text.splitlines(keepends=True):
        if line.endswith(b"\n"):
            with suppress(orjson.JSONDecodeError):
                yield orjson.loads(line)


def _sync_folder(folder: Path) -> None:
    """Make a new file's name as durable as its content."""
    if os.name == "nt":
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
