"""The demo, through the use cases. A second attempt finds what the first one has left."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from tablewright.service.auth import Principal
from tablewright.systems.ladders import ids, reads
from tablewright.systems.ladders.entities import Plan, Team
from tablewright.systems.ladders.fields import Ladder
from tablewright.systems.ladders.live_demo.acting import Acting
from tablewright.systems.ladders.live_demo.cast import (
    CREWS,
    INES,
    NEWCOMERS,
    STAFF,
    YUSUF,
    Crew,
    Someone,
)
from tablewright.systems.ladders.live_demo.past import Past
from tablewright.systems.ladders.rules.ladder_text import parse, written
from tablewright.systems.ladders.rules.shipped import shipped_text
from tablewright.systems.ladders.service.plans import Draft

if TYPE_CHECKING:
    from tablewright.systems.ladders.service.callers import Caller
    from tablewright.systems.ladders.service.company import Company

log = logging.getLogger("tablewright.ladders")

_DAY: Final = timedelta(days=1)
#: So long ago the company began.
_AGO: Final = 400 * _DAY
#: When the review that is on was opened, and when it ends.
_OPENED, _LEFT = 18 * _DAY, 12 * _DAY
_OLD, _NEW = "1.0.0", "2.0.0"
#: Who sets a place up: the demo's own operator.
_OPERATOR: Final = Principal("demo", "Demo", "system", frozenset({"admin"}))


async def fill(company: Company) -> None:
    """Ladders, people, three teams, a season that is over and one that is on."""
    if await is_there(company):
        return
    today = await _today(company)
    if today is None:
        log.warning("the demo is left out: there is a ladder already, and it is not the demo's")
        return
    # Reports are made then, not now by a worker that is quicker.
    with company.reports.by_hand():
        await _told(Past(company), today)


async def _told(past: Past, today: datetime) -> None:
    await _old_ladder(past, today)
    await _people(past, today)
    for crew in CREWS:
        team = await _team(past, crew, today)
        await _last_season(past, crew, team, today)
    await _new_ladder(past, today)
    for crew in CREWS:
        team = await _team(past, crew, today)
        past.at(today - 55 * _DAY)
        team = await _joined(past, crew, team, crew.members)
        await _this_season(past, crew, team, today)
    await _invited(past.at(today), await past.caller(INES), YUSUF)


async def is_there(company: Company) -> bool:
    """Whether it is complete: who is invited last is there."""
    return await company.db.run(reads.email_lock(YUSUF.email)) is not None


async def _today(company: Company) -> datetime | None:
    """When the demo was begun: its first ladder tells. None if somebody else's is there."""
    first = await company.configs.by_version(_OLD)
    if first is None:
        return company.now() if await company.configs.pointer() is None else None
    own = first.created_by == ids.operator_id(_OPERATOR.id)
    return first.created_at + _AGO if own else None


# --- ladders -------------------------------------------------------------------------------------


async def _old_ladder(past: Past, today: datetime) -> None:
    company = past.at(today - _AGO)
    by = await company.people.caller(_OPERATOR)
    await _version(company, by, _OLD, written(_earlier()))
    if await company.configs.pointer() is None:
        await company.configs.activate(by, ids.config_id(_OLD))


async def _new_ladder(past: Past, today: datetime) -> None:
    by = await past.caller(INES)
    await _version(past.at(today - 24 * _DAY), by, _NEW, shipped_text())
    company = past.at(today - 20 * _DAY)
    pointer = await company.configs.pointer()
    if pointer is not None and pointer.previous_config_id is None:
        await company.configs.activate(by, ids.config_id(_NEW))


async def _version(company: Company, by: Caller, version: str, text: str) -> None:
    if await company.configs.by_version(version) is None:
        await company.configs.upload(by, version, text)


def _earlier() -> Ladder:
    """The ladder as it was: without one competency, and with less to say in another."""
    ladder = parse(shipped_text()).ladder
    assert ladder is not None
    for category in ladder.categories:
        category.competencies = [
            each for each in category.competencies if each.name != "Prioritisation"
        ]
    for level in ladder.categories[0].competencies[0].levels:
        level.detail = None
    first = ladder.categories[-1].competencies[-1].levels[0]
    first.description = "Takes part in interviews, and writes down what was said."
    return ladder


# --- people and teams ----------------------------------------------------------------------------


async def _people(past: Past, today: datetime) -> None:
    company = past.at(today - _AGO)
    operator = await company.people.caller(_OPERATOR)
    await _invited(company, operator, INES)
    ines = await past.caller(INES)
    for each in (*STAFF, *(one for crew in CREWS for one in crew.members)):
        late = each in NEWCOMERS
        await _invited(past.at(today - (60 * _DAY if late else _AGO - _DAY)), ines, each)
        await past.caller(each)


