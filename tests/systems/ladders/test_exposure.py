"""What must not come out: script that runs, people, and what they say about each other."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

import httpx2
import pytest
from tests.console.support import Browser
from tests.service.kit.mail_server import MailBox, mail_server
from tests.systems.ladders.assessments.reviews import EVERYTHING
from tests.systems.ladders.pages.support import BASE, Office, pages_of, signed_in
from tests.systems.ladders.plans.support import send
from tests.systems.ladders.support import (
    API,
    OPERATOR,
    START,
    Api,
    api_on,
    config_made,
    person,
    plan_made,
    run,
)

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.auth import Principal
from tablewright.service.preconditions import Precondition
from tablewright.systems.ladders import ids
from tablewright.systems.ladders import model as m
from tablewright.systems.ladders.bodies.assessments import ChangeIn, SaveIn
from tablewright.systems.ladders.bodies.growth import ActionIn
from tablewright.systems.ladders.fields import AssessmentType
from tablewright.systems.ladders.service.people.users import UserChange
from tablewright.testing.backends import Backend, in_process

# --- script --------------------------------------------------------------------------------------

#: Ends a text, an attribute and a script, and begins one.
SCRIPT = "'\"></title></textarea></script><script>alert(7)</script><img src=x onerror=alert(7)>"
#: The same for where there is less room.
SHORT = "\"'><script>alert(7)</script>"
_RAW = re.compile(r"<script>alert\(7\)|<img src=x onerror", re.IGNORECASE)
_PAGES = 60
#: Of a person, in the middle of a script: what only some may see.
NAME = "Quintessa"
#: HTML is refused in ladders, unless it is shown as code.
LADDER = f"""\
1. `{SHORT}`
2. `<img src=x onerror=alert(7)>`

# Craft `{SHORT}`

## Code `{SHORT}`

1. Reads `<script>alert(7)</script>`.

   [More](javascript:alert(7)) `<img src=x onerror=alert(7)>`

