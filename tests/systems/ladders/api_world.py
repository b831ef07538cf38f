"""The whole of ladders behind a port, with a team that is reviewed, and all who can call.

Nothing goes on beside requests, and the time stands still unless a test moves it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Final, TypeVar

import httpx2
from tests.service.support import Running, running
from tests.systems.ladders.assessments.reviews import Review, review_made
from tests.systems.ladders.plans.support import draft
from tests.systems.ladders.support import (
    API,
    OPERATOR,
    START,
    Crew,
    config_made,
    crew_made,
    person,
    plan_made,
    team_made,
    token_of,
    user_made,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.app import Front
from tablewright.service.auth import Principal
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import handle_of
from tablewright.service.runtime import Runtime
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.fields import PlanStatus, RoleName
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.system import system
from tablewright.testing import in_process

R = TypeVar("R")

#: Of the team that is asked about: who is reviewed, by whom, and who is beside them.
MANAGER, MEMBER, COLLEAGUE = "manager", "member", "colleague"
#: Manages another team, and is a member of a third one.
FOREIGNER: Final = "foreigner"
#: A key with the role of an admin, and somebody whom the issuer makes one: no users of the company.
PROGRAM, OPERATED = "program", "operator"
#: Everybody who can come; nobody has invited the stranger.
WHO: Final = (
    *("admin", OPERATED, PROGRAM, MANAGER, MEMBER, COLLEAGUE, FOREIGNER),
    *("stranger", "nobody", "nonsense"),
)
_WIDE: Final = 1_000_000


@dataclass
class World:
    """A running service, and what there is in it."""

    service: Running
    http: httpx2.Client
    #: Use cases on the same tables.
    company: Company
    engine: Engine
    clock: ManualClock
    people: dict[str, Principal] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    # --- asking ----------------------------------------------------------------------------------

    def headers(self, who: str) -> dict[str, str]:
        """How somebody proves who they are."""
        if who == "nobody":
            return {}
        if who in self.people:
            return self.signed(self.people[who])
        return {"Authorization": f"Bearer {self.keys.get(who, who)}"}

    def signed(self, who: Principal) -> dict[str, str]:
        return {"Authorization": f"Bearer {token_of(self.service.runtime, who)}"}

    def ask(
        self, method: str, path: str, body: Any = None, who: str = "admin", **headers: str
    ) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {} if body is None else {"json": body}
        return self.http.request(method, f"{API}{path}", headers=self.headers(who) | named, **sent)

    def done(
        self, method: str, path: str, body: Any = None, who: str = "admin", **said: str
    ) -> Any:
        """What somebody is answered who may."""
        answer = self.ask(method, path, body, who, **said)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        return self.service.do(work)

    def rest(self) -> None:
        """A minute goes by: nobody has asked too often."""
        self.clock.advance(60)

    # --- people and teams ------------------------------------------------------------------------

    def user(self, *roles: RoleName) -> Caller:
        """Somebody new, in no team."""
        return self.do(user_made(self.company, None, *roles))

    def crew(self) -> Crew:
        """A new team; from now on its people are who is called manager, member and colleague."""
        return self._known(self.do(crew_made(self.company)))

    def _known(self, crew: Crew) -> Crew:
        self.people[MANAGER] = crew.manager.principal
        self.people[MEMBER] = crew.members[0].principal
        self.people[COLLEAGUE] = crew.members[-1].principal
        return crew

    def late(self, crew: Crew) -> str:
        """Somebody who has joined the team just now."""
        new = self.user().user_id
        self.do(self.company.db.run(m.add_members(crew.team_id, [new], self.company.now())))
        return new

    # --- ladders and plans -----------------------------------------------------------------------

    def config(self) -> m.ConfigVersion:
        """A new version of the ladder, which is not active."""
        version = f"2.{next(self.numbers)}.0"
        return self.do(config_made(self.company, version, active=False))

    def active(self) -> str:
        """The version that is active now."""
        return self.do(self.company.db.require(m.active_config())).active_config_id

    def plan(self, status: PlanStatus = "active", **fields: Any) -> m.Plan:
        """Of a new team."""
        return self.do(plan_made(self.company, self.crew().team, status=status, **fields))

    def draft_body(self, **said: Any) -> dict[str, Any]:
        """What a plan is drafted with."""
        made = draft(self.company)
        times = {name: getattr(made, name).isoformat() for name in ("start_date", "end_date")}
        return {"season": "2026-H2", "plan_name": "Autumn review", **times, **said}

    # --- reviews ---------------------------------------------------------------------------------

    def review(self) -> Review:
        """Under way in a new team, and not begun by anybody."""
        made = self.do(review_made(self.company, 2))
        self._known(made.crew)
        return made

    def submitted(self) -> Review:
        """The member has said what there is to say."""
        made = self.review()
        self.do(made.submitted("self"))
        return made

    def reported(self) -> Review:
        """Both are in, and there is a report."""
        made = self.review()
        self.do(made.both())
        return made

    def released(self) -> Review:
        made = self.review()
        self.do(made.released())
        return made

    def action(self, review: Review) -> str:
        """A growth action in a report that is released."""
        due = (self.company.now() + timedelta(days=30)).isoformat()
        body = {"title": "Run the design review", "due_at": due}
        made = self.done("POST", f"/reports/{review.report_id}/actions", body, MEMBER)
        return str(made["action_id"])

    def dead_message(self) -> str:
        """A message that was given up; its handle."""
        now = self.company.now().replace(microsecond=0)
        entry = OutboxEntry(at=now, kind="tests", subject="tests/1", place="DEAD", ended_at=now)
        return handle_of(self.do(self.service.runtime.db.run(put(entry))))


@contextmanager
def world(front: Callable[[Runtime], Front] | None = None, **settings: Any) -> Iterator[World]:
    """A service on an engine in this process, and what there is in it."""
    clock = ManualClock(START)
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        environ = {"TABLEWRIGHT_LADDERS_REQUESTS_PER_MINUTE": str(_WIDE)}
        told = {"clock": clock, "environ": environ, "workers": False, "front": front, **settings}
        with running(system, backend, **told) as service, service.client() as http:
            found = World(service, http, Company(service.runtime), engine, clock)
            yield _filled(found)


def _filled(found: World) -> World:
    company = found.company
    admin = found.do(user_made(company, "ada", "admin"))
    elsewhere = found.do(user_made(company, "fritz", "manager"))
    found.do(team_made(company, elsewhere))
    found.do(team_made(company, None, elsewhere))
    found.people |= {
        "admin": admin.principal,
        OPERATED: OPERATOR,
        FOREIGNER: elsewhere.principal,
        "stranger": person("stranger"),
    }
    keys = found.service.runtime.auth.api_keys
    found.keys[PROGRAM] = found.do(keys.create(OPERATOR, name=PROGRAM, roles=["admin"]))[1]
    # Two were active, so that one can be gone back to.
    found.do(config_made(company, "0.9.0"))
    found.do(config_made(company, "1.0.0"))
    found.review()
    return found
