"""The demo of a running system: whole, true, repeatable, and without a network."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.cli.up_support import Up, started
from tests.systems.vibejudge.support import START, audited, courtroom_on

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.live_demo import fill, filling, go_on, going_on
from tablewright.systems.vibejudge.live_demo.bench import PEOPLE
from tablewright.systems.vibejudge.live_demo.cast import (
    BEGAN,
    DRAFT,
    ENDED,
    JUDGED,
    OPEN,
    ORGANIZER,
    PLANS,
    RELEASED,
    TEAMS,
)
from tablewright.systems.vibejudge.live_demo.filling import hackathons, who
from tablewright.systems.vibejudge.live_demo.repositories import place_of, projects
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.static import Window, analyse
from tablewright.testing.backends import in_process

#: One that is good, and one that is not.
TWO = ("toolshed", "snackchain")


@asynccontextmanager
async def empty(clock: ManualClock) -> AsyncIterator[Courtroom]:
    """A place without anything, and nobody at work in it."""
    with Engine.memory(clock=clock) as engine, in_process(engine) as backend:
        async with courtroom_on(backend, clock, opened=True) as courtroom:
            yield courtroom


async def found(courtroom: Courtroom) -> tuple[Caller, dict[str, HackathonDetail]]:
    caller = await who(courtroom)
    assert caller is not None
    return caller, await hackathons(courtroom, caller)


async def submitted(courtroom: Courtroom, made: HackathonDetail) -> list[Submission]:
    return [each async for each in courtroom.db.iterate(reads.submissions(made.hack_id))]


async def state(courtroom: Courtroom) -> dict[str, object]:
    """All that could be there twice."""
    caller, known = await found(courtroom)
    rows = await courtroom.hackathons.of(caller, limit=100)
    return {
        "rows": [(each.hack_id, each.name, each.version) for each in rows],
        "submissions": [
            (each.sub_id, each.team_name, each.version)
            for made in known.values()
            for each in await submitted(courtroom, made)
        ],
        "jobs": [
            (each.job_id, each.total_submissions)
            for made in known.values()
            for each in await courtroom.jobs.of(caller, made.hack_id)
        ],
        "audited": sorted(await audited(courtroom)),
    }


# --- filling -------------------------------------------------------------------------------------


def test_it_is_whole_before_anything_is_analysed() -> None:
    async def scenario() -> None:
        async with empty(ManualClock(START)) as courtroom:
            await fill(courtroom)
            _, known = await found(courtroom)
            states = {name: (each.status, each.visibility) for name, each in known.items()}
            assert states == {
                RELEASED.name: ("analyzing", "public"),
                JUDGED.name: ("analyzing", "private"),
                OPEN.name: ("configured", "public"),
                DRAFT.name: ("draft", "private"),
            }
            for plan in PLANS:
                teams = {each.team_name for each in await submitted(courtroom, known[plan.name])}
                assert teams == {TEAMS[each] for each in plan.projects}
            assert known[OPEN.name].end_date > courtroom.now()  # type: ignore[operator]
            assert set(TEAMS) == set(projects()), "each project has a team"
            assert await go_on(courtroom) is False, "the agents have not spoken yet"

    asyncio.run(scenario())


def test_a_second_attempt_adds_nothing_also_an_hour_later() -> None:
    """The first one may have been killed at the very end."""

    async def scenario() -> None:
        clock = ManualClock(START)
        async with empty(clock) as courtroom:
            await fill(courtroom)
            first = await state(courtroom)
            clock.advance(3600)
            await fill(courtroom)
            assert await state(courtroom) == first

    asyncio.run(scenario())


class Killed(BaseException):
    """Nothing catches it, as nothing catches the end of a process."""


@pytest.mark.parametrize(
    ("subject", "act"),
    [
        ("organizers", "set_tier"),
        ("hackathons", "activate"),
        ("submissions", "submit"),
        ("jobs", "start"),
    ],
)
def test_an_attempt_that_was_killed_is_finished_by_the_next_one(subject: str, act: str) -> None:
    async def scenario() -> None:
        async with empty(ManualClock(START)) as courtroom:
            await _stopped_at(courtroom, subject, act)
            await fill(courtroom)
            _, known = await found(courtroom)
            assert set(known) == {plan.name for plan in PLANS}
            for plan in PLANS:
                made = known[plan.name]
                assert made.submission_count == len(plan.projects)
                assert (made.active_job_id is not None) == plan.analysed

    asyncio.run(scenario())


async def _stopped_at(courtroom: Courtroom, subject: str, act: str) -> None:
    async def killed(*_: Any, **__: Any) -> Any:
        raise Killed

    owner = getattr(courtroom, subject)
    real = getattr(owner, act)
    setattr(owner, act, killed)
    with pytest.raises(Killed):
        await fill(courtroom)
    setattr(owner, act, real)


def test_a_place_without_the_demo_stays_without_it() -> None:
    async def scenario() -> None:
        async with empty(ManualClock(START)) as courtroom:
            assert await go_on(courtroom) is None
            assert (await courtroom.organizers.caller(ORGANIZER)).org_id is None

    asyncio.run(scenario())


def test_elsewhere_than_on_ones_own_machine_nothing_is_filled() -> None:
    async def scenario() -> None:
        async with empty(ManualClock(START)) as courtroom:
            courtroom.access = replace(courtroom.access, bundled_root=None)
            await fill(courtroom)
            assert await who(courtroom) is None

    asyncio.run(scenario())


# --- what follows --------------------------------------------------------------------------------


def test_it_is_judged_released_and_the_same_when_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two of its projects in both hackathons: what is analysed twice is found twice."""
    released, judged = (replace(each, projects=TWO) for each in (RELEASED, JUDGED))
    for module in (filling, going_on):
        monkeypatch.setattr(module, "PLANS", (released, judged))
    monkeypatch.setattr("tablewright.systems.vibejudge.live_demo.bench._OPINIONS", _SAME)

    async def scenario() -> None:
        async with empty(ManualClock(START)) as courtroom:
            await fill(courtroom)
            assert await courtroom.analyst.work_once() == 2 * len(TWO)
            assert await go_on(courtroom) is True
            caller, known = await found(courtroom)
            first, second = known[RELEASED.name], known[JUDGED.name]
            assert (first.status, second.status) == ("completed", "completed")
            assert first.released_at == courtroom.now()
            assert second.released_at is None
            scores = await _scores(courtroom, first)
            assert scores == await _scores(courtroom, second)
            await _check_judges(courtroom, caller, second)
            before = await audited(courtroom)
            assert await go_on(courtroom) is True
            assert await audited(courtroom) == before, "and nothing is done twice"

    asyncio.run(scenario())


