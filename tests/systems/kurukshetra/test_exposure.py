"""What must not come out: script that runs, people, and secrets."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from tests.console.support import Browser, signed_in
from tests.systems.kurukshetra.api_world import LEADER, World, world
from tests.systems.kurukshetra.support import API, Made, person, registration_body

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.model import new_ulid, put
from tablewright.service.auth import Principal
from tablewright.service.runtime import Runtime
from tablewright.systems.kurukshetra import model as m
from tablewright.systems.kurukshetra.system import system

#: Ends a text, an attribute and a script, and begins one.
SCRIPT = "'\"></title></textarea></script><script>alert(7)</script><img src=x onerror=alert(7)>"
#: The same for where there is less room.
SHORT = "\"'><script>alert(7)</script>"
_RAW = re.compile(r"<script>alert\(7\)|<img src=x onerror", re.IGNORECASE)
_PAGES = 60
BASE = "/kurukshetra"
HOSTILE = "hostile-2026"
#: Of a person, in the middle of a script: what only few may see.
NAME = "Quintessa"


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world(front=_console) as found:
        yield found


def _console(runtime: Runtime) -> Console:
    return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())


def demo(service: World, name: str) -> Principal:
    """Somebody who can also sign in at the pages."""
    local = service.service.runtime.auth.identity.local
    assert local is not None
    user = local.user(f"demo-{name}")
    assert user is not None
    return user.principal()


# --- script --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    """An event in which every text is script."""

    team_id: str
    person_id: str
    payment_id: str
    certificate: str
    job_id: str

    @property
    def event(self) -> str:
        return f"{BASE}/events/{HOSTILE}"

    @property
    def person(self) -> str:
        return f"{self.event}/admin/registrations/{self.person_id}"


QUESTIONS = [
    {"question_id": "diet", "label": SCRIPT, "pii": True},
    {"question_id": "shirt", "label": SHORT, "kind": "choice", "choices": [SHORT, "M"]},
]


def profile(name: str) -> dict[str, Any]:
    return registration_body(
        "x",
        first_name=f"{NAME}{SHORT}",
        last_name=SHORT,
        college=SCRIPT[:60],
        year=SHORT[:20],
        linkedin="https://www.linkedin.com/in/quintessa",
        answers={"diet": SCRIPT, "shirt": SHORT},
    )


@pytest.fixture(scope="module")
def bad(service: World) -> Bad:
    """Asha leads a team that has paid, Ravi one that waits; Meera is in Asha's."""
    service.people |= {name: demo(service, name) for name in ("asha", "ravi", "meera")}
    place = f"/events/{HOSTILE}"
    service.event(HOSTILE, event_name=SCRIPT, max_teams=1)
    service.done("PUT", f"{place}/admin/questions", {"questions": QUESTIONS}, If_Match="*")
    teams = {name: founded(service, name) for name in ("asha", "ravi")}
    joined(service, teams["asha"])
    payment_id = paid(service, teams["asha"])
    service.done("POST", f"{place}/team/{teams['ravi']}/waitlist", who="ravi")
    return Bad(
        teams["asha"],
        service.done("GET", f"{place}/team/{teams['asha']}", who="asha")["leader_participant_id"],
        payment_id,
        certified(service),
        written(service, teams["ravi"]),
    )


def founded(service: World, name: str) -> str:
    wanted = {"name": f"Team of {name}", "track": "ai-ml", "invite": ["friend@people.test"]}
    body = {"person": profile(name), "team": wanted}
    made = service.done("POST", f"/events/{HOSTILE}/register/team", body, name)
    return str(made["team_id"])


def joined(service: World, team_id: str) -> None:
    place = f"/events/{HOSTILE}"
    service.done("POST", f"{place}/register", profile("meera"), "meera")
    code = service.done("GET", f"{place}/team/{team_id}", who="asha")["invite_code"]
    service.done("POST", f"{place}/team/join", {"code": code}, "meera")


def paid(service: World, team_id: str) -> str:
    """And a part of it has gone back, for a reason that is script."""
    place = f"/events/{HOSTILE}"
    order = service.done("POST", f"{place}/team/{team_id}/checkout", {}, "asha")["order_id"]
    proof = service.gateway.bank.succeed(order)
    found = service.done("POST", f"{place}/payment/verify", proof, "asha")
    back = {"amount": 100, "reason": SCRIPT}
    service.done("POST", f"{place}/admin/refund/{team_id}", back, Idempotency_Key="back")
    return str(found["payment_id"])