2. Writes `<script>alert(7)</script>`.
"""


@pytest.fixture(scope="module")
def office() -> Iterator[Office]:
    with Engine.memory() as engine, in_process(engine) as backend, pages_of(backend) as made:
        yield made


@dataclass(frozen=True)
class Bad:
    """A review in which every text is script; where its pages are."""

    pages: tuple[str, ...]


@pytest.fixture(scope="module")
def bad(office: Office) -> Bad:
    """Omar reviews Lina, who has her report, and Nora, who has to go on; Mateo is elsewhere."""
    company, ines, omar = office.company, office.caller("ines"), office.caller("omar")
    config = office.do(company.configs.upload(ines, "6.6.6", LADDER))
    office.do(company.configs.activate(ines, config.config_id))
    _rename(office, "lina", f"{NAME}{SHORT}")
    team = office.team("omar", "lina", "nora", team_name=SCRIPT, description=SCRIPT)
    office.team("judith", "mateo")
    past = office.do(plan_made(company, team, "2025", "completed", plan_name=SCRIPT))
    office.do(company.plans.reopen(ines, past.plan_id, SCRIPT))
    plan = office.do(plan_made(company, team, plan_name=SCRIPT, description=SCRIPT))
    for member in ("lina", "nora"):
        _answered(office, plan, member, member, "self")
        _answered(office, plan, member, "omar", "manager")
    about = {name: office.people[name] for name in ("lina", "nora")}
    again = ids.assessment_id(plan.plan_id, about["nora"], "self")
    office.do(company.assessments.reopen(omar, again, SCRIPT))
    report_id = _reported(office, plan, about["lina"])
    assessments = [
        ids.assessment_id(plan.plan_id, each, kind)
        for each in about.values()
        for kind in ids.ASSESSMENT_KINDS
    ]
    return Bad(
        (
            f"{BASE}/",
            f"{BASE}/ladder",
            f"{BASE}/teams/{team.team_id}",
            f"{BASE}/teams/{team.team_id}/heatmap",
            f"{BASE}/plans/{plan.plan_id}",
            f"{BASE}/plans/{plan.plan_id}/board",
            f"{BASE}/reports/{report_id}",
            f"{BASE}/history/{about['lina']}",
            *(f"{BASE}/assessments/{each}" for each in assessments),
        )
    )


def _rename(office: Office, name: str, to: str) -> None:
    ines, user = office.caller("ines"), office.caller(name).user
    seen = Precondition.seen(user.revision)
    office.do(office.company.people.change(ines, user.user_id, UserChange(to), seen))


def _answered(office: Office, plan: m.Plan, member: str, by: str, kind: AssessmentType) -> None:
    found = ids.assessment_id(plan.plan_id, office.people[member], kind)
    ladder = office.do(office.company.configs.ladder(plan))
    changes = [
        ChangeIn(
            category=category.name,
            competency=each.name,
            level=1,
            evidence=SCRIPT,
            next_level_feedback=SCRIPT,
        )
        for category in ladder.categories
        for each in category.competencies
    ]
    body = SaveIn(changes=changes, way_forward=SCRIPT)
    stored = office.do(office.company.db.require(m.assessment(found)))
    seen = Precondition.seen(stored.revision)
    office.do(office.company.assessments.save(office.caller(by), found, body, seen))
    office.do(office.company.assessments.submit(office.caller(by), found))


def _reported(office: Office, plan: m.Plan, about: str) -> str:
    company, omar, lina = office.company, office.caller("omar"), office.caller("lina")
    report_id = office.do(company.reports.build(omar, plan.plan_id, about)).report.report_id
    office.do(company.reports.release(omar, report_id))
    action = ActionIn(title=SCRIPT, note=SCRIPT, due_at=company.now() + timedelta(days=9))
    office.do(company.growth.add_action(lina, report_id, action))
    office.do(company.reports.acknowledge(lina, report_id, SCRIPT))
    return report_id


def crawled(browser: Browser, begin: tuple[str, ...]) -> dict[str, str]:
    """The pages that these lead to, and theirs."""
    seen: dict[str, str] = {}
    waiting = list(reversed(begin))
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
            links = re.findall(r'(?:href|hx-get)="(/ladders(?:/[^"#?]*)?)"', page.text)
            waiting[:0] = [each for each in links if _is_page(each)]
    return seen


def _is_page(path: str) -> bool:
    apart = ("/api/", "/live", "/export", "/docs", ".md")
    return not any(each in path for each in apart)


def told(seen: dict[str, str], text: str = "alert(7)") -> list[str]:
    """The pages on which it stands, as text."""
    return [path for path, page in seen.items() if text in page]


@pytest.mark.parametrize(
    ("who", "least", "named"),
    [("ines", 20, True), ("omar", 16, True), ("lina", 9, True), ("mateo", 1, False)],
)
def test_script_is_text_on_every_page(
    who: str, least: int, named: bool, office: Office, bad: Bad
) -> None:
    """And people are nowhere for those who have nothing to do with them."""
    with signed_in(office, who) as browser:
        seen = crawled(browser, bad.pages)
    assert len(told(seen)) >= least, {path: len(page) for path, page in seen.items()}
    assert all(each.count("<html") <= 1 for each in seen.values())
    assert bool(told(seen, NAME)) == named, told(seen, NAME)


def test_script_is_text_for_visitors(office: Office, bad: Bad) -> None:
    """Who have nothing to see."""
    with signed_in(office) as browser:
        seen = crawled(browser, bad.pages)
    assert told(seen) == []


def test_answers_are_never_taken_for_pages(office: Office, bad: Bad) -> None:
    with signed_in(office, "ines") as browser:
        for path in ("/me", "/users", "/audit", "/configs/active", f"/teams/{SCRIPT}"):
            answer = browser.get(f"{API}{path}", headers={"Accept": "text/html"})
            assert "json" in answer.headers["content-type"], path
            assert answer.headers["x-content-type-options"] == "nosniff"
        active = browser.get(f"{API}/configs/active").json()["config_id"]
        text = browser.get(f"{API}/configs/{active}/markdown", headers={"Accept": "text/html"})
        assert text.headers["content-type"].startswith("text/markdown")
        assert text.headers["content-disposition"].startswith("attachment")


# --- people --------------------------------------------------------------------------------------

EMAIL = "wilhelmina.featherstone@people.test"
#: What stands for each thing that is somebody's, or is said of them.
PERSONAL: Final = {
    "name": "Wilhelmina Ost",
    "address": "featherstone",
    "evidence": "led the quiet migration",
    "feedback": "hesitates in large rooms",
    "way forward": "speak before the whole guild",
    "comment": "found this unfair",
    "reason": "forgot the harvest project",
    "action": "rehearse with a coach",
    "note": "every second tuesday",
    "stranger": "bartholomew",
}
#: Of the manager, and of who was never invited.
MANAGER, STRANGER = "persephone", "bartholomew.friend@people.test"


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything in the log of the service, with all that its lines carry; not the clients'."""
    others = ("httpx", "httpcore", "asyncio", "mail.log")
    lines = [each for each in caplog.records if not each.name.startswith(others)]
    return "\n".join(f"{each.getMessage()} {each.__dict__}" for each in lines)


