"""A company of some size, straight in the tables: thousands of reviews are not what is measured.

Everything is made by the rules that the service has, and all assessments are as long as an autosave
is planned with. The changes of the past are not in the stream any more.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.ladders.extent import NOW, SEASONS, Crew, Extent, Someone, new_id
from benchmarks.ladders.texts import Lengths, feedback, text
from benchmarks.service import DATA
from tablewright.client import AsyncEmbedded, RequestEvent
from tablewright.engine import Engine
from tablewright.model import Entity, definition, put
from tablewright.service.auth import Principal
from tablewright.service.kit import kit_model
from tablewright.service.process import runtime_of
from tablewright.service.settings import Settings
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.fields import Activation, GrowthAction, Ladder
from tablewright.systems.ladders.rules import report_making, scores
from tablewright.systems.ladders.rules.shipped import shipped_text
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.plans.activating import new_assessment
from tablewright.systems.ladders.system import system
from tablewright.values import item_size

OPERATOR = Principal("bench", "Bench", "system", frozenset({"admin"}))
VERSION = "1.0.0"
#: The sizes that are compared; of a quick run.
TIMES, QUICK_TIMES = (1, 10), (1, 2)
KB = 1024
#: What an autosave is planned with.
PLANNED = 15 * KB
#: Entities of one transaction, which has 4 MB.
_AT_ONCE = 90
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class Stored:
    """What is in the tables, without the large team and the newcomers."""

    #: By table.
    items: dict[str, int]
    #: As the database counts them, in bytes.
    table_bytes: int
    index_bytes: int


@dataclass(frozen=True)
class Filled:
    """A data folder to copy; nobody writes to it."""

    extent: Extent
    place: tempfile.TemporaryDirectory[str]
    stored: Stored

    def copied(self, folder: Path) -> None:
        """The same in another folder, for a service."""
        shutil.copytree(Path(self.place.name) / DATA, folder / DATA)

    @property
    def disk_bytes(self) -> int:
        files = (Path(self.place.name) / DATA).rglob("*")
        return sum(each.stat().st_blocks * 512 for each in files if each.is_file())


@cache
def filled(times: int, folder: Path | None) -> Filled:
    """A company so many times as large as planned; filled once, and gone with the process."""
    place = tempfile.TemporaryDirectory(dir=folder)
    extent = Extent(times)
    # Durability is for what is measured; this is what there was before.
    with Engine(Path(place.name) / DATA, durability="relaxed") as engine:
        found = asyncio.run(_fill(engine, extent))
    return Filled(extent, place, found)


@asynccontextmanager
async def company_on(
    engine: Engine,
    *,
    data: Path | None = None,
    heard: list[RequestEvent] | None = None,
    transport: AsyncEmbedded | None = None,
) -> AsyncIterator[Company]:
    """The use cases of a process, without its workers; ``heard`` gets all requests to the store."""
    runtime = runtime_of(
        system, transport or AsyncEmbedded(engine), Settings(data=data), environ={}
    )
    await runtime.db.create_tables(system.model, kit_model)
    if heard is not None:
        runtime.db.context = replace(runtime.db.context, hook=heard.append)
    company = Company(runtime)
    async with company.lifespan():
        yield company


async def caller(company: Company, someone: Someone) -> Caller:
    """Somebody as a caller."""
    claims = {"email": someone.email, "email_verified": True}
    who = Principal(someone.principal_id, someone.name, "user", claims=claims)
    return await company.people.caller(who)


async def laddered(company: Company) -> m.ConfigVersion:
    """The shipped ladder, active."""
    by = await company.people.caller(OPERATOR)
    config = await company.configs.upload(by, VERSION, shipped_text())
    await company.configs.activate(by, config.config_id)
    return config


# --- filling -------------------------------------------------------------------------------------


async def _fill(engine: Engine, extent: Extent) -> Stored:
    async with company_on(engine) as company:
        _stream(engine, on=False)
        config = await laddered(company)
        stage = Stage(company.now(), config.config_id, config.parsed_config)
        await stored(company, stage.people(extent))
        for crew in extent.crews:
            await stored(company, stage.crew(crew))
        found = _found(engine)
        await stored(company, stage.at_it(extent.crowd))
        await stored(company, stage.wordy(extent))
        await stored(company, stage.newcomers(extent))
        _stream(engine, on=True)
    return found


def _stream(engine: Engine, *, on: bool) -> None:
    """What was written while there was none is like what left it a day later."""
    wanted: dict[str, Any] = {"StreamEnabled": on}
    if on:
        wanted["StreamViewType"] = m.assessment_table.stream
    name = _named(engine, m.assessment_table.name)
    engine.call("UpdateTable", {"TableName": name, "StreamSpecification": wanted})


def _named(engine: Engine, table: str) -> str:
    """A table's name in the store."""
    every = engine.call("ListTables", {})["TableNames"]
    return next(str(each) for each in every if each == table or each.endswith(f"-{table}"))