def certified(service: World) -> str:
    place = f"/events/{HOSTILE}"
    ticket = service.done("GET", f"{place}/ticket", who="asha")["ticket"]
    scan = {"ticket": ticket, "list_id": "entry", "nonce": service.nonce()}
    service.done("POST", f"{place}/checkin/scan", scan)
    service.done("POST", f"{place}/admin/certificates", {"kind": "participation"})
    service.done("POST", f"{place}/admin/mail", {"subject": SCRIPT, "text": SCRIPT})
    while service.do(service.festival.jobs.work_all()):
        pass
    found = service.done("GET", f"{place}/certificates", who="asha")["items"]
    return str(found[0]["code"])


def written(service: World, team_id: str) -> str:
    """What the gateway, judging or somebody else may have written: nothing was looked at."""
    now, place = service.festival.now(), f"/events/{HOSTILE}"
    service.done("PUT", f"{place}/admin/roles", {"who": SCRIPT, "roles": ["volunteer"]})
    service.done("PUT", f"{place}/draft", {"data": {"first_name": SCRIPT}}, "admin")
    finding = m.Finding(
        event_id=HOSTILE,
        day=now.date(),
        finding_id=team_id,
        kind="unknown_order",
        outcome=SCRIPT,
        created_at=now,
    )
    job = m.Job(
        event_id=HOSTILE,
        job_id=new_ulid(),
        kind="certificates",
        state="failed",
        error_code="INTERNAL",
        error=SCRIPT,
        result={SHORT: SCRIPT},
        by="0" * 32,
        created_at=now,
        updated_at=now,
        ttl=now.replace(year=now.year + 1),
    )
    for each in (finding, job):
        service.do(service.festival.db.run(put(each)))
    return job.job_id


def crawled(browser: Browser, *begin: str) -> dict[str, str]:
    """The pages that these lead to, and theirs; of other events only what is on the way."""
    seen: dict[str, str] = {}
    waiting = list(begin)
    while waiting and len(seen) < _PAGES:
        path = waiting.pop()
        if path in seen:
            continue
        page = browser.get(path)
        seen[path] = page.text
        assert page.status_code < 500, (path, page.text[:500])
        assert page.headers["x-content-type-options"] == "nosniff", path
        if page.headers.get("content-type", "").startswith("text/html"):
            assert not _RAW.search(page.text), path
            assert 'href="javascript:' not in page.text.lower(), path
            links = re.findall(r'(?:href|hx-get)="(/kurukshetra(?:/[^"#?]*)?)"', page.text)
            waiting += [each for each in links if _is_page(each)]
    return seen


def _is_page(path: str) -> bool:
    apart = ("/api/", "/live", "/export", "/docs", "worker.js")
    own = HOSTILE in path or "/events/" not in path
    return own and not any(each in path for each in apart)


def told(seen: dict[str, str], text: str = "alert(7)") -> list[str]:
    """The pages on which it stands, as text."""
    return [path for path, page in seen.items() if text in page]


def places(bad: Bad) -> tuple[str, ...]:
    return (
        f"{BASE}/",
        bad.event,
        bad.person,
        f"{bad.event}/admin",
        f"{bad.event}/admin/payments/{bad.payment_id}",
        f"{bad.event}/admin/teams/{bad.team_id}",
        f"{bad.event}/admin/jobs/{bad.job_id}",
        f"{bad.event}/door",
        f"{BASE}/certificates/{bad.certificate}",
    )


@pytest.mark.parametrize(
    ("who", "least", "named"),
    [
        ("admin", 12, True),
        ("finance", 4, False),
        ("volunteer", 1, False),
        ("auditor", 5, False),
        ("asha", 5, True),
        ("ravi", 4, True),
    ],
)
def test_script_is_text_on_every_page(
    who: str, least: int, named: bool, service: World, bad: Bad
) -> None:
    """And people are nowhere for those who may not see them: their names are part of it."""
    with signed_in(service.service, f"demo-{who}") as browser:
        seen = crawled(browser, *places(bad))
    assert len(told(seen)) >= least, sorted(seen)
    assert all(each.count("<html") <= 1 for each in seen.values())
    # What is printed on a certificate is what its holder shows to others.
    people = [each for each in told(seen, NAME) if "/certificates/" not in each]
    assert bool(people) == named, people


