"""Who was erased: ids alone, kept where a restore of the table does not reach.

A restored table has people in it again who were erased since. They are found in two places: the
audit log, which is in the kit's table, and a file of the data folder, ``erasures.jsonl``, which
outlives both tables. A line is on the disk before the first write that it is about.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import orjson

from tablewright.service.kit import audit
from tablewright.service.kit.moments import text_of
from tablewright.systems.kurukshetra.lists import events
from tablewright.systems.kurukshetra.rules.retention import BOOKS

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

FILE = "erasures.jsonl"
#: What the audit log calls it; its subject is ``event/{event}/participant/{participant}``.
ACTION = "participant.erase"
_PAGE = 100


class Who(NamedTuple):
    """Somebody at one event."""

    event_id: str
    participant_id: str

    @property
    def subject(self) -> str:
        return f"event/{self.event_id}/participant/{self.participant_id}"


def who_in(subject: str) -> Who | None:
    """Whom an entry of the audit log is about."""
    parts = subject.split("/")
    named = len(parts) == 4 and (parts[0], parts[2]) == ("event", "participant")
    return Who(parts[1], parts[3]) if named else None


class Journal:
    """Everybody who was erased on request."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        data = festival.runtime.settings.data
        self._file = None if data is None else data / FILE

    async def note(self, who: Who, at: datetime) -> None:
        """Keep it, before anything goes; without a data folder the audit log is all there is."""
        if self._file is not None:
            told = {"at": text_of(at), **who._asdict()}
            await asyncio.to_thread(_append, self._file, b"\n" + orjson.dumps(told) + b"\n")

    async def all(self) -> AsyncIterator[Who]:
        """Each of them once: of the file, and of the audit log as far as it goes back."""
        known: set[Who] = set()
        if self._file is not None:
            known.update(await asyncio.to_thread(lambda: list(_lines(self._file))))
        async for who in self._audited():
            known.add(who)
        for who in sorted(known):
            yield who

    async def _audited(self) -> AsyncIterator[Who]:
        cursor: str | None = None
        # Everything until now, this very second included, from the first event on.
        until = self._festival.now() + timedelta(seconds=1)
        made = [each.created_at async for each in self._festival.db.iterate(events())]
        while True:
            page = await audit.entries(
                self._festival.db,
                until=until,
                since=max(min(made, default=until), until - BOOKS),
                action=ACTION,
                limit=_PAGE,
                cursor=cursor,
            )
            for entry in page:
                who = who_in(entry.subject)
                if who is not None:
                    yield who
            cursor = page.cursor
            if cursor is None:
                return


def _append(file: Path, line: bytes) -> None:
    """One write at the end of the file, and on the disk: processes may share it.

    The line begins with its own end of a line: the one before may have been cut off.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    number = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(number, line)
        os.fsync(number)
    finally:
        os.close(number)


def _lines(file: Path | None) -> Iterator[Who]:
    if file is None or not file.exists():
        return
    for line in file.read_bytes().splitlines():
        try:
            told = orjson.loads(line)
            yield Who(str(told["event_id"]), str(told["participant_id"]))
        except (orjson.JSONDecodeError, KeyError, TypeError):
            continue  # empty, or what a process left that died in the middle of it
