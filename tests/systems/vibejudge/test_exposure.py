"""What must not come out: script that runs, formulas, keys and tokens, addresses of people."""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest
from tests.console.support import Browser, signed_in
from tests.systems.vibejudge.api_world import API, JUDGE, OLGA, OTTO, World, row, world
from tests.systems.vibejudge.standings.support import Scored
from tests.systems.vibejudge.support import wanted_body

from tablewright.console.assets import Assets
from tablewright.console.front import Console
from tablewright.model import put
from tablewright.service.kit import audit
from tablewright.service.runtime import Runtime
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import Evidence
from tablewright.systems.vibejudge.system import system

#: Ends a text, an attribute and a script, and begins one.
SCRIPT = "'\"></title></textarea></script><script>alert(7)</script><img src=x onerror=alert(7)>"
_RAW = re.compile(r"<script>alert\(7\)|<img src=x onerror", re.IGNORECASE)
#: What a spreadsheet takes for a formula.
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", '=HYPERLINK("https://x")')
_PAGES = 90


@pytest.fixture(scope="module")
def service() -> Iterator[World]:
    with world(front=_console) as found:
        yield found


def _console(runtime: Runtime) -> Console:
    return Console({system: (runtime, system.build(runtime))}, runtime.settings, Assets())


def logged(caplog: pytest.LogCaptureFixture) -> str:
    """Everything in the log of the service, with all that its lines carry; not the clients'."""
    others = ("httpx", "httpcore", "uvicorn.access", "asyncio")
    lines = [each for each in caplog.records if not each.name.startswith(others)]
    return "\n".join(f"{each.getMessage()} {each.__dict__}" for each in lines)


# --- script --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bad:
    """A hackathon in which every text is script."""

    hack_id: str
    sub_id: str
    #: Of the team, and of a judge who has not begun.
    token: str
    invitation: str


def stored(service: World, scored: Scored) -> None:
    """What a repository, a model or somebody else may have written: nothing was looked at."""
    texts = {
        "team_name": SCRIPT[:50],
        "repo_name": SCRIPT[:50],
        "repo_owner": SCRIPT[:50],
        "repo_url": f"javascript:alert(7)//{SCRIPT}",
        "error_message": SCRIPT,
    }
    evidence = Evidence(file=SCRIPT, line=3, severity="high", message=SCRIPT, excerpt=SCRIPT[:200])
    summary = {
        "team_name": SCRIPT[:50],
        "flags": [f"injection: {SCRIPT}"],
        "strengths": [SCRIPT],
        "weaknesses": [SCRIPT],
    }
    changed = [
        scored.submission.model_copy(update=texts),
        scored.summary.model_copy(update=summary),
        *(
            each.model_copy(update={"evidence": [evidence], "summary": SCRIPT})
            for each in scored.scores.values()
        ),
    ]
    for each in changed:
        service.do(service.courtroom.db.run(put(each).replace()))


@pytest.fixture(scope="module")
def bad(service: World) -> Bad:
    dimensions = [
        {"name": SCRIPT[:50], "weight": 1, "agent": "innovation", "description": SCRIPT},
    ]
    said = {
        "name": SCRIPT[:100],
        "description": SCRIPT,
        "visibility": "public",
        "rubric": {"name": SCRIPT[:100], "dimensions": dimensions},
    }
    hack_id = service.hackathon(**said)
    scored = service.scored(hack_id)
    sub_id = scored.submission.sub_id
    place = f"/hackathons/{hack_id}"
    path = f"{place}/submissions/{sub_id}"
    invited = service.done("POST", f"{place}/judges", {"name": SCRIPT[:100]})["token"]
    service.done("PATCH", f"{place}/rounds/{service.round(hack_id)}", {"state": "open"})
    service.done("POST", f"{path}/override", {"score": 80, "reason": SCRIPT})
    body = {"disqualified": True, "reason": SCRIPT}
    service.done("PATCH", f"{place}/submissions/{service.submission(hack_id)}", body)
    token = service.token(hack_id, sub_id)
    stored(service, as_stored(service, scored))
    service.release(hack_id)
    service.done("POST", f"/results/{token}/appeal", {"text": SCRIPT}, "nobody")
    service.done("POST", f"{path}/appeal", {"state": "rejected", "answer": SCRIPT})
    return Bad(hack_id, sub_id, token, invited)


def as_stored(service: World, scored: Scored) -> Scored:
    """The same as it is stored now."""
    sub = scored.submission
    db = service.courtroom.db
    return replace(
        scored,
        submission=service.do(db.require(reads.submission(sub.hack_id, sub.sub_id))),
        summary=service.do(db.require(reads.submission_summary(sub.sub_id))),
    )


