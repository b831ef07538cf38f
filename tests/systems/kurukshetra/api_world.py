"""The whole of kurukshetra behind a port, with an event that is run, teams, and all who can call.

Nothing goes on beside requests, the gateway is a sandbox whose deliveries nobody waits for, and the
time stands still unless a test moves it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TypeVar

import httpx2
from tests.service.support import Running, running
from tests.systems.kurukshetra.support import (
    ADMIN,
    API,
    START,
    Made,
    event_made,
    person,
    registered,
    team_made,
    token_of,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.app import Front
from tablewright.service.auth import Principal
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import handle_of
from tablewright.service.runtime import Runtime
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.people import RoleName
from tablewright.systems.kurukshetra.sandbox import Running as Sandbox
from tablewright.systems.kurukshetra.sandbox import SandboxSettings, sandbox
from tablewright.systems.kurukshetra.service.festival import Festival
from tablewright.systems.kurukshetra.system import system
from tablewright.testing import in_process

R = TypeVar("R")

#: Of whom an event knows what they may do.
STAFF: Final[tuple[RoleName, ...]] = ("organizer", "finance", "volunteer", "auditor")
#: Of the team that is asked about; "other" takes part without a team.
LEADER, MEMBER, OTHER = "leader", "member", "other"
#: Has every role and a team, at another event.
FOREIGNER: Final = "foreigner"
#: A key with the role of an organiser, at all events.
PROGRAM: Final = "program"
#: Everybody who can come.
WHO: Final = (
    "admin",
    *STAFF,
    *(LEADER, MEMBER, OTHER, FOREIGNER, "stranger", PROGRAM, "nobody", "nonsense"),
)

EVENT, ELSEWHERE = "here-2026", "elsewhere-2026"
TABLES: Final = (*m.model.tables, "kurukshetra-kit")
_HOOK: Final = "http://127.0.0.1:9"
_WIDE: Final = 1_000_000
#: A hackathon that is connected, and never asked.
_OPTIONS: Final = {
    "requests_per_minute": _WIDE,
    "admin_requests_per_minute": _WIDE,
    "registrations_per_minute": _WIDE,
    "vibejudge_url": f"{_HOOK}/vibejudge",
    "vibejudge_key": "twk_of-nobody",
}
_EXTRA: Final = {"vibejudge_hack_id": "01KAGM5W00000000000000000A"}


@dataclass
class World:
    """A running service, and what there is in it."""

    service: Running
    http: httpx2.Client
    #: Use cases on the same tables, with memories of their own.
    festival: Festival
    gateway: Sandbox
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
        if who == "leaver":
            return self.signed(person(f"leaver-{next(self.numbers)}"))
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

    def items(self) -> list[dict[str, Any]]:
        """Everything that is stored, in both tables."""
        return [item for table in TABLES for item in self._scanned(table)]

    def _scanned(self, table: str) -> Iterator[dict[str, Any]]:
        asked: dict[str, Any] = {"TableName": table}
        while True:
            page = self.engine.call("Scan", asked)
            yield from page["Items"]
            if "LastEvaluatedKey" not in page:
                return
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def rest(self) -> None:
        """A minute goes by: nobody has asked too often, and nobody remembers."""
        self.clock.advance(60)

    # --- what there is ---------------------------------------------------------------------------

    def event(
        self, event_id: str | None = None, staff: Sequence[RoleName] = STAFF, **config: Any
    ) -> str:
        """A new one; the staff runs it, and whoever belongs to another event does not."""
        name = event_id or f"event-{next(self.numbers)}"
        self.do(event_made(self.festival, name, **{**_EXTRA, **config}))
        for role in staff:
            self.grant(name, role, [role])
        return name

    def grant(self, event_id: str, who: str, roles: list[RoleName]) -> None:
        by = self.do(self.festival.access.now(ADMIN, event_id))
        email = str(self.people[who].claims["email"])
        self.do(self.festival.events.roles.grant(by, email, roles))

    def team(self, event_id: str = EVENT, size: int = 2, **said: Any) -> Made:
        """A new one; from now on its people are who is called leader and member."""
        made = self.do(team_made(self.festival, event_id, size, **said))
        self.people[LEADER] = made.leader.principal
        self.people[MEMBER] = made.members[-1].principal
        return made

    def paid(self, event_id: str = EVENT, **said: Any) -> Made:
        """A team with a seat that nobody has paid money for."""
        return self.team(event_id, payment_status="paid", **said)

    def ordered(self, event_id: str = EVENT) -> tuple[Made, dict[str, Any]]:
        """A team that is at the checkout, and what its browser brings back from there."""
        made = self.team(event_id)
        path = f"/events/{event_id}/team/{made.team_id}/checkout"
        order = self.done("POST", path, {}, LEADER)["order_id"]
        return made, self.gateway.bank.succeed(order)

    def bought(self, event_id: str = EVENT) -> tuple[Made, str]:
        """A team that has paid, and its payment."""
        made, proof = self.ordered(event_id)
        paid = self.done("POST", f"/events/{event_id}/payment/verify", proof, LEADER)
        assert paid["status"] == "paid"
        return made, str(paid["payment_id"])

    def ticket(self, who: str = LEADER, event_id: str = EVENT) -> str:
        return str(self.done("GET", f"/events/{event_id}/ticket", who=who)["ticket"])

    def checked_in(self, event_id: str = EVENT) -> Made:
        """A team whose leader is at the event."""
        made = self.paid(event_id)
        scan = {"ticket": self.ticket(event_id=event_id), "list_id": "entry", "nonce": self.nonce()}
        said = self.done("POST", f"/events/{event_id}/checkin/scan", scan)
        assert said["result"] == "ok"
        return made

    def nonce(self) -> str:
        return f"door-{next(self.numbers):08d}"

    def certificate(self, event_id: str = EVENT) -> str:
        """The code of somebody's."""
        self.checked_in(event_id)
        wanted = {"kind": "participation"}
        self.done("POST", f"/events/{event_id}/admin/certificates", wanted)
        while self.do(self.festival.jobs.work_all()):
            pass
        found = self.done("GET", f"/events/{event_id}/certificates", who=LEADER)["items"]
        return str(found[0]["code"])

    def job(self, event_id: str = EVENT) -> str:
        wanted = {"kind": "participation"}
        made = self.done("POST", f"/events/{event_id}/admin/certificates", wanted)
        return str(made["job_id"])

    def voucher(self, event_id: str = EVENT, **said: Any) -> dict[str, Any]:
        """What one is made with."""
        return {
            "code": f"CODE{next(self.numbers)}",
            "percent": 10,
            "remaining": 5,
            "valid_from": "2026-11-01T00:00:00Z",
            "valid_until": "2026-12-30T00:00:00Z",
            **said,
        }

    def dead_message(self) -> str:
        """A message that was given up; its handle."""
        now = self.festival.now()
        entry = OutboxEntry(at=now, kind="tests", subject="tests/1", place="DEAD", ended_at=now)
        return handle_of(self.do(self.service.runtime.db.run(put(entry))))