@dataclass
class Life:
    """Everything that can be done about somebody, and what they were refused with."""

    api: Api
    clock: ManualClock
    refusals: list[str]
    member: Principal = field(default_factory=lambda: person("wilhelmina", email=EMAIL))
    manager: Principal = field(default_factory=lambda: person(MANAGER))

    async def lived(self, box: MailBox) -> None:
        admin = self.api.as_(OPERATOR)
        named = {"email": EMAIL.upper(), "name": PERSONAL["name"]}
        user = await admin.done("POST", "/users", named)
        boss = {"email": f"{MANAGER}@people.test", "name": MANAGER, "roles": ["manager"]}
        chief = await admin.done("POST", "/users", boss)
        await config_made(self.api.company)
        asked = {"team_name": "Ours", "manager_id": chief["user_id"]}
        team = await admin.done("POST", "/teams", asked)
        place = f"/teams/{team['team_id']}"
        await self.boss("POST", f"{place}/members", {"emails": [EMAIL]})
        plan = await self.boss("POST", f"{place}/plans", self._plan())
        await self.boss("POST", f"/plans/{plan['plan_id']}/activate")
        # The server repeats the address when it refuses it.
        await self.mailed(box, f"550 no such user <{EMAIL}>")
        await self.reviewed(plan["plan_id"], user["user_id"])
        await self.refused(place, plan["plan_id"], user)
        await self.mailed(box, f"451 not now for <{EMAIL}>")
        await self.mailed(box, "250 ok")
        gone = f"/users/{user['user_id']}"
        changed = {"name": f"{PERSONAL['name']} again"}
        await admin.done("PATCH", gone, changed, If_Match="*")
        await self.boss("DELETE", f"{place}/members/{user['user_id']}")
        await admin.done("POST", f"{gone}/erase")

    async def boss(self, method: str, path: str, body: object = None, **said: str) -> Any:
        return await self.api.as_(self.manager).done(method, path, body, **said)

    async def own(self, method: str, path: str, body: object = None, **said: str) -> Any:
        return await self.api.as_(self.member).done(method, path, body, **said)

    def _plan(self) -> dict[str, Any]:
        now = self.api.company.now()
        dates = {"start_date": now.isoformat(), "end_date": (now + timedelta(days=9)).isoformat()}
        return {"season": "2026-H2", "plan_name": "A review", **dates}

    async def reviewed(self, plan_id: str, user_id: str) -> None:
        own, manager = (
            f"/assessments/{ids.assessment_id(plan_id, user_id, kind)}"
            for kind in ids.ASSESSMENT_KINDS
        )
        await self.boss("POST", f"/plans/{plan_id}/remind")
        text = PERSONAL["evidence"]
        for change in ({"category": text, "competency": text}, {"category": "Craft"}):
            body = {"changes": [{**change, "level": 9, "evidence": text}]}
            self._refusal(await self.api.as_(self.member)("PATCH", own, body, If_Match="*"))
        await self.own("PATCH", own, said_of_all(), If_Match="*")
        await self.own("POST", f"{own}/submit")
        await self.boss("POST", f"{own}/reopen", {"reason": PERSONAL["reason"]})
        await self.own("POST", f"{own}/submit")
        await self.boss("PATCH", manager, said_of_all(), If_Match="*")
        await self.boss("POST", f"{manager}/submit")
        report = await self.boss("POST", f"/plans/{plan_id}/reports/{user_id}")
        place = f"/reports/{report['report_id']}"
        await self.boss("POST", f"{place}/release")
        due = (self.api.company.now() + timedelta(days=30)).isoformat()
        action = {"title": PERSONAL["action"], "note": PERSONAL["note"], "due_at": due}
        made = await self.own("POST", f"{place}/actions", action)
        await self.boss("PATCH", f"{place}/actions/{made['action_id']}", {"status": "done"})
        await self.own("POST", f"{place}/acknowledge", {"comment": PERSONAL["comment"]})
        for kind in ("pdf", "csv", "json"):
            answer = await self.api.as_(self.member)("POST", f"{place}/export?format={kind}")
            assert answer.is_success
        await self.own("GET", "/me/export")

    async def refused(self, place: str, plan_id: str, user: dict[str, Any]) -> None:
        """What people get wrong, with what is theirs in it."""
        own = f"/assessments/{ids.assessment_id(plan_id, user['user_id'], 'self')}"
        wrong: list[tuple[Principal | None, str, str, object]] = [
            (OPERATOR, "POST", "/users", {"email": EMAIL, "name": PERSONAL["name"]}),
            (OPERATOR, "POST", "/users", {"email": f"{EMAIL}@", "name": PERSONAL["name"]}),
            (OPERATOR, "POST", "/users", {"email": EMAIL, "name": PERSONAL["name"] * 20}),
            (OPERATOR, "GET", f"/users/{quote(EMAIL)}", None),
            (OPERATOR, "GET", f"/users?cursor={quote(EMAIL)}", None),
            (OPERATOR, "GET", f"/audit?limit={quote(EMAIL)}", None),
            (OPERATOR, "PATCH", f"/users/{user['user_id']}", {"roles": [EMAIL]}),
            (self.manager, "POST", f"{place}/members", {"emails": [STRANGER]}),
            (self.manager, "POST", f"{place}/members", {"user_ids": [EMAIL]}),
            (self.manager, "POST", f"{own}/reopen", {"reason": PERSONAL["reason"] * 40}),
            (self.member, "PATCH", own, said_of_all()),
            (self.member, "PATCH", own, {"way_forward": PERSONAL["way forward"] * 999}),
            (person("x", email=STRANGER), "GET", "/me", None),
            (None, "GET", f"/members/{quote(EMAIL)}/reports", None),
        ]
        for who, method, path, body in wrong:
            answer = await self.api.as_(who)(method, path, body, If_Match="*")
            self._refusal(answer)

    def _refusal(self, answer: httpx2.Response) -> None:
        assert 400 <= answer.status_code < 500, answer.text
        self.refusals.append(answer.text)

    async def mailed(self, box: MailBox, answer: str) -> None:
        box.answer = answer
        self.clock.advance(7200)
        await send(self.api.company, f"smtp://127.0.0.1:{box.port}")


