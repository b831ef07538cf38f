"""Kurukshetra with its pages behind a port, and events to take part in.

Nobody works in the background, and the clock stands still: what tests see is what they have done.
Demo people sign in as ``demo-asha``, ``demo-ravi`` and so on; their addresses are verified.
"""

from __future__ import annotations

from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx2
from tests.console.support import Browser
from tests.service.support import Running, running
from tests.systems.kurukshetra.support import START, event_made

from tablewright.clock import ManualClock
from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.service.runtime import Runtime
from tablewright.service.system import Parts
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system
from tablewright.testing.backends import Backend

R = TypeVar("R")

BASE = "/kurukshetra"
#: A test's minute may be long.
_PATIENT = {
    f"TABLEWRIGHT_KURUKSHETRA_{name}_PER_MINUTE": "1000000"
    for name in ("REQUESTS", "ADMIN_REQUESTS", "REGISTRATIONS")
}


@dataclass
class Ground:
    """The service, and its use cases."""

    service: Running
    festival: Festival
    clock: ManualClock

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        """In the loop of the service."""
        return self.service.do(work)

    def event(self, event_id: str, **config: Any) -> str:
        """A new event; where its pages are."""
        self.do(event_made(self.festival, event_id, **{"event_name": named(event_id), **config}))
        return f"{BASE}/events/{event_id}"


def named(event_id: str) -> str:
    return event_id.replace("-", " ").title()


@contextmanager
def pages_of(backend: Backend, **options: str) -> Iterator[Ground]:
    """The pages; ``options`` are kurukshetra's own settings, as the environment names them."""
    clock = ManualClock(START)
    built: dict[int, Parts] = {}

    def build(runtime: Runtime) -> Parts:
        # The console and the process share one, as they do outside of tests.
        return built.setdefault(id(runtime), system.build(runtime))

    shared = replace(system, build=build)

    def front(runtime: Runtime) -> Console:
        return Console({shared: (runtime, build(runtime))}, runtime.settings, Assets())

    environ = {**_PATIENT, **options}
    with running(
        shared, backend, clock=clock, environ=environ, front=front, workers=False
    ) as service:
        # The very use cases that the pages call: they have the gateway's sandbox.
        festival = getattr(build(service.runtime).lifespan, "__self__")  # noqa: B009
        yield Ground(service, festival, clock)


@contextmanager
def signed_in(ground: Ground, user: str = "") -> Iterator[Browser]:
    """The browser of a demo user, such as ``asha``; without one, of who has not signed in."""
    browser = Browser(ground.service)
    with browser.client:
        if user:
            answer = browser.client.post("/auth/sign-in", data={"user": f"demo-{user}"})
            assert answer.status_code == 303, answer.text
        yield browser


# --- what people do ------------------------------------------------------------------------------


def done(answer: httpx2.Response, to: str = "") -> httpx2.Response:
    """That a form did its work, and where it leads."""
    assert answer.status_code == 303, answer.text[:2000]
    assert not to or answer.headers["location"] == to
    return answer


def register(browser: Browser, event: str, first_name: str, **team: str) -> None:
    """All steps; ``mode`` says how somebody takes part."""
    you = {"first_name": first_name, "student_status": "1"}
    done(browser.post(f"{event}/register/you", you), f"{event}/register/team")
    chosen = {"track": "ai-ml", **team}
    done(browser.post(f"{event}/register/team", chosen), f"{event}/register/terms")
    done(browser.post(f"{event}/register/terms", {"terms": "1"}))


def code_of(browser: Browser, event: str) -> str:
    """The invite code on the team's page."""
    page = browser.get(f"{event}/team").text
    return page.partition('id="invite-code">')[2].partition("<")[0]


def team_up(leader: Browser, member: Browser, event: str, name: str) -> None:
    """A team of two, who register for it."""
    register(leader, event, "Asha", mode="found", name=name)
    register(member, event, "Ravi", mode="join", code=code_of(leader, event))
