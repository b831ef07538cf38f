"""Files that people send: read as they arrive, stored a page at a time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ValidationError

from tablewright.service.problems import Problem
from tablewright.systems.sentiment.bodies.ingest import RecordIn, reason_of
from tablewright.systems.sentiment.rules.lines import BadFile, FileKind, Line, lines_of
from tablewright.systems.sentiment.rules.records import Record

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Records that are stored together.
_PAGE = 200
#: Lines that are told of; the others are counted.
MOST_ERRORS = 100


@dataclass(frozen=True)
class LineError:
    """A line that became no article."""

    line: int
    reason: str


@dataclass
class Upload:
    """What became of a file."""

    results: Counter[str] = field(default_factory=Counter)
    errors: list[LineError] = field(default_factory=list)
    #: Of those that were rejected, the ones that could not even be read.
    unread: int = 0

    @property
    def records(self) -> int:
        return self.results.total()

    def reject(self, line: int, reason: str) -> None:
        self.results["rejected"] += 1
        if len(self.errors) < MOST_ERRORS:
            self.errors.append(LineError(line, reason))


class Uploads:
    """Takes files of records."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom

    async def take(
        self, pieces: AsyncIterator[bytes], kind: FileKind, *, as_published: bool = False
    ) -> Upload:
        """Store all records of a file. Bad ones are counted and told; none ends the reading.

        What was stored stays if the file breaks off; sending it again does no harm.
        """
        upload = Upload()
        reader = lines_of(kind)
        page: list[tuple[int, Record]] = []
        try:
            async for piece in pieces:
                for line in reader.feed(piece):
                    _read(line, page, upload)
                    if len(page) >= _PAGE:
                        await self._store(page, upload, as_published)
                # A file of nothing but bad lines must not keep the others waiting.
                await asyncio.sleep(0)
            for line in reader.end():
                _read(line, page, upload)
        except BadFile as bad:
            raise Problem(422, "BAD_RECORD", str(bad)) from None
        finally:
            self._newsroom.intake.note_rejected(upload.unread)
        await self._store(page, upload, as_published)
        upload.errors.sort(key=lambda error: error.line)
        return upload

    async def _store(
        self, page: list[tuple[int, Record]], upload: Upload, as_published: bool
    ) -> None:
        outcomes = await self._newsroom.intake.take(
            [record for _, record in page], source_type="file", as_published=as_published
        )
        for (number, _), outcome in zip(page, outcomes, strict=True):
            if outcome.result == "rejected":
                upload.reject(number, outcome.reason or "")
            else:
                upload.results[outcome.result] += 1
        page.clear()


def _read(line: Line, page: list[tuple[int, Record]], upload: Upload) -> None:
    if line.members is None:
        upload.unread += 1
        upload.reject(line.number, line.reason)
        return
    try:
        page.append((line.number, RecordIn.model_validate(line.members).record()))
    except ValidationError as error:
        upload.unread += 1
        upload.reject(line.number, reason_of(error))
