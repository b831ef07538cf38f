"""The whole of vibejudge behind a port, with hackathons in every state, and everybody who can call.

Olga has hackathons, Otto has others, and each has a judge. Nothing goes on beside requests, and the
time stands still unless a test moves it.
"""

from __future__ import annotations

import time
from collections.abc import Coroutine, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, TypeVar
from uuid import uuid4

import httpx2
from tests.service.support import Running, running
from tests.systems.vibejudge import support
from tests.systems.vibejudge.standings.support import Scored, scored
from tests.systems.vibejudge.support import ADMIN, AS_ADMIN, NOW, START, caller_of, moment

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.letters import handle_of
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import HackathonDetail, HackathonStatus
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system
from tablewright.testing import in_process

R = TypeVar("R")

API: Final = "/vibejudge/api/v1"
TABLE: Final = "VibeJudgeTable"
#: The organiser whose things are asked for, and another one; a judge of each; a key with the role
#: of an organiser that is nobody's.
OLGA, OTTO, JUDGE, OTHER_JUDGE, GUEST = "olga", "otto", "judge", "other judge", "guest"
#: Everybody who can come.
WHO: Final = ("admin", OLGA, OTTO, JUDGE, OTHER_JUDGE, GUEST, "nonsense", "nobody")

#: What would only be in the way of thousands of requests a minute.
WIDE: Final = {
    "TABLEWRIGHT_VIBEJUDGE_REGISTRATIONS_PER_MINUTE": "1000000",
    "TABLEWRIGHT_VIBEJUDGE_PUBLIC_SUBMISSIONS": "1000000",
}
#: So many points for every dimension of the first template.
_POINTS: Final = 7