async def _invited(company: Company, by: Caller, someone: Someone) -> None:
    if await company.db.run(reads.email_lock(someone.email)) is None:
        await company.people.create(by, someone.email, someone.name, someone.roles)


async def _team(past: Past, crew: Crew, today: datetime) -> Team:
    """The team, with those who were there from the beginning."""
    ines, manager = await past.caller(INES), await past.caller(crew.manager)
    company = past.at(today - _AGO + 5 * _DAY)
    found = await _named(company, crew.name)
    if found is None:
        made = await company.teams.create(ines, crew.name, crew.about, manager.user_id)
        found = made.team
    return await _joined(past, crew, found, set(crew.members) - set(NEWCOMERS))


async def _named(company: Company, name: str) -> Team | None:
    every = company.db.iterate(reads.all_teams())
    return next(iter([each async for each in every if each.team_name == name]), None)


async def _joined(past: Past, crew: Crew, team: Team, people: Iterable[Someone]) -> Team:
    wanted = [(await past.caller(each)).user_id for each in people]
    if team.member_ids.issuperset(wanted):
        return team
    manager = await past.caller(crew.manager)
    return (await past.company.teams.add_members(manager, team.team_id, wanted)).team


# --- seasons -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Half:
    """Half a year."""

    year: int
    half: int

    @classmethod
    def of(cls, moment: datetime) -> _Half:
        return cls(moment.year, 1 if moment.month <= 6 else 2)

    @property
    def before(self) -> _Half:
        return _Half(self.year, 1) if self.half == 2 else _Half(self.year - 1, 2)

    @property
    def begins(self) -> datetime:
        return datetime(self.year, 1 if self.half == 1 else 7, 1, tzinfo=UTC)

    @property
    def season(self) -> str:
        return f"{self.year}-H{self.half}"

    @property
    def named(self) -> str:
        return f"{'Spring' if self.half == 1 else 'Autumn'} review {self.year}"


def _halves(today: datetime) -> tuple[_Half, _Half]:
    """The season that is over, and the one that is on."""
    now = _Half.of(today - _OPENED)
    return now.before, now


async def _last_season(past: Past, crew: Crew, team: Team, today: datetime) -> None:
    over, now = _halves(today)
    starts = now.begins - 45 * _DAY
    draft = Draft(over.season, over.named, starts, now.begins - 12 * _DAY)
    plan = await _plan(past, crew, team, draft, starts - 3 * _DAY)
    if plan.status == "draft":
        plan = await _opened(past, crew, plan, starts)
    if plan.status != "active":
        return
    for number, (someone, stage) in enumerate(crew.before.items()):
        await Acting(past, plan, someone, crew.manager, -1, number, today).go_to(stage)
    manager = await past.caller(crew.manager)
    await past.at(now.begins - 10 * _DAY).plans.complete(manager, plan.plan_id)


async def _this_season(past: Past, crew: Crew, team: Team, today: datetime) -> None:
    _, now = _halves(today)
    starts = (today - _OPENED).replace(hour=0, minute=0, second=0, microsecond=0)
    if not crew.now:
        starts = (today + 2 * _DAY).replace(hour=0, minute=0, second=0, microsecond=0)
    about = "Half a year at a time: what you did, what it shows, and what comes next."
    ends = starts + _OPENED + _LEFT
    draft = Draft(now.season, now.named, starts, ends, about, require_all=False)
    plan = await _plan(past, crew, team, draft, min(today, starts) - 2 * _DAY)
    if not crew.now:
        return
    if plan.status == "draft":
        plan = await _opened(past, crew, plan, starts + _DAY / 3)
    for number, (someone, stage) in enumerate(crew.now.items()):
        if plan.status == "active":
            await Acting(past, plan, someone, crew.manager, 0, number, today).go_to(stage)


async def _plan(past: Past, crew: Crew, team: Team, draft: Draft, at: datetime) -> Plan:
    company, manager = past.at(at), await past.caller(crew.manager)
    plan_id = ids.plan_id(team.team_id, draft.season)
    found = await company.db.run(reads.plan(plan_id))
    if found is not None:
        return found
    return (await company.plans.draft(manager, team.team_id, draft)).plan


async def _opened(past: Past, crew: Crew, plan: Plan, at: datetime) -> Plan:
    manager = await past.caller(crew.manager)
    return (await past.at(at).plans.activate(manager, plan.plan_id)).plan
