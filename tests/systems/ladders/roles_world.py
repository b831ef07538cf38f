"""A company in which everybody who can be something to something is there, in every state.

``here`` is reviewed by somebody who has taken it over; its members are each at another point of the
review. ``there`` is managed by an admin, ``side`` by a member of ``there``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeVar

import httpx2
from tests.systems.ladders.assessments.reviews import Review, all_at
from tests.systems.ladders.support import (
    API,
    OPERATOR,
    SEASON,
    START,
    Api,
    Crew,
    again,
    api_on,
    config_made,
    person,
    plan_made,
    team_made,
    token_of,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.growth import ActionIn
from tablewright.systems.ladders.fields import AssessmentStatus, ReportStatus, RoleName
from tablewright.systems.ladders.service.callers import Caller
from tablewright.testing.backends import in_process

R = TypeVar("R")

#: Users with the roles that they have.
PEOPLE: Final[Mapping[str, tuple[RoleName, ...]]] = {
    "ines": ("admin",),
    "mona": ("manager",),
    "fritz": ("manager",),
    "alma": ("admin", "manager"),
    "mia": ("manager",),
    "ama": ("admin",),
    "iris": ("admin",),
    **dict.fromkeys(("lina", "mate", "rita", "stan", "leaver", "mover"), ()),
    **dict.fromkeys(("late", "otto", "nils"), ()),
    "loner": ("team_member",),
}
MANAGERS: Final = {"here": "mona", "there": "alma", "side": "mia"}
MEMBERS: Final = {
    "here": frozenset(("lina", "mate", "rita", "stan", "ama", "iris", "late")),
    "there": frozenset(("otto", "mia")),
    "side": frozenset(("nils", "mover")),
}
#: Who has left ``here`` for another team since: whoever manages that one answers for them.
MOVED: Final = {"mover": "side"}
#: Who takes part in the plans of ``here``, and in that of ``there``.
ROSTERS: Final = {
    "here": MEMBERS["here"] - {"late"} | {"leaver", "mover"},
    "there": MEMBERS["there"],
}
#: Those who act for nobody in the company: by the issuer's word, and by a key.
OPERATORS: Final = ("operator", "program")
#: Everybody who is let in.
CALLERS: Final = (*PEOPLE, *OPERATORS)
#: Everybody who is not, and what they are told.
OUTSIDE: Final = {
    "nobody": (401, "UNAUTHENTICATED"),
    "nonsense": (401, "UNAUTHENTICATED"),
    "uninvited": (403, "NOT_INVITED"),
    "unverified": (403, "EMAIL_UNVERIFIED"),
    "inactive": (403, "USER_INACTIVE"),
}


class Point(NamedTuple):
    """How far the review of a member is."""

    team: str
    own: AssessmentStatus
    manager: AssessmentStatus
    report: ReportStatus | None = None


POINTS: Final[Mapping[str, Point]] = {
    "lina": Point("here", "in_progress", "in_progress"),
    "mate": Point("here", "submitted", "submitted", "generated"),
    "rita": Point("here", "submitted", "submitted", "released"),
    "ama": Point("here", "submitted", "submitted", "released"),
    # Administrators about whom there is something, too.
    "iris": Point("here", "submitted", "submitted", "generated"),
    "mover": Point("here", "submitted", "submitted", "released"),
    # Not in the team any more; and still the one whom it is about.
    "leaver": Point("here", "submitted", "submitted", "acknowledged"),
    "stan": Point("here", "in_progress", "submitted", "stale"),
    "otto": Point("there", "not_started", "not_started"),
}


@dataclass
class World:
    """The service, and the ids of what there is."""

    api: Api
    engine: Engine
    users: dict[str, str]
    teams: dict[str, str]
    #: ``here`` and ``there`` are under way; ``draft`` and ``past`` are of ``here``.
    plans: dict[str, str]
    #: ``active``, ``old``, which only ``here`` was reviewed by, and ``unused``.
    configs: dict[str, str]
    #: A growth action of each report that has one, by member.
    actions: dict[str, str]
    headers: dict[str, dict[str, str]]

    async def ask(
        self, who: str, method: str, path: str, body: object = None, **headers: str
    ) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent: dict[str, Any] = {} if body is None else {"json": body}
        return await self.api.http.request(
            method, f"{API}{path}", headers=self.headers[who] | named, **sent
        )

    def stored(self) -> Stored:
        """Everything that there is."""
        return {name: self._items(name) for name in self._keys}

    def _items(self, table: str) -> dict[str, dict[str, Any]]:
        page = self.engine.call("Scan", {"TableName": table})
        assert "LastEvaluatedKey" not in page
        return {str([item[key] for key in self._keys[table]]): item for item in page["Items"]}

    @cached_property
    def _keys(self) -> dict[str, list[str]]:
        """What the keys of each table are called."""
        names = self.engine.call("ListTables", {})["TableNames"]
        found = {each: self.engine.call("DescribeTable", {"TableName": each}) for each in names}
        return {
            name: [part["AttributeName"] for part in each["Table"]["KeySchema"]]
            for name, each in found.items()
        }

    def restore(self, before: Stored) -> None:
        """As if nothing had been done since."""
        for table, now in self.stored().items():
            was = before[table]
            for item in (now[key] for key in now.keys() - was.keys()):
                gone = {name: item[name] for name in self._keys[table]}
                self.engine.call("DeleteItem", {"TableName": table, "Key": gone})
            for item in (each for key, each in was.items() if now.get(key) != each):
                self.engine.call("PutItem", {"TableName": table, "Item": item})


#: By table and key.
Stored = dict[str, dict[str, dict[str, Any]]]


@dataclass(frozen=True)
class Place:
    """A world, and the loop that it lives in."""

    world: World
    runner: asyncio.Runner

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        return self.runner.run(work)


@contextmanager
def placed() -> Iterator[Place]:
    """One for several tests."""
    with asyncio.Runner() as runner:
        opened = AsyncExitStack()
        try:
            yield Place(runner.run(opened.enter_async_context(world())), runner)
        finally:
            runner.run(opened.aclose())


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    clock = ManualClock(START)
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        async with api_on(backend, clock) as api:
            made = await _Making(api, engine).all()
            # The first use of a key is noted with it.
            assert (await made.ask("program", "GET", "/me")).is_success
            yield made


class _Making:
    def __init__(self, api: Api, engine: Engine) -> None:
        self._api, self._company, self._engine = api, api.company, engine
        self._people: dict[str, Caller] = {}
        self._actions: dict[str, str] = {}

    async def all(self) -> World:
        for name, roles in PEOPLE.items():
            self._people[name] = await user_made(self._company, name, *roles)
        inactive = await user_made(self._company, "inactive")
        await self._company.people.deactivate(self._people["ines"], inactive.user_id)
        configs = {"old": (await config_made(self._company, "1.0.0")).config_id}
        teams = self._teams = {name: await self._team(name) for name in MANAGERS}
        past = await plan_made(self._company, teams["here"], "2025-H2", "completed")
        configs["active"] = (await config_made(self._company, "2.0.0")).config_id
        unused = await config_made(self._company, "3.0.0", active=False)
        plans = {
            "past": past,
            "here": await plan_made(self._company, teams["here"], SEASON),
            "there": await plan_made(self._company, teams["there"], SEASON),
            "draft": await plan_made(self._company, teams["here"], "2027-H1", "draft"),
        }
        await self._handed_over(teams["here"])
        for name in POINTS:
            await self._reviewed(name, teams, plans)
        await self._moved(teams["here"])
        return World(
            self._api,
            self._engine,
            {name: each.user_id for name, each in self._people.items()}
            | {"inactive": inactive.user_id},
            {name: each.team_id for name, each in teams.items()},
            {name: each.plan_id for name, each in plans.items()},
            {**configs, "unused": unused.config_id},
            self._actions,
            await self._headers(),
        )

    async def _team(self, name: str) -> m.Team:
        """``here`` belongs to who manages it no more, with who has left it since."""
        first = "fritz" if name == "here" else MANAGERS[name]
        inside = ROSTERS["here"] if name == "here" else MEMBERS[name] - MOVED.keys()
        members = [self._people[each] for each in sorted(inside)]
        return await team_made(self._company, self._people[first], *members)

    async def _handed_over(self, team: m.Team) -> None:
        ines, mona = self._people["ines"], self._people["mona"]
        await self._company.teams.assign_manager(ines, team.team_id, mona.user_id)
        for name, each in self._people.items():
            self._people[name] = await again(self._company, each)

    async def _reviewed(
        self, name: str, teams: Mapping[str, m.Team], plans: Mapping[str, m.Plan]
    ) -> None:
        point = POINTS[name]
        manager = self._people[MANAGERS[point.team]]
        crew = Crew(teams[point.team], manager, (self._people[name],))
        review = Review(self._company, crew, plans[point.team])
        if point.own == "not_started":
            return
        if point.report is None:
            await review.save(all_at(3))
            await review.save(all_at(3), "manager")
            return
        await review.both()
        await self._reported(name, review, point)

    async def _reported(self, name: str, review: Review, point: Point) -> None:
        reports = self._company.reports
        if point.report != "generated":
            await reports.release(review.manager, review.report_id)
            due = self._company.now() + timedelta(days=30)
            body = ActionIn(title="Lead a project", due_at=due)
            added = await self._company.growth.add_action(review.member, review.report_id, body)
            self._actions[name] = added.action_id
        if point.report == "acknowledged":
            await reports.acknowledge(review.member, review.report_id, None)
        if point.report == "stale":
            reopen = self._company.assessments.reopen
            await reopen(review.manager, review.id("self"), "Something was forgotten.")

    async def _moved(self, team: m.Team) -> None:
        """Who came and who went while it was under way."""
        teams, mona = self._company.teams, self._people["mona"]
        await teams.add_members(mona, team.team_id, [self._people["late"].user_id])
        gone = [self._people[each].user_id for each in ("leaver", *MOVED)]
        await teams.remove_members(mona, team.team_id, gone)
        for name, to in MOVED.items():
            await teams.add_members(
                self._people["ines"], self._teams[to].team_id, [self._people[name].user_id]
            )

    async def _headers(self) -> dict[str, dict[str, str]]:
        runtime = self._api.runtime
        _, key = await runtime.auth.api_keys.create(OPERATOR, name="program", roles=["admin"])
        signed = {
            **{name: each.principal for name, each in self._people.items()},
            "operator": OPERATOR,
            "uninvited": person("uninvited"),
            "unverified": person("unverified", verified=False),
            "inactive": person("inactive"),
        }
        texts = {name: token_of(runtime, each) for name, each in signed.items()}
        texts |= {"program": key, "nonsense": "nonsense"}
        return {
            "nobody": {},
            **{name: {"Authorization": f"Bearer {text}"} for name, text in texts.items()},
        }