def _found(engine: Engine) -> Stored:
    items, table_bytes, index_bytes = {}, 0, 0
    for table in system.model.tables:
        name = _named(engine, table)
        told = engine.call("DescribeTable", {"TableName": name})["Table"]
        items[table] = int(told["ItemCount"])
        table_bytes += int(told["TableSizeBytes"])
        indexes = told.get("GlobalSecondaryIndexes", [])
        index_bytes += sum(int(each["IndexSizeBytes"]) for each in indexes)
    return Stored(items, table_bytes, index_bytes)


async def stored(company: Company, entities: Iterable[Entity]) -> None:
    """Write them, many at a time."""
    waiting: list[Entity] = []
    for each in entities:
        waiting.append(each)
        if len(waiting) == _AT_ONCE:
            await company.db.transact(*map(put, waiting))
            waiting = []
    if waiting:
        await company.db.transact(*map(put, waiting))


@dataclass(frozen=True)
class Stage:
    """Makes what is in the tables."""

    now: datetime
    config_id: str
    ladder: Ladder

    @property
    def _made(self) -> dict[str, Any]:
        begin = self.now - 300 * _DAY
        by = ids.operator_id(OPERATOR.id)
        return {"created_by": by, "created_at": begin, "updated_at": begin}

    # --- people ----------------------------------------------------------------------------------

    def people(self, extent: Extent) -> Iterator[Entity]:
        teams: dict[Someone, set[str]] = defaultdict(set)
        managed: dict[Someone, set[str]] = defaultdict(set)
        for crew in extent.crews:
            managed[crew.manager].add(crew.team_id)
            for member in crew.members:
                teams[member].add(crew.team_id)
        for each in extent.people:
            yield from self._user(each, teams[each], managed[each])

    def newcomers(self, extent: Extent) -> Iterator[Entity]:
        for each in extent.newcomers:
            user, lock, _ = self._user(each, set(), set())
            yield user.model_copy(update={"subject_hashes": set()})
            yield lock

    def _user(
        self, someone: Someone, teams: set[str], managed: set[str]
    ) -> tuple[m.User, m.EmailLock, m.SubjectLink]:
        """One who has signed in."""
        subject = ids.subject_hash("local", someone.principal_id)
        user = m.User(
            user_id=someone.user_id,
            email=someone.email,
            name=someone.name.replace("-", " ").capitalize(),
            roles={"manager"} if managed else set(),
            team_ids=teams,
            managed_team_ids=managed,
            subject_hashes={subject},
            **self._made,
        )
        lock = m.EmailLock(email=someone.email, owner_id=someone.user_id, **self._made)
        link = m.SubjectLink(subject_hash=subject, owner_id=someone.user_id, **self._made)
        return user, lock, link

    # --- teams -----------------------------------------------------------------------------------

    def crew(self, crew: Crew) -> Iterator[Entity]:
        """A team, a plan that is over and one that is under way, with all their reports."""
        yield self._team(crew)
        for season in SEASONS:
            plan = self._plan(crew, season)
            yield plan
            for member in crew.members:
                empty = self._empty(plan, crew, member)
                own, manager = (self._written(each, crew.lengths) for each in empty)
                yield own
                yield manager
                yield self._report(plan, own, manager)

    def wordy(self, extent: Extent) -> Iterator[Entity]:
        crew = extent.wordy
        yield from self._user(crew.manager, set(), {crew.team_id})
        yield from self._user(crew.members[0], {crew.team_id}, set())
        yield from self.crew(crew)

    def at_it(self, crew: Crew) -> Iterator[Entity]:
        """A team whose members are at it; whoever manages it has not begun."""
        yield from self._user(crew.manager, set(), {crew.team_id})
        for member in crew.members:
            yield from self._user(member, {crew.team_id}, set())
        yield self._team(crew)
        plan = self._plan(crew, NOW)
        yield plan
        for member in crew.members:
            own, manager = self._empty(plan, crew, member)
            yield begun(self._written(own, crew.lengths))
            yield manager

    def _team(self, crew: Crew) -> m.Team:
        return m.Team(
            team_id=crew.team_id,
            team_name=crew.name.capitalize(),
            manager_id=crew.manager.user_id,
            member_ids={each.user_id for each in crew.members},
            open_plan_ids={crew.plan_id()},
            **self._made,
        )

    def _plan(self, crew: Crew, season: str) -> m.Plan:
        under_way = season == NOW
        # No reminder is due: nothing but what is measured is to happen.
        ends = self.now + 30 * _DAY if under_way else self.now - 150 * _DAY
        return m.Plan(
            team_id=crew.team_id,
            season=season,
            plan_name=f"Review {season}",
            start_date=ends - 60 * _DAY,
            end_date=ends,
            status="active" if under_way else "completed",
            config_id=self.config_id,
            config_version=VERSION,
            member_ids={each.user_id for each in crew.members},
            **self._made,
        )

    # --- reviews ---------------------------------------------------------------------------------

    def _empty(
        self, plan: m.Plan, crew: Crew, member: Someone
    ) -> tuple[m.Assessment, m.Assessment]:
        opened = Activation(by=crew.manager.user_id, at=plan.start_date)
        own, manager = (
            new_assessment(plan, self.ladder, member.user_id, kind, crew.manager.user_id, opened)
            for kind in ids.ASSESSMENT_KINDS
        )
        return own, manager

    def _written(self, assessment: m.Assessment, lengths: Lengths) -> m.Assessment:
        """With a level and texts for everything."""
        chance = Random(assessment.assessment_id)
        usual = chance.randrange(2, 6)
        levels = {
            category: {name: usual + chance.randrange(-1, 2) for name in found}
            for category, found in assessment.feedback.items()
        }
        said = {
            category: {
                name: {str(level): feedback(chance, lengths)} for name, level in found.items()
            }
            for category, found in levels.items()
        }
        done = {
            "selections": levels,
            "feedback": said,
            "answered": assessment.total,
            "current_level": scores.calculated_level(levels),
            "goal_level": usual + 1,
            "way_forward": text(chance, lengths.way_forward),
            "status": "submitted",
            "submitted_at": assessment.created_at + 20 * _DAY,
        }
        return assessment.model_copy(update=done)

    def _report(self, plan: m.Plan, own: m.Assessment, manager: m.Assessment) -> m.Report:
        """Released, with two things to do."""
        at = plan.start_date + 40 * _DAY
        # An assessment is stored at its first revision.
        sides = (each.model_copy(update={"revision": 1}) for each in (own, manager))
        mine, theirs = sides
        made = report_making.made(
            plan, self.ladder, mine, theirs, before=None, by=plan.created_by, at=at
        )
        due = self.now + 100 * _DAY
        actions = {
            new_id(made.report_id, number): GrowthAction(
                title=f"Do what number {number} asks for", due_at=due, note="With a colleague."
            )
            for number in range(2)
        }
        done = {
            "status": "released",
            "released_at": at,
            "actions": actions,
            "open_actions": len(actions),
            "next_action_due": due,
        }
        return made.model_copy(update=done)


def begun(assessment: m.Assessment) -> m.Assessment:
    """One that is worked on: everything is said, and nothing is submitted."""
    gone = {"status": "in_progress", "submitted_at": None, "current_level": None}
    return assessment.model_copy(update=gone)


def size_of(assessment: m.Assessment) -> int:
    """Bytes of an item."""
    return item_size(definition(assessment).encode(assessment))