def test_script_is_text_for_visitors(service: World, bad: Bad) -> None:
    browser = Browser(service.service)
    with browser.client:
        seen = crawled(browser, *places(bad))
    assert len(told(seen)) >= 3, sorted(seen)
    assert all("/certificates/" in each for each in told(seen, NAME))


def test_answers_are_never_taken_for_pages(service: World, bad: Bad) -> None:
    html = {**service.headers("admin"), "Accept": "text/html"}
    place = f"{API}/events/{HOSTILE}"
    for path in ("/config", "/admin/registrations", "/admin/recon", "/jobs", f"/{SCRIPT}"):
        answer = service.http.get(f"{place}{path}", headers=html)
        assert "json" in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"
    answer = service.http.get(f"{place}/admin/export/csv", headers=html)
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith("attachment")


# --- people and secrets --------------------------------------------------------------------------

EMAIL = "wilhelmina.featherstone@people.test"
FRIEND = "bartholomew.friend@people.test"
STAFF = "persephone.staff@people.test"
#: What stands for each thing that is somebody's.
PERSONAL = {
    "first name": "Wilhelmina",
    "last name": "Featherstone",
    "phone": "9876501234",
    "github": "wilhelmina-f",
    "answer": "no sesame seeds",
    "draft": "half a sentence",
    "friend": "bartholomew",
    "staff": "persephone",
}


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything in the log of the service, with all that its lines carry; not the clients'."""
    others = ("httpx", "httpcore", "uvicorn.access", "asyncio")
    lines = [each for each in caplog.records if not each.name.startswith(others)]
    return "\n".join(f"{each.getMessage()} {each.__dict__}" for each in lines)


@dataclass(frozen=True)
class Lived:
    """Somebody who did everything that can be done, right and wrong."""

    made: Made
    #: Texts that open something.
    secrets: dict[str, str]
    #: What they were refused with.
    refusals: list[str]


def lived(service: World) -> Lived:
    event = service.event()
    place, who = f"/events/{event}", "wilhelmina"
    service.people[who] = replace(person(who), claims={"email": EMAIL, "email_verified": True})
    asked = {"questions": [{"question_id": "diet", "label": "What not?", "pii": True}]}
    service.done("PUT", f"{place}/admin/questions", asked, If_Match="*")
    service.done("PUT", f"{place}/draft", {"data": {"note": PERSONAL["draft"]}}, who)
    body = registration_body(
        "x",
        first_name=PERSONAL["first name"],
        last_name=PERSONAL["last name"],
        phone=f"+91{PERSONAL['phone']}",
        github_username=PERSONAL["github"],
        answers={"diet": PERSONAL["answer"]},
    )
    me = service.done("POST", f"{place}/register", body, who)["participant_id"]
    service.done("PUT", f"{place}/participant/{me}", body, who, If_Match="*")
    service.done("PUT", f"{place}/draft", {"data": {"note": PERSONAL["draft"]}}, who)
    made = service.team(event)
    code = service.done("GET", f"{place}/team/{made.team_id}", who=LEADER)["invite_code"]
    service.done("POST", f"{place}/team/join", {"code": code}, who)
    team = f"{place}/team/{made.team_id}"
    service.done("POST", f"{team}/leader", {"participant_id": me}, LEADER)
    service.done("POST", f"{team}/invite", {"emails": [FRIEND]}, who)
    service.done("PUT", f"{place}/admin/roles", {"who": STAFF, "roles": ["finance"]})
    secrets = {"code": code.replace("-", ""), **money(service, event, made.team_id, who)}
    service.done("POST", f"{place}/admin/mail", {"subject": "Doors", "text": "At eight."})
    service.done("POST", f"{place}/admin/certificates", {"kind": "participation"})
    while service.do(service.festival.jobs.work_all()):
        pass
    service.done("GET", f"{place}/admin/registrations?q={EMAIL}")
    assert service.ask("GET", f"{place}/admin/export/csv").is_success
    return Lived(made, secrets, refused(service, place, body, who, code))


