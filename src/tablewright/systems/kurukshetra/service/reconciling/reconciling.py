"""Reconciliation: asked for, or every night; and what was found."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from tablewright.client import Page
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.conflicts import refused
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.kurukshetra import lists, paying
from tablewright.systems.kurukshetra.gateway import GatewayFailed
from tablewright.systems.kurukshetra.payments import Finding
from tablewright.systems.kurukshetra.rules.derived_ids import ulid_of
from tablewright.systems.kurukshetra.rules.local_time import end_of, instant, local_day, start_of
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.reconciling.captured import CapturedThere
from tablewright.systems.kurukshetra.service.reconciling.claimed import ClaimedHere
from tablewright.systems.kurukshetra.service.reconciling.found import Found

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.jobs import Job
    from tablewright.systems.kurukshetra.service.festival import Festival
    from tablewright.systems.kurukshetra.service.jobs import Going

log = logging.getLogger("tablewright.kurukshetra")

KIND: Final = "reconcile"
#: By the clock of the event's place.
AT_NIGHT: Final = time(2)
#: Refunds may come to their end long after an event.
_STILL: Final = timedelta(days=30)
#: What is older is not compared any more.
_OLDEST: Final = timedelta(days=400)
#: A payment may be captured days after it was begun.
_BACK: Final = timedelta(days=3)
#: How often a job says how far it is.
_STEP: Final = 20
_SYSTEM: Final = Principal(
    id="system:reconcile", name="Reconciliation", kind="system", roles=frozenset()
)


@dataclass(frozen=True)
class Report:
    """What came of a day."""

    event_id: str
    day: date
    compared: int
    findings: tuple[Finding, ...]


class Reconciling:
    """Our books against the gateway's."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._captured = CapturedThere(festival)
        self._claimed = ClaimedHere(festival)
        #: Nights whose job is known to be there.
        self._known: set[tuple[str, date]] = set()
        festival.jobs.handle(KIND, self._work)

    # --- asking ----------------------------------------------------------------------------------

    async def ask(self, by: Caller, day: date | None = None) -> Job:
        """Compare a day of the caller's event, or yesterday: a job."""
        by.require("finance")
        today = await self._today(by.event_id)
        wanted = today - timedelta(days=1) if day is None else day
        if not today - _OLDEST <= wanted <= today:
            raise invalid(FieldError("day", "must be one of the last 400 days"))
        return await self._festival.jobs.start(by, KIND, {"day": wanted.isoformat()})

    async def findings(
        self,
        by: Caller,
        *,
        since: date | None = None,
        until: date | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Finding]:
        """What was found, by day."""
        by.require("finance", "auditor")
        op = lists.findings(by.event_id, since=since, until=until)
        return await self._festival.db.run(op, limit=limit, cursor=cursor)

    # --- doing -----------------------------------------------------------------------------------

    async def run(self, event_id: str, day: date, going: Going | None = None) -> Report:
        """Compare a day of an event, put right what can be, and note all of it."""
        config = await self._festival.events.config(event_id)
        start, end = start_of(day - _BACK, config.zone), end_of(day, config.zone)
        told = await self._festival.gateway.client.payments(
            int(start.timestamp()), int(end.timestamp())
        )
        captured = [each for each in told if each.captured]
        findings: list[Finding] = []
        for number, each in enumerate(captured):
            findings += await self._noted(
                event_id, day, await self._captured.compare(event_id, each)
            )
            if going is not None and number % _STEP == 0:
                await going.reached(number, total=len(captured))
        if going is not None:
            await going.reached(len(captured), total=len(captured))
        seen = {each.id for each in captured}
        claimed = await self._claimed.compare(event_id, day, seen)
        findings += await self._noted(event_id, day, claimed)
        return Report(event_id, day, len(captured), tuple(findings))

    async def nightly(self) -> int:
        """Ask for yesterday at every event where it is past two in the morning; how many."""
        asked, now = 0, self._festival.now()
        async for event in self._festival.db.iterate(lists.events()):
            if event.event_end + _STILL > now:
                asked += await self._tonight(event.event_id, now)
        return asked

    # --- inside ----------------------------------------------------------------------------------

    async def _tonight(self, event_id: str, now: datetime) -> bool:
        """One job for a night, whoever asks for it: its id is that of the night."""
        config = await self._festival.events.config(event_id)
        today = local_day(now, config.zone)
        night = instant(datetime.combine(today, AT_NIGHT), config.zone)
        if now < night or (event_id, today) in self._known:
            return False
        yesterday = (today - timedelta(days=1)).isoformat()
        by = Caller(_SYSTEM, event_id, self._festival.privacy.blind.uid(_SYSTEM.id))
        job_id = ulid_of(night, KIND, event_id, yesterday)
        try:
            await self._festival.jobs.start(by, KIND, {"day": yesterday}, job_id=job_id)
        except TransactionCancelled as error:
            if not refused(error):
                raise
            started = False
        else:
            started = True
        self._known = {each for each in self._known if each[1] >= today - timedelta(days=2)}
        self._known.add((event_id, today))
        return started

    async def _work(self, going: Going) -> Mapping[str, JsonValue]:
        day = date.fromisoformat(str(going.job.detail["day"]))
        try:
            report = await self.run(going.job.event_id, day, going)
        except GatewayFailed as error:
            detail = "The gateway cannot be asked at the moment."
            raise Problem(503, "GATEWAY_UNAVAILABLE", detail) from error
        return {
            "day": day.isoformat(),
            "compared": report.compared,
            "findings": len(report.findings),
        }

    async def _noted(self, event_id: str, day: date, found: list[Found]) -> list[Finding]:
        """Each finding is written once, by an id that follows from what it is."""
        at = self._festival.now()
        made = [each.as_finding(event_id, day, at) for each in found]
        for each in made:
            log.warning("reconciliation of %s, %s: %s: %s", event_id, day, each.kind, each.outcome)
            await self._festival.db.run(paying.note_finding(each))
        return made

    async def _today(self, event_id: str) -> date:
        config = await self._festival.events.config(event_id)
        return local_day(self._festival.now(), config.zone)