_SAME = dict.fromkeys(TWO, ("7", "6.5", "8"))
#: What is one's own in every run.
_OWN = {"hack_id", "sub_id", "run_id", "created_at", "updated_at", "latency_ms"}


async def _scores(courtroom: Courtroom, made: HackathonDetail) -> dict[str, list[dict[str, Any]]]:
    """What agents say of each team, without when and in which run."""
    told: dict[str, list[dict[str, Any]]] = {}
    for each in await submitted(courtroom, made):
        assert each.status == "completed", each.error_message
        assert each.run_id is not None
        stored = courtroom.db.iterate(reads.agent_scores(each.sub_id, each.run_id))
        told[each.team_name] = [one.model_dump(exclude=_OWN) async for one in stored]
        assert len(told[each.team_name]) == 4
    return told


async def _check_judges(courtroom: Courtroom, caller: Caller, made: HackathonDetail) -> None:
    (first,) = await courtroom.judging.rounds.of(caller, made.hack_id)
    assert first.state == "open"
    told = {
        each.judge.name: each for each in await courtroom.judging.judges.of(caller, made.hack_id)
    }
    assert set(told) == {each.name for each in PEOPLE}
    for person in PEOPLE:
        judge, ((_, work),) = told[person.name].judge, told[person.name].rounds
        assert judge.state == ("invited" if person.done is None else "active")
        assert work.done == min(work.assigned, person.done or 0)


# --- a process of its own ------------------------------------------------------------------------

#: Put first in a process: whoever leaves this machine is noted, and gets nowhere.
_NO_NETWORK = """
import os, socket

_real = socket.socket.connect

def _connect(self, address, *rest):
    if self.family != socket.AF_UNIX and not str(address[0]).startswith("127."):
        _note(address)
    return _real(self, address, *rest)

def _note(what):
    with open(os.environ["NOTED"], "a") as file:
        file.write(f"{what}\\n")
    raise OSError("there is no network")

_lookup = socket.getaddrinfo

def _getaddrinfo(host, *rest, **more):
    text = host.decode() if isinstance(host, bytes) else host
    if text not in (None, "localhost", "") and not text.startswith("127."):
        _note(host)
    return _lookup(host, *rest, **more)

socket.socket.connect = _connect
socket.getaddrinfo = _getaddrinfo
"""


def _cut_off(tmp_path: Path) -> dict[str, str]:
    """Variables of a process, and of those that it starts, that get nowhere."""
    (tmp_path / "sitecustomize.py").write_text(_NO_NETWORK)
    found = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {"PYTHONPATH": os.pathsep.join(found), "NOTED": str(tmp_path / "noted")}


def _client(up: Up) -> httpx2.Client:
    key = Path(up.facts["admin_key_file"]).read_text().strip()
    return httpx2.Client(
        base_url=f"{up.url}/vibejudge/api/v1", headers={"X-API-Key": key}, timeout=30
    )