def money(service: World, event: str, team_id: str, who: str) -> dict[str, str]:
    """Paid, let in, and partly paid back; the ticket and the proof."""
    place = f"/events/{event}"
    begun = service.done("POST", f"{place}/team/{team_id}/checkout", {}, who)
    proof = service.gateway.bank.succeed(begun["order_id"])
    service.done("POST", f"{place}/payment/verify", proof, who)
    back = {"amount": 100, "reason": "x"}
    service.done("POST", f"{place}/admin/refund/{team_id}", back, Idempotency_Key=f"back {team_id}")
    ticket = service.done("GET", f"{place}/ticket", who=who)["ticket"]
    scan = {"ticket": ticket, "list_id": "entry", "nonce": service.nonce()}
    assert service.done("POST", f"{place}/checkin/scan", scan)["result"] == "ok"
    return {"ticket": ticket, "signature": proof["razorpay_signature"]}


def refused(service: World, place: str, body: dict[str, Any], who: str, code: str) -> list[str]:
    """What people get wrong, with what is theirs in it."""
    twin = replace(person("twin"), claims={"email": EMAIL.upper(), "email_verified": True})
    service.people["twin"] = twin
    asked = [
        ("POST", f"{place}/register", body, "twin"),
        (
            "POST",
            f"{place}/register",
            {**body, "phone": f"+91{PERSONAL['phone']}99999"},
            "stranger",
        ),
        ("POST", f"{place}/register", {**body, "email": EMAIL}, "stranger"),
        ("POST", f"{place}/register", {**body, "answers": {PERSONAL["answer"]: "x"}}, "stranger"),
        ("POST", f"{place}/team/join", {"code": f"{code}{PERSONAL['github']}"[:40]}, who),
        ("PUT", f"{place}/admin/roles", {"who": f"{STAFF}@", "roles": []}, "admin"),
        ("PUT", f"{place}/admin/roles", {"who": STAFF, "roles": [STAFF]}, "admin"),
        ("PUT", f"{place}/draft", {"data": PERSONAL["draft"]}, who),
    ]
    answers = [service.ask(method, path, sent, by) for method, path, sent, by in asked]
    assert [each for each in answers if each.status_code < 400] == []
    return [each.text for each in answers]


def test_people_and_secrets_stand_nowhere(service: World, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the log, nor in either table, nor in metrics, problems, audit, outbox or at the
    gateway: what is somebody's is encrypted, a hash, or not there."""
    caplog.set_level(logging.DEBUG)
    life = lived(service)
    bank = service.gateway.bank.store
    tables = [
        each["name"] for each in bank.rows("SELECT name FROM sqlite_master WHERE type='table'")
    ]
    secrets = {
        **life.secrets,
        "key": service.keys["program"],
        "gateway": service.gateway.credentials.key_secret.get_secret_value(),
        "webhook": service.gateway.credentials.webhook_secrets()[0],
    }
    looked = {
        "log": logged(caplog),
        "tables": str(service.items()),
        "metrics": service.http.get("/metrics").text,
        "problems": "\n".join(life.refusals),
        "audit": str(
            service.done("GET", f"/events/{life.made.team.event_id}/admin/audit?limit=100")
        ),
        "outbox": str(service.done("GET", "/outbox/sent?limit=100")),
        "gateway": str(
            [dict(each) for name in tables for each in bank.rows(f"SELECT * FROM {name}")]
        ),
    }
    assert all(len(each) > 20 for each in looked.values()), {k: len(v) for k, v in looked.items()}
    for place, text in looked.items():
        lower = text.lower()
        found = [name for name, each in PERSONAL.items() if each.lower() in lower]
        found += [name for name, each in secrets.items() if each.lower() in lower]
        assert found == [], place


def test_the_books_know_who_it_was(service: World) -> None:
    """What is looked for above would be found: it is what people and organisers are shown."""
    event = service.done("GET", "/me", who="wilhelmina")["events"][0]
    shown = str(event)
    assert all(PERSONAL[name] in shown for name in ("first name", "phone", "answer", "draft"))
    place = f"/events/{event['event_id']}"
    assert STAFF in str(service.done("GET", f"{place}/admin/roles"))
    team = service.done("GET", f"{place}/team/{event['person']['team_id']}", who="wilhelmina")
    assert FRIEND in str(team["invited"])
