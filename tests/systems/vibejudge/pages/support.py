"""Vibejudge with its pages behind a port, and hackathons of the demo's organiser.

One is open with two teams, one completed with three that have scores, one a draft; one belongs to
somebody else. Nobody works in the background, and the clock stands still: what tests see is what
they have done.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from tests.console.support import Browser
from tests.service.support import Running, running
from tests.systems.vibejudge.support import AS_ADMIN, START, moved, organizer, submission, wanted

from tablewright.clock import ManualClock
from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.runtime import Runtime
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.live_demo.cast import ORGANIZER
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system
from tablewright.testing.backends import Backend

R = TypeVar("R")

BASE = "/vibejudge"
SHA = "0123456789abcdef0123456789abcdef01234567"
#: Teams of the completed hackathon, the best first.
SCORES = {"Alder": Decimal("81.25"), "Birch": Decimal("70.00"), "Cedar": Decimal("45.50")}


@dataclass
class Court:
    """The service, other use cases on its tables, and what was there before the first request."""

    service: Running
    courtroom: Courtroom
    clock: ManualClock
    #: The demo's organiser, who signs in as ``demo-organizer``.
    caller: Caller
    #: By a word: open, completed, draft, foreign.
    hackathons: dict[str, HackathonDetail] = field(default_factory=dict)
    #: By the names of their teams.
    submissions: dict[str, Submission] = field(default_factory=dict)

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        """In the loop of the service."""
        return self.service.do(work)

    def path(self, which: str, rest: str = "") -> str:
        """A page of a hackathon: ``path("open", "/submissions")``."""
        return f"{BASE}/hackathons/{self.hackathons[which].hack_id}{rest}"

    def team(self, name: str, rest: str = "") -> str:
        """A page of a submission."""
        found = self.submissions[name]
        return f"{BASE}/hackathons/{found.hack_id}/submissions/{found.sub_id}{rest}"

    def hackathon(self, which: str) -> HackathonDetail:
        """As it is now."""
        found = self.do(self.courtroom.db.run(reads.hackathon(self.hackathons[which].hack_id)))
        assert found is not None
        return found

    def planned(self, name: str, **said: Any) -> HackathonDetail:
        """One more of the organiser's, open and public, for a test that changes it."""
        return self.do(_opened(self.courtroom, self.caller, wanted(name, **said)))


async def _opened(courtroom: Courtroom, caller: Caller, body: HackathonIn) -> HackathonDetail:
    made = await courtroom.hackathons.create(caller, body)
    return await courtroom.hackathons.activate(caller, made.hack_id)


async def registered(courtroom: Courtroom) -> Caller:
    body = OrganizerIn(email="harriet@people.test", name="Harriet Moor", organization="Harbour")
    made = await courtroom.organizers.register(body, ORGANIZER)
    await courtroom.organizers.set_tier(AS_ADMIN, made.organizer.org_id, "premium")
    return Caller(ORGANIZER, made.organizer.org_id)


async def fill(court: Court) -> None:
    courtroom, caller = court.courtroom, court.caller
    found, teams = court.hackathons, court.submissions
    found["open"] = await _opened(courtroom, caller, wanted("Open Jam", visibility="public"))
    for name in ("Night Owls", "Larks"):
        teams[name] = await submission(courtroom, found["open"], name)
    body = wanted("Done Jam", visibility="public", description="It was <b>good</b>.")
    found["completed"] = await _opened(courtroom, caller, body)
    for name, score in SCORES.items():
        teams[name] = await submission(
            courtroom,
            found["completed"],
            name,
            status="completed",
            frozen_sha=SHA,
            overall_score=score,
            rank_score=score,
            confidence=Decimal("0.9"),
        )
    found["completed"] = await moved(courtroom, found["completed"], "completed")
    found["draft"] = await courtroom.hackathons.create(
        caller, wanted("Draft Jam", start_date=None, end_date=None)
    )
    other = await organizer(courtroom, "otto")
    found["foreign"] = await _opened(courtroom, other, wanted("Foreign Jam"))
    teams["Foreigners"] = await submission(courtroom, found["foreign"], "Foreigners")


@contextmanager
def pages_of(backend: Backend, *, filled: bool = True, **settings: Any) -> Iterator[Court]:
    """The pages, with something in them or with nobody registered."""
    clock = ManualClock(START)

    def front(runtime: Runtime) -> Console:
        return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())

    serving = running(system, backend, clock=clock, front=front, workers=False, **settings)
    with serving as service:
        courtroom = Courtroom(service.runtime)
        court = Court(service, courtroom, clock, Caller(ORGANIZER))
        if filled:
            court.caller = service.do(registered(courtroom))
            service.do(fill(court))
        yield court


@contextmanager
def as_role(court: Court, role: str) -> Iterator[Browser]:
    """The browser of a demo user; without a role, of somebody who has not signed in."""
    browser = Browser(court.service)
    with browser.client:
        if role:
            answer = browser.client.post("/auth/sign-in", data={"user": f"demo-{role}"})
            assert answer.status_code == 303, answer.text
        yield browser
