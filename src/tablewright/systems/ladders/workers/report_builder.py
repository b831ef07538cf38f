"""Makes reports: woken by the changes of assessments.

One process at a time reads the changes, under a lease. When an assessment is submitted, the report
of its member is made if the other side is in, too. A page is committed when all of it is done; if
the process is killed before, it comes again, and what is made already is left as it is. If changes
were gone before they were read, what is missing is looked for.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from tablewright.client.feed import AsyncChangeFeed, Change, Gap, Polling, TableCheckpoints
from tablewright.service.kit import kit
from tablewright.service.workers import Held, Worker
from tablewright.systems.ladders.entities import Assessment, assessment_table

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.company import Company

log = logging.getLogger("tablewright.ladders")

NAME: Final = "report-builder"
EVERY_SECS = 0.5
#: How long a run waits for changes before it ends; less than a process has to stop.
_WAIT_SECS = 2.0
#: Reading costs money at AWS, and next to nothing where the engine is near.
_NEAR, _FAR = Polling(least=0.02, most=0.1), Polling()

checkpoints = TableCheckpoints(kit, component=NAME)


def worker(company: Company) -> Worker:
    building = ReportBuilder(company)
    return Worker(NAME, EVERY_SECS, building.run, close=building.close)


class ReportBuilder:
    """The reader of one process, as long as it holds the lease."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._feed: AsyncChangeFeed | None = None
        self._fence = 0
        self._missed = False
        self._gaps = company.runtime.metrics.counter(
            "ladders_feed_gaps", "Times that changes were gone before they were read."
        )

    async def run(self, held: Held) -> None:
        """Make what has become ready, until nothing comes for a moment."""
        feed = self._feed
        if feed is None or self._fence != held.fence:
            feed, self._fence = self._started(), held.fence
        # Whatever goes wrong, the checkpoints know how far it came: begin with them.
        self._feed = None
        while changes := await feed.poll(wait=_WAIT_SECS):
            for plan_id, member_id in submitted_in(changes):
                await self._company.reports.build_ready(plan_id, member_id)
            await feed.commit()
        await self._catch_up()
        self._feed = feed

    async def close(self) -> None:
        if self._feed is not None:
            with suppress(Exception):
                await self._feed.close()

    async def _catch_up(self) -> None:
        if self._missed:
            made = await self._company.reports.catch_up()
            self._missed = False
            log.warning("looked for reports that were missing, and made %d", made)

    def _started(self) -> AsyncChangeFeed:
        company = self._company
        return AsyncChangeFeed(
            company.db,
            assessment_table,
            consumer=NAME,
            checkpoints=checkpoints,
            entities=[Assessment],
            # An assessment that cannot be read does not stop the others.
            unknown="raw",
            on_gap=self._note_gap,
            polling=_NEAR if company.runtime.settings.local else _FAR,
            component=NAME,
        )

    def _note_gap(self, gap: Gap) -> None:
        self._missed = True
        self._gaps.inc()
        log.error("%s. Reports that are missing are looked for.", gap)


def submitted_in(changes: Iterable[Change]) -> list[tuple[str, str]]:
    """Plan and member of the assessments that are in now and were not before, each once."""
    found: dict[tuple[str, str], None] = {}
    for change in changes:
        if _is_in(change.new) and not _is_in(change.old):
            assert isinstance(change.new, Assessment)
            found[change.new.plan_id, change.new.team_member_id] = None
    return list(found)


def _is_in(image: object) -> bool:
    """Submitted, by or about somebody who takes part; who was withdrawn may be back."""
    if not isinstance(image, Assessment):
        return False
    return image.status == "submitted" and image.withdrawn_at is None