def crawled(browser: Browser, *begin: str) -> dict[str, str]:
    """The pages that these lead to, and theirs."""
    seen: dict[str, str] = {}
    waiting = list(begin)
    while waiting and len(seen) < _PAGES:
        path = waiting.pop()
        if path in seen:
            continue
        page = browser.get(path)
        seen[path] = page.text
        assert page.status_code < 500, (path, page.text[:500])
        assert not _RAW.search(page.text), path
        assert 'href="javascript:' not in page.text.lower(), path
        if page.headers.get("content-type", "").startswith("text/html"):
            links = re.findall(r'(?:href|hx-get)="(/vibejudge(?:/[^"#?]*)?)"', page.text)
            waiting += [each for each in links if "/api/" not in each and "/live" not in each]
    return seen


def test_script_is_text_on_every_page(service: World, bad: Bad) -> None:
    """Of organisers, of teams and of everybody."""
    places = (
        f"/vibejudge/hackathons/{bad.hack_id}",
        f"/vibejudge/hackathons/{bad.hack_id}/submissions/{bad.sub_id}",
        f"/vibejudge/results/{bad.token}",
        f"/vibejudge/gallery/{bad.hack_id}",
    )
    with signed_in(service.service, "demo-admin") as browser:
        seen = crawled(browser, *places)
    told = [path for path, text in seen.items() if "alert(7)" in text or "alert&#" in text]
    assert len(seen) > 12
    assert len(told) > 6, sorted(seen)
    assert seen[places[0]].count("<html") == 1


def test_script_is_text_for_visitors_and_judges(service: World, bad: Bad) -> None:
    begin = (
        "/vibejudge/gallery",
        f"/vibejudge/gallery/{bad.hack_id}",
        f"/vibejudge/results/{bad.token}",
        f"/vibejudge/invitations/{bad.invitation}",
    )
    browser = Browser(service.service)
    with browser.client:
        seen = crawled(browser, *begin)
        assert len([path for path, text in seen.items() if "alert(7)" in text]) > 3, sorted(seen)
        # No other page than ours makes a judge of somebody.
        foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.test"}
        assert browser.client.post(begin[-1], headers=foreign).status_code == 403
        begun = browser.client.post(begin[-1], headers={"Sec-Fetch-Site": "same-origin"})
        assert begun.status_code == 303, begun.text
        desk = crawled(browser, begun.headers["location"])
    assert "alert(7)" in desk[begun.headers["location"]]


def test_answers_are_never_taken_for_pages(service: World, bad: Bad) -> None:
    html = {**service.headers(OLGA), "Accept": "text/html"}
    place = f"{API}/hackathons/{bad.hack_id}"
    for path in ("", "/submissions", f"/submissions/{bad.sub_id}/scorecard", f"/{SCRIPT}"):
        answer = service.http.get(f"{place}{path}", headers=html)
        assert "json" in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"


# --- formulas ------------------------------------------------------------------------------------


def test_no_cell_of_an_export_is_a_formula(service: World) -> None:
    dimensions = [{"name": "=1+1", "weight": 1, "agent": "innovation"}]
    hack_id = service.hackathon(rubric={"name": "x", "dimensions": dimensions})
    for text in FORMULAS:
        scored = service.scored(hack_id)
        changed = {"team_name": text, "repo_url": text, "rank_score": Decimal(50)}
        submission = scored.submission.model_copy(update=changed)
        flagged = scored.summary.model_copy(update={"flags": [text]})
        for each in (submission, flagged):
            service.do(service.courtroom.db.run(put(each).replace()))
    path = f"{API}/hackathons/{hack_id}/export.csv"
    answer = service.http.get(path, headers=service.headers(OLGA))
    assert answer.headers["content-type"].startswith("text/csv")
    assert answer.headers["content-disposition"].startswith("attachment")
    rows = list(csv.reader(io.StringIO(answer.text, newline="")))
    assert {f"'{each}" for each in FORMULAS} <= {cells[1] for cells in rows}
    for cells in rows:
        for cell in cells:
            number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "\r")), cell


# --- secrets -------------------------------------------------------------------------------------


def _answers(service: World, paths: tuple[str, ...], who: str = OLGA) -> list[str]:
    return [service.ask("GET", path, who=who).text for path in paths]