@contextmanager
def world(front: Callable[[Runtime], Front] | None = None, **settings: Any) -> Iterator[World]:
    """A service on an engine in this process, and what there is in it."""
    clock = ManualClock(START)
    hooked = SandboxSettings(webhook_url=f"{_HOOK}{API}/payment/webhook")
    with (
        sandbox(hooked, clock=clock, deliver=False) as gateway,
        Engine.memory(clock=clock) as engine,
        in_process(engine) as backend,
    ):
        options = {**_OPTIONS, "sandbox_url": gateway.url}
        environ = {
            f"TABLEWRIGHT_KURUKSHETRA_{name.upper()}": str(each) for name, each in options.items()
        }
        told = {"clock": clock, "environ": environ, "workers": False, "front": front, **settings}
        with running(system, backend, **told) as service, service.client() as http:
            found = World(service, http, Festival(service.runtime), gateway, engine, clock)
            yield _filled(found)


def _filled(found: World) -> World:
    names = (*STAFF, FOREIGNER, "stranger", OTHER)
    found.people |= {"admin": ADMIN, **{name: person(name) for name in names}}
    keys = found.service.runtime.auth.api_keys
    found.keys[PROGRAM] = found.do(keys.create(ADMIN, name=PROGRAM, roles=["organizer"]))[1]
    found.event(EVENT)
    found.do(registered(found.festival, EVENT, OTHER))
    found.do(event_made(found.festival, ELSEWHERE))
    found.grant(ELSEWHERE, FOREIGNER, [*STAFF, "admin"])
    found.do(registered(found.festival, ELSEWHERE, FOREIGNER))
    found.team()
    return found
