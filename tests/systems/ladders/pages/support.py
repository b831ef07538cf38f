"""Ladders with its pages behind a port, and a team that is reviewed.

Nobody works in the background, and the clock stands still: what tests see is what they have done.
Demo people sign in as ``demo-lina``, ``demo-omar`` and so on; all of them are invited.
"""

from __future__ import annotations

import re
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from uuid import uuid4

import httpx2
from tests.console.reading import fields_of
from tests.console.support import Browser
from tests.service.support import Running, running
from tests.systems.ladders.support import START, config_made, plan_made, system, team_made

from tablewright.clock import ManualClock
from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.auth import DemoPerson, Principal
from tablewright.service.preconditions import Precondition
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.assessments import ChangeIn, SaveIn
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE
from tablewright.systems.ladders.fields import AssessmentType, Ladder, RoleName
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.testing.backends import Backend

R = TypeVar("R")

BASE = "/ladders"
#: What somebody could call themselves, or write as evidence.
HOSTILE = '<img src=x onerror="alert(1)">'
#: Who is what; all others are members.
_ROLES: dict[str, RoleName] = {"ines": "admin", "omar": "manager", "judith": "manager"}
_PATIENT = {"TABLEWRIGHT_LADDERS_REQUESTS_PER_MINUTE": "1000000"}


@dataclass
class Office:
    """The service, its use cases, and who works there."""

    service: Running
    company: Company
    clock: ManualClock
    people: dict[str, str] = field(default_factory=dict)

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        """In the loop of the service."""
        return self.service.do(work)

    def caller(self, name: str) -> Caller:
        """Somebody as they are now: ``lina``."""

        async def read() -> Caller:
            user = await self.company.db.require(m.user(self.people[name]))
            principal = Principal(id=f"user:demo-{name}", name=name, kind="user")
            return Caller(principal, user)

        return self.do(read())

    def team(self, manager: str, *members: str, **fields: Any) -> m.Team:
        callers = [self.caller(each) for each in members]
        return self.do(team_made(self.company, self.caller(manager), *callers, **fields))


@dataclass(frozen=True)
class Review:
    """A plan under way, of a team of one's own."""

    office: Office
    team: m.Team
    plan: m.Plan
    ladder: Ladder

    def assessment_id(self, member: str, kind: AssessmentType = "self") -> str:
        return ids.assessment_id(self.plan.plan_id, self.office.people[member], kind)

    def assessment(self, member: str, kind: AssessmentType = "self") -> str:
        """Where its page is."""
        return f"{BASE}/assessments/{self.assessment_id(member, kind)}"

    def stored(self, member: str, kind: AssessmentType = "self") -> m.Assessment:
        found = m.assessment(self.assessment_id(member, kind))
        return self.office.do(self.office.company.db.require(found))

    def report(self, member: str) -> str:
        return f"{BASE}/reports/{ids.report_id(self.plan.plan_id, self.office.people[member])}"

    def answer(
        self, member: str, by: str, level: int = 3, evidence: str = "Shipped it.", **levels: int
    ) -> None:
        """All of an assessment, submitted: ``levels`` are those of single competencies."""
        kind: AssessmentType = "self" if member == by else "manager"
        self.office.do(
            self._answered(member, self.office.caller(by), kind, level, evidence, levels)
        )

    async def _answered(
        self,
        member: str,
        by: Caller,
        kind: AssessmentType,
        level: int,
        evidence: str,
        levels: Mapping[str, int],
    ) -> None:
        found, company = self.assessment_id(member, kind), self.office.company
        stored = await company.db.require(m.assessment(found))
        changes = [
            ChangeIn(
                category=category.name,
                competency=each.name,
                level=levels.get(each.name.lower(), level),
                evidence=evidence,
                next_level_feedback="Go on.",
            )
            for category in self.ladder.categories
            for each in category.competencies
        ]
        seen = Precondition.seen(stored.revision)
        await company.assessments.save(by, found, SaveIn(changes=changes), seen)
        await company.assessments.submit(by, found)

    def reported(self, member: str, manager: str, **levels: int) -> str:
        """Both sides are in, and so is the report; where its page is."""
        self.answer(member, member, 3)
        self.answer(member, manager, 3, **levels)
        by, about = self.office.caller(manager), self.office.people[member]
        self.office.do(self.office.company.reports.build(by, self.plan.plan_id, about))
        return self.report(member)


def review_made(
    office: Office, manager: str, *members: str, season: str = "2026-H2", **fields: Any
) -> Review:
    """A team of its own, and a plan under way."""
    team = office.team(manager, *members)
    plan = office.do(plan_made(office.company, team, season, **fields))
    ladder = office.do(office.company.configs.ladder(plan))
    return Review(office, team, plan, ladder)


@contextmanager
def pages_of(
    backend: Backend,
    steps: Ladder | None = None,
    *,
    invited: Sequence[DemoPerson] = DEMO_PEOPLE,
) -> Iterator[Office]:
    """The pages; everybody is invited, and there is a ladder."""
    clock = ManualClock(START)
    built: dict[int, Parts] = {}

    def build(runtime: Runtime) -> Parts:
        # The console and the process share one, as they do outside of tests.
        return built.setdefault(id(runtime), system.build(runtime))

    shared = replace(system, build=build)

    def front(runtime: Runtime) -> Console:
        return Console({shared: (runtime, build(runtime))}, runtime.settings, Assets())

    with running(
        shared, backend, clock=clock, environ=_PATIENT, front=front, workers=False
    ) as service:
        # The very use cases that the pages call.
        company = getattr(build(service.runtime).lifespan, "__self__")  # noqa: B009
        office = Office(service, company, clock)
        for each in invited:
            office.people[_short(each)] = service.do(_invited(company, each))
        service.do(config_made(company, steps=steps))
        yield office


def _short(person: DemoPerson) -> str:
    return person.name.split()[0].lower()


async def _invited(company: Company, person: DemoPerson) -> str:
    now, user_id = company.now(), str(uuid4())
    role = _ROLES.get(_short(person))
    user = m.User(
        user_id=user_id,
        email=person.email,
        name=person.name,
        roles={role} if role else set(),
        created_by=user_id,
        created_at=now,
        updated_at=now,
    )
    await company.db.run(m.invite_user(user))
    return user_id


@contextmanager
def signed_in(office: Office, user: str = "") -> Iterator[Browser]:
    """The browser of a demo user, such as ``lina``; without one, of who has not signed in."""
    browser = Browser(office.service)
    with browser.client:
        if user:
            answer = browser.client.post("/auth/sign-in", data={"user": f"demo-{user}"})
            assert answer.status_code == 303, answer.text
        yield browser


def typed_into(page: httpx2.Response, form: str) -> dict[str, str]:
    """What a form would send as it is, of each group of radio buttons the one that is chosen."""
    values = {name: text.strip() for name, text in fields_of(page, form).items()}
    for tag in re.findall(r'<input[^>]*type="radio"[^>]* checked>', page.text):
        name, value = (re.search(rf'{each}="([^"]*)"', tag) for each in ("name", "value"))
        assert name is not None
        assert value is not None
        values[name[1]] = value[1]
    return values


def done(answer: httpx2.Response, to: str = "") -> httpx2.Response:
    """That a form did its work, and where it leads."""
    assert answer.status_code == 303, answer.text[:2000]
    assert not to or answer.headers["location"] == to
    return answer