def test_keys_and_tokens_come_back_in_no_answer_and_stand_in_no_log(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Each is told once; what is kept is a digest."""
    caplog.set_level(logging.DEBUG)
    hack_id = service.hackathon(visibility="public")
    place = f"/hackathons/{hack_id}"
    invited = service.invitation(hack_id)
    key = service.done("POST", "/organizers/me/keys", {"name": "tests"})["api_key"]
    path = f"/public{place}/submissions"
    team = service.done("POST", path, row(), "nobody")["result_token"]
    judge = service.done("POST", "/judging/accept", {"token": invited["token"]}, "nobody")
    service.ask("GET", f"/results/{team}", who="nobody")
    service.ask("GET", f"/results/{team}x", who="nobody")
    service.ask("GET", "/hackathons", who=f"{key}x")
    service.ask("POST", "/judging/accept", {"token": invited["token"]}, "nobody")
    answers = _answers(
        service,
        (
            *("/organizers/me", "/organizers/me/keys", "/hackathons", place),
            *(f"{place}/{name}" for name in ("submissions", "judges", "stats", "export.csv")),
        ),
    )
    answers += _answers(service, ("/api-keys", "/outbox/sent", "/outbox/dead"), "admin")
    answers += [service.http.get("/metrics").text, str(service.items())]
    until = service.courtroom.now()
    entries = service.do(audit.entries(service.service.runtime.db, until=until, limit=100))
    answers += [repr(each) for each in entries]
    secrets = (key, judge["api_key"], team.rpartition(".")[2], invited["token"])
    for secret in (*secrets, *service.keys.values()):
        assert not [each for each in answers if secret in each]
        assert secret not in logged(caplog)


def test_addresses_of_people_are_their_own(
    service: World, caplog: pytest.LogCaptureFixture
) -> None:
    """An organiser's e-mail is shown to them, and stands in no key, no log and no audit entry."""
    caplog.set_level(logging.DEBUG)
    email = "quintessa.vanderbilt@people.test"
    body = {"email": email, "name": "Quintessa"}
    made = service.done("POST", "/organizers", body, "nobody")
    again = service.ask("POST", "/organizers", {**body, "email": email.upper()}, "nobody")
    assert again.status_code == 409
    assert email not in again.text.lower()
    broken = service.ask("POST", "/organizers", {**body, "email": f"{email} x"}, "nobody")
    assert email not in broken.text
    who = made["api_key"]
    hackathon = service.done("POST", "/hackathons", wanted_body(visibility="public"), who)
    service.done("POST", f"/hackathons/{hackathon['hack_id']}/activate", who=who)
    shown = _answers(
        service, ("/public/hackathons", f"/public/hackathons/{hackathon['hack_id']}"), "nobody"
    )
    until = service.courtroom.now()
    entries = service.do(audit.entries(service.service.runtime.db, until=until, limit=100))
    shown += [*map(repr, entries), service.http.get("/metrics").text, logged(caplog)]
    assert not [each for each in shown if "quintessa.vanderbilt" in each.lower()]
    assert not [
        item for item in service.items() if "quintessa" in f"{item['PK']} {item['SK']}".lower()
    ]
    assert service.done("GET", "/organizers/me", who=who)["email"] == email
    service.done("DELETE", "/organizers/me", who=who)
    assert "quintessa" not in str(service.items()).lower()


# --- what is not for everybody -------------------------------------------------------------------


def test_the_public_board_tells_less(service: World) -> None:
    """Names, ranks and scores; what is for people to look into is the organiser's."""
    hack_id, *_ = service.released(visibility="public")
    path = f"/hackathons/{hack_id}/leaderboard"
    for who in ("nobody", OTTO, JUDGE):
        told = service.done("GET", path, who=who)
        (shown,) = told["items"]
        given = {name for name, value in shown.items() if value is not None}
        assert given == {"rank", "sub_id", "team_name", "score", "analysed", "repo_url"}, who
    assert service.done("GET", path)["items"][0]["confidence"] is not None


def test_a_team_sees_neither_flags_nor_costs_nor_judges(service: World) -> None:
    hack_id = service.hackathon()
    scored = service.scored(hack_id, flags=("similarity: 0.93",))
    token = service.token(hack_id, scored.submission.sub_id)
    service.release(hack_id)
    text = service.http.get(f"{API}/results/{token}").text
    assert "similarity" not in text
    assert "cost" not in text
    assert "judge_id" not in text


def test_a_judge_sees_what_nobody_else_says(service: World) -> None:
    """Neither scores of agents nor of others: they are to look for themselves."""
    found = service.done("GET", f"/judging/{service.judged[JUDGE]}/next", who=JUDGE)
    assert found["submission"].keys() == {"sub_id", "team_name", "repo_url", "commit_sha"}
    assert not {"overall_score", "final_score", "confidence"} & found.keys()
