"""The review of one person, each step if it is not done yet.

A demo that was killed is told again from its beginning. What is stored says how far it had come;
where somebody else has gone further meanwhile, it is left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.bodies.growth import ActionChange, ActionIn
from tablewright.systems.ladders.entities import Assessment, Plan, Report
from tablewright.systems.ladders.fields import ActionStatus, AssessmentType
from tablewright.systems.ladders.live_demo.answers import written
from tablewright.systems.ladders.live_demo.cast import Someone, Stage
from tablewright.systems.ladders.live_demo.evidence import ACTIONS, COMMENTS, REOPENED
from tablewright.systems.ladders.live_demo.past import Past
from tablewright.systems.ladders.service.callers import Caller

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
#: What is left half-way, of all that there is to say.
_BEGUN: Final = 0.45
_BOTH: Final[frozenset[Stage]] = frozenset(("generated", "reopened", "released", "acknowledged"))
_SHARED: Final[frozenset[Stage]] = frozenset(("released", "acknowledged"))


@dataclass(frozen=True)
class Acting:
    """Somebody in a plan, and who manages them."""

    past: Past
    plan: Plan
    someone: Someone
    manager: Someone
    #: 0 is the one now, -1 the one before.
    season: int
    #: Spreads what people do over days.
    number: int
    today: datetime

    async def go_to(self, stage: Stage) -> None:
        """Everything up to there, from the first day of the plan on."""
        begins = self.plan.start_date + (2 + self.number) * _DAY + 9 * _HOUR
        if stage == "new" or await self._was_reopened():
            return
        await self._assess("self", begins, done=stage != "begun")
        if stage == "begun":
            return
        await self._assess("manager", begins + _DAY + 5 * _HOUR, done=stage in _BOTH)
        if stage in _BOTH:
            await self._report(stage, begins + 2 * _DAY)

    # --- assessments -----------------------------------------------------------------------------

    async def _assess(self, kind: AssessmentType, at: datetime, *, done: bool) -> None:
        company = self.past.at(at)
        by = await self.past.caller(self.someone if kind == "self" else self.manager)
        found = await self._assessment(kind)
        if found.status == "not_started":
            ladder = await company.configs.ladder(self.plan)
            share = 1.0 if done else _BEGUN
            body = written(self.someone, kind, ladder, self.season, share=share)
            seen = Precondition.seen(found.revision)
            found = await company.assessments.save(by, found.assessment_id, body, seen)
        if done and found.status == "in_progress":
            await self.past.at(at + _HOUR).assessments.submit(by, found.assessment_id)

    async def _assessment(self, kind: AssessmentType) -> Assessment:
        member = await self.past.caller(self.someone)
        wanted = ids.assessment_id(self.plan.plan_id, member.user_id, kind)
        return await self.past.company.db.require(reads.assessment(wanted))

    async def _was_reopened(self) -> bool:
        return (await self._assessment("self")).reopens is not None

    # --- report ----------------------------------------------------------------------------------

    async def _report(self, stage: Stage, at: datetime) -> None:
        manager, member = await self._both()
        company = self.past.at(at)
        found = await company.reports.build(manager, self.plan.plan_id, member.user_id)
        report = found.report
        if stage == "reopened":
            again = self.past.at(at + _DAY).assessments
            await again.reopen(manager, report.self_assessment_id, REOPENED)
        if stage in _SHARED and report.status == "generated":
            later = self.past.at(at + 4 * _HOUR)
            report = (await later.reports.release(manager, report.report_id)).report
        if stage in _SHARED:
            await self._agree(report, at + _DAY)
        if stage == "acknowledged" and report.status == "released":
            comment = COMMENTS[self.number % len(COMMENTS)]
            later = self.past.at(at + _DAY + 3 * _HOUR)
            await later.reports.acknowledge(member, report.report_id, comment)

    async def _agree(self, report: Report, at: datetime) -> None:
        """Two growth actions; of last season's, one is done, and one is due before long."""
        manager, member = await self._both()
        for place, by in enumerate((manager, member)):
            company = self.past.at(at + place * _HOUR)
            title, note = ACTIONS[(self.number + place) % len(ACTIONS)]
            known = {each.title: name for name, each in report.actions.items()}
            if title not in known:
                body = ActionIn(title=title, due_at=self._due(at, place), note=note)
                added = await company.growth.add_action(by, report.report_id, body)
                report, known[title] = added.report, added.action_id
            if self.season and not place and report.actions[known[title]].status == "open":
                report = await self._ended(by, report, known[title], at + 30 * _DAY)

    async def _ended(self, by: Caller, report: Report, action_id: str, at: datetime) -> Report:
        status: ActionStatus = "dropped" if self.number % 4 == 3 else "done"
        growth, change = self.past.at(at).growth, ActionChange(status=status)
        return (await growth.change_action(by, report.report_id, action_id, change)).report

    def _due(self, at: datetime, place: int) -> datetime:
        if self.season and place:
            return self.today + (6 + 9 * self.number) * _DAY
        return at + (40 + 20 * place) * _DAY

    async def _both(self) -> tuple[Caller, Caller]:
        return await self.past.caller(self.manager), await self.past.caller(self.someone)