def said_of_all() -> dict[str, Any]:
    changes = [
        {
            "category": category,
            "competency": name,
            "level": 3,
            "evidence": PERSONAL["evidence"],
            "next_level_feedback": PERSONAL["feedback"],
        }
        for category, name in EVERYTHING
    ]
    return {"changes": changes, "way_forward": PERSONAL["way forward"]}


def test_people_stand_where_they_belong_and_nowhere_else(
    tablewright_engine: Engine, engine_backend: Backend, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in the log, nor in audit, outbox, metrics or problems: an address is looked up when a
    mail is sent, and only then."""
    caplog.set_level(logging.DEBUG)
    clock = ManualClock(START)

    async def story(box: MailBox) -> dict[str, str]:
        async with api_on(engine_backend, clock) as api:
            life = Life(api, clock, [])
            await life.lived(box)
            assert EMAIL in {each for _, to, _ in box.got for each in to}
            kit = tablewright_engine.call("Scan", {"TableName": "ladders-kit"})
            return {
                "audit and outbox": str(kit["Items"]),
                "audit": str(await api.as_(OPERATOR).get("/audit?limit=100")),
                "metrics": (await api.http.get("/metrics")).text,
                "problems": "\n".join(life.refusals),
                "log": logged(caplog),
                "mails": "\n".join(each.get_content() for _, _, each in box.got),
            }

    with mail_server() as box:
        looked = run(story(box))
    assert all(len(each) > 100 for each in looked.values()), {k: len(v) for k, v in looked.items()}
    for place, text in looked.items():
        lower = text.lower()
        found = [name for name, each in PERSONAL.items() if each.lower() in lower]
        assert found + [MANAGER] * (MANAGER in lower) == [], (place, _around(lower))


def _around(text: str) -> list[str]:
    """What stands around the first that was found."""
    places = [text.find(each.lower()) for each in (*PERSONAL.values(), MANAGER)]
    return [text[max(at - 200, 0) : at + 100] for at in places if at >= 0][:1]