@dataclass
class World:
    """A running service, and what there is in it."""

    service: Running
    http: httpx2.Client
    courtroom: Courtroom
    engine: Engine
    clock: ManualClock
    keys: dict[str, str] = field(default_factory=dict)
    #: By the name of the organiser.
    organizers: dict[str, str] = field(default_factory=dict)
    #: What the judges judge, by their names: two rounds are open in each.
    judged: dict[str, str] = field(default_factory=dict)

    # --- asking ----------------------------------------------------------------------------------

    def headers(self, who: str) -> dict[str, str]:
        """How somebody proves who they are."""
        if who == "nobody":
            return {}
        if who == "leaver":
            return {"Authorization": f"Bearer {self.registered()['api_key']}"}
        return {"Authorization": f"Bearer {self.keys.get(who, who)}"}

    def ask(
        self, method: str, path: str, body: Any = None, who: str = OLGA, **headers: str
    ) -> httpx2.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {} if body is None else {"json": body}
        return self.http.request(method, f"{API}{path}", headers=self.headers(who) | named, **sent)

    def done(self, method: str, path: str, body: Any = None, who: str = OLGA, **said: str) -> Any:
        """What somebody is answered who may."""
        answer = self.ask(method, path, body, who, **said)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def do(self, work: Coroutine[Any, Any, R]) -> R:
        return self.service.do(work)

    def items(self) -> list[dict[str, Any]]:
        """Everything that is stored."""
        found: list[dict[str, Any]] = []
        asked: dict[str, Any] = {"TableName": TABLE}
        while True:
            page = self.engine.call("Scan", asked)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return found
            asked["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def rest(self) -> None:
        """A minute goes by: nobody has asked too often."""
        self.clock.advance(60)

    # --- people ----------------------------------------------------------------------------------

    def registered(self) -> dict[str, Any]:
        """Somebody who has become an organiser just now."""
        body = {"email": f"{uuid4().hex}@people.test", "name": "Lea"}
        found: dict[str, Any] = self.done("POST", "/organizers", body, "nobody")
        return found

    def own_key(self) -> str:
        """A new one of Olga's; its id. There may be only so many."""
        for each in self.done("GET", "/organizers/me/keys?limit=100")["items"]:
            if each["name"] == "tests" and each["revoked_at"] is None:
                self.done("DELETE", f"/organizers/me/keys/{each['key_id']}")
        return str(self.done("POST", "/organizers/me/keys", {"name": "tests"})["key_id"])

    def invitation(self, hack_id: str | None = None, who: str = OLGA) -> dict[str, Any]:
        """Of a new judge."""
        place = hack_id or self.hackathon()
        body = {"name": "Judith"}
        found: dict[str, Any] = self.done("POST", f"/hackathons/{place}/judges", body, who)
        return found

    # --- hackathons ------------------------------------------------------------------------------

    def hackathon(
        self, status: HackathonStatus = "configured", who: str = OLGA, **said: Any
    ) -> str:
        """A new one."""
        caller = caller_of(self.organizers[who])
        made = support.hackathon(self.courtroom, caller, status, **said)
        return self.do(made).hack_id

    def detail(self, hack_id: str) -> HackathonDetail:
        return self.do(self.courtroom.db.require(reads.hackathon(hack_id)))

    def submission(self, hack_id: str | None = None) -> str:
        """One that nobody has looked at."""
        found = self.detail(hack_id or self.hackathon())
        return self.do(support.submission(self.courtroom, found)).sub_id

    def scored(self, hack_id: str | None = None, **changes: Any) -> Scored:
        """One that was analysed."""
        found = self.detail(hack_id or self.hackathon())
        return self.do(scored(self.courtroom, found, **changes))

    def token(self, hack_id: str, sub_id: str) -> str:
        """With which a team sees its result."""
        path = f"/hackathons/{hack_id}/submissions/{sub_id}/token"
        return str(self.done("POST", path, who="admin")["result_token"])

    def released(self, who: str = OLGA, **said: Any) -> tuple[str, str, str]:
        """A hackathon with results, a submission in it, and its token."""
        hack_id = self.hackathon(who=who, **said)
        sub_id = self.scored(hack_id).submission.sub_id
        token = self.token(hack_id, sub_id)
        self.release(hack_id)
        return hack_id, sub_id, token

    def release(self, hack_id: str) -> None:
        """As if all had been analysed."""
        self.do(support.moved(self.courtroom, self.detail(hack_id), "completed"))
        body = {"close_rounds": True}
        self.done("POST", f"/hackathons/{hack_id}/release", body, who="admin")

    def appealed(self, who: str = OLGA) -> tuple[str, str]:
        """A hackathon, and a submission whose team has appealed."""
        hack_id, sub_id, token = self.released(who)
        said = {"text": "The tests are elsewhere."}
        self.done("POST", f"/results/{token}/appeal", said, "nobody")
        return hack_id, sub_id

    def overridden(self, who: str = OLGA) -> tuple[str, str]:
        """A hackathon, and a submission whose organiser has decided."""
        hack_id = self.hackathon(who=who)
        sub_id = self.scored(hack_id).submission.sub_id
        body = {"score": 80, "reason": "It worked on the stage."}
        self.done("POST", f"/hackathons/{hack_id}/submissions/{sub_id}/override", body, who)
        return hack_id, sub_id

    def job(self, *, cancelled: bool = False, who: str = OLGA) -> tuple[str, str]:
        """A hackathon, and its job, which nobody works at."""
        hack_id = self.hackathon(who=who)
        self.submission(hack_id)
        path = f"/hackathons/{hack_id}"
        job_id = self.done("POST", f"{path}/analyze", who=who)["job_id"]
        self._until(f"{path}/jobs/{job_id}", "status", "running")
        if cancelled:
            self.done("POST", f"{path}/jobs/{job_id}/cancel", who=who)
            self._until(f"{path}/jobs/{job_id}", "status", "cancelled")
        return hack_id, str(job_id)

    def _until(self, path: str, name: str, value: str) -> None:
        """Some things go on beside the request that has begun them."""
        for _ in range(1000):
            if self.done("GET", path, who="admin")[name] == value:
                return
            time.sleep(0.002)
        raise AssertionError(f"{path} never came to {value}")

    def begun(self, who: str = OLGA) -> tuple[str, str]:
        """A hackathon, and rows that are handed in beside requests."""
        hack_id = self.hackathon(who=who)
        path = f"/hackathons/{hack_id}/submissions"
        said = self.done("POST", path, {"submissions": [row()]}, who, Prefer="respond-async")
        self._until(f"{path}/imports/{said['import_id']}", "state", "done")
        return hack_id, str(said["import_id"])

    # --- judging ---------------------------------------------------------------------------------

    def round(self, hack_id: str, who: str = OLGA, method: str = "rubric") -> int:
        """A new one, in setup."""
        body = {"method": method}
        made = self.done("POST", f"/hackathons/{hack_id}/rounds", body, who)
        return int(made["round_number"])

    def assigned(self, who: str = JUDGE) -> str:
        """A submission that the judge has just been given, in both rounds."""
        hack_id = self.judged[who]
        sub_id = self.scored(hack_id).submission.sub_id
        for number in (1, 2):
            self.done("POST", f"/hackathons/{hack_id}/rounds/{number}/assign", who="admin")
        return sub_id

    def points(self) -> dict[str, int]:
        """What a judge may give."""
        rubric = self.detail(self.judged[JUDGE]).rubric
        return {each.name: _POINTS for each in rubric.dimensions}

    # --- what all systems have -------------------------------------------------------------------

    def dead_message(self) -> str:
        """A message that was given up; its handle."""
        now = self.courtroom.now()
        entry = OutboxEntry(at=now, kind="tests", subject="tests/1", place="DEAD", ended_at=now)
        return handle_of(self.do(self.service.runtime.db.run(put(entry))))


def row(**more: Any) -> dict[str, Any]:
    """A submission, as it is handed in."""
    name = f"t{uuid4().hex[:12]}"
    return {"team_name": name, "repo_url": f"https://github.com/{name}/project", **more}


@contextmanager
def world(*, environ: Mapping[str, str] | None = None, **settings: Any) -> Iterator[World]:
    """A service on an engine in this process, and what there is in it."""
    clock = ManualClock(START)
    with Engine.memory() as engine, in_process(engine) as backend:
        options = {"environ": {**WIDE, **(environ or {})}, "workers": False, **settings}
        with running(system, backend, clock=clock, **options) as service, service.client() as http:
            yield _filled(World(service, http, Courtroom(service.runtime), engine, clock))


def _filled(found: World) -> World:
    keys = found.service.runtime.auth.api_keys
    for name, role in (("admin", "admin"), (GUEST, "organizer")):
        found.keys[name] = found.do(keys.create(ADMIN, name=name, roles=[role]))[1]
    for name in (OLGA, OTTO):
        made = found.registered()
        found.keys[name], found.organizers[name] = made["api_key"], made["org_id"]
        tier = found.courtroom.organizers.set_tier(AS_ADMIN, made["org_id"], "enterprise")
        found.do(tier)
    for name, organizer in ((JUDGE, OLGA), (OTHER_JUDGE, OTTO)):
        _judging(found, name, organizer)
    return found


def _judging(found: World, name: str, organizer: str) -> None:
    """A hackathon with a judge, who has two rounds to look after."""
    end = moment(NOW + timedelta(days=30))
    hack_id = found.judged[name] = found.hackathon(who=organizer, end_date=end)
    token = found.invitation(hack_id, organizer)["token"]
    accepted = found.done("POST", "/judging/accept", {"token": token}, "nobody")
    found.keys[name] = accepted["api_key"]
    for _ in range(3):
        found.scored(hack_id)
    for method in ("rubric", "pairwise"):
        number = found.round(hack_id, organizer, method)
        path = f"/hackathons/{hack_id}/rounds/{number}"
        found.done("PATCH", path, {"state": "open"}, organizer)