def _got(client: httpx2.Client, path: str, **asked: Any) -> Any:
    answer = client.get(path, params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def _public(client: httpx2.Client, name: str) -> str:
    listed = _got(client, "/public/hackathons")["items"]
    (hack_id,) = (each["hack_id"] for each in listed if each["name"] == name)
    return str(hack_id)


def _completed(client: httpx2.Client, hack_id: str, least: int) -> list[dict[str, Any]]:
    """Wait until so many are."""
    ends = time.monotonic() + 90
    while True:
        listed = _got(client, f"/hackathons/{hack_id}/submissions", limit=100)["items"]
        done = [each for each in listed if each["status"] == "completed"]
        assert not [each for each in listed if each["status"] in ("failed", "timeout")], listed
        if len(done) >= least:
            return done
        assert time.monotonic() < ends, listed
        time.sleep(0.3)


def test_scenario_01_offline_demo(tmp_path: Path) -> None:
    """Offline demo: 3 completed, evidence true; repeat identical."""
    given = _cut_off(tmp_path)
    with started(
        "vibejudge", "--data", str(tmp_path / "data"), "--demo", cwd=tmp_path, **given
    ) as up:
        with _client(up) as client:
            hack_id = _public(client, RELEASED.name)
            for each in _completed(client, hack_id, 3):
                _check_card(client, hack_id, each)
        assert up.stop() == 0
    noted = tmp_path / "noted"
    assert not noted.exists(), noted.read_text()


def _check_card(client: httpx2.Client, hack_id: str, submission: dict[str, Any]) -> None:
    """What it says is so, at the commit that everybody has, and another look says the same."""
    card = _got(client, f"/hackathons/{hack_id}/submissions/{submission['sub_id']}/scorecard")
    repo = Path(submission["repo_url"])
    assert repo == place_of(repo.parent, submission["repo_name"])
    assert card["commit_sha"] == (repo / "refs" / "heads" / "main").read_text().strip()
    snapshot = snapshot_of_path(repo, root=repo.parent, limits=Limits(diffs=0))
    again = analyse(snapshot, Window(BEGAN, ENDED))
    assert {each["agent"] for each in card["agents"]} == set(again)
    for told in card["agents"]:
        found = again[told["agent"]]
        numbers = {name: None if n is None else float(n) for name, n in found.scores.items()}
        assert told["scores"] == numbers
        assert [(each["file"], each["line"], each["excerpt"]) for each in told["evidence"]] == [
            (each.file, each.line, each.excerpt) for each in found.evidence
        ]
        for each in told["evidence"]:
            _check_excerpt(repo, card["commit_sha"], each)
    assert sum(len(each["evidence"]) for each in card["agents"]) >= 1


def _check_excerpt(repo: Path, sha: str, said: dict[str, Any]) -> None:
    """The file, the line and the excerpt are there; git itself is asked."""
    command = ["git", "-C", str(repo), "show", f"{sha}:{said['file']}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    line = text.split("\n")[said["line"] - 1]
    assert said["excerpt"]
    assert said["excerpt"].removesuffix("…") in line, (said, line)


@pytest.mark.slow
def test_all_of_it_is_there_after_a_moment(tmp_path: Path) -> None:
    """Scored, released, and what people should look into is told."""
    given = _cut_off(tmp_path)
    words = ("vibejudge", "--data", str(tmp_path / "data"), "--demo")
    with started(*words, cwd=tmp_path, **given) as up:
        with _client(up) as client:
            hack_id = _public(client, RELEASED.name)
            done = _completed(client, hack_id, len(TEAMS))
            by_team = {each["team_name"]: each for each in done}
            _check_flags(client, hack_id, by_team[TEAMS["neonnotes"]])
            (pair,) = _got(client, f"/hackathons/{hack_id}/similarity")["pairs"]
            alike = {pair["first"]["team_name"], pair["second"]["team_name"]}
            assert alike == {TEAMS["toolshed"], TEAMS["shoreshare"]}
            _check_released(client, hack_id)
        assert up.stop() == 0


def _check_flags(client: httpx2.Client, hack_id: str, submission: dict[str, Any]) -> None:
    """Its README speaks to graders: people are told, and it gains and loses nothing by it."""
    card = _got(client, f"/hackathons/{hack_id}/submissions/{submission['sub_id']}/scorecard")
    assert any(each["flag"].startswith("injection:score:README.md:") for each in card["flags"])
    assert card["overall_score"] < 80


def _check_released(client: httpx2.Client, hack_id: str) -> None:
    ends = time.monotonic() + 60
    while not _got(client, f"/public/hackathons/{hack_id}")["released"]:
        assert time.monotonic() < ends
        time.sleep(0.5)
    with httpx2.Client(base_url=client.base_url, timeout=30) as nobody:
        board = _got(nobody, f"/hackathons/{hack_id}/leaderboard")["items"]
    scores = [each["score"] for each in board]
    assert len(board) == len(TEAMS)
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 80 > 50 > scores[-1], "they are of very different quality"
