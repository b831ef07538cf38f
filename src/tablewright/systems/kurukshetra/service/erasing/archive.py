"""What stays of an event once its people are forgotten: the books, as one file.

``DATA/archive/<event>.jsonl.gz`` holds settings, teams, payments with their refunds, findings and
statistics, one on each line, and names nobody. It is written once, when all people have gone.
"""

from __future__ import annotations

import gzip
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import TYPE_CHECKING, get_args

import orjson

from tablewright.model import Entity
from tablewright.service.output_files import to_file
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.fields import PAYMENT_STATUSES, TeamStatus
from tablewright.systems.kurukshetra.privacy.vault import sealed_fields

if TYPE_CHECKING:
    from pathlib import Path

    from tablewright.systems.kurukshetra.service.festival import Festival

log = logging.getLogger("tablewright.kurukshetra")

_FOLDER = "archive"
#: Lines that are packed together.
_PIECE = 500
#: Longer than any event is open: statistics of every day there was.
_AROUND = timedelta(days=800)


class Archive:
    """Books of events that are long over."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        data = festival.runtime.settings.data
        self._folder = None if data is None else data / _FOLDER

    async def keep(self, config: m.Config) -> Path | None:
        """The file of an event, written if there is none; None where there is no data folder."""
        if self._folder is None:
            return None
        file = self._folder / f"{config.event_id}.jsonl.gz"
        if not file.exists():
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            await to_file(_packed(self._all(config)), file)
            log.info("archived the books of event/%s", config.event_id)
        return file

    async def _all(self, config: m.Config) -> AsyncIterator[Entity]:
        db, event_id = self._festival.db, config.event_id
        yield config
        for status in get_args(TeamStatus):
            async for line in db.iterate(m.teams_by_status(event_id, status)):
                team = await db.run(m.team(event_id, line.team_id))
                if team is not None:
                    yield team
        for each in PAYMENT_STATUSES:
            async for row in db.iterate(m.payments_by_status(event_id, each)):
                page = await db.run(m.payment_page(event_id, row.payment_id))
                for item in (page.payment, *page.refunds):
                    yield item
        async for finding in db.iterate(m.findings(event_id)):
            yield finding
        since, until = config.created_at - _AROUND, config.event_end + _AROUND
        async for day in db.iterate(m.statistics(event_id, since.date(), until.date())):
            yield day
        async for count in db.iterate(m.track_statistics(event_id, since.date(), until.date())):
            yield count


async def _packed(items: AsyncIterator[Entity]) -> AsyncIterator[bytes]:
    """Each piece is a whole gzip file: one behind the other they are one, too."""
    some: list[bytes] = []
    async for item in items:
        some.append(orjson.dumps(_members(item)))
        if len(some) == _PIECE:
            yield gzip.compress(b"\n".join(some) + b"\n", mtime=0)
            some = []
    yield gzip.compress(b"".join(line + b"\n" for line in some), mtime=0)


def _members(item: Entity) -> dict[str, object]:
    sealed = {field.name for field in sealed_fields(type(item))}
    told = item.model_dump(mode="json", exclude=sealed, exclude_none=True)
    return {"entity": type(item).__name__, **told}
