"""Jobs by the API, and followed as they go."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx2
import orjson
from tests.service.support import running
from tests.systems.vibejudge.api_support import API, OTTO, api_on, code_of
from tests.systems.vibejudge.jobs.support import Hold, repositories
from tests.systems.vibejudge.support import caller_of, hackathon, run, submission, wanted_body

from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.service.runtime import Runtime
from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.bodies.organizers import OrganizerIn
from tablewright.systems.vibejudge.service.courtroom import Courtroom
from tablewright.systems.vibejudge.system import system
from tablewright.testing.backends import Backend, in_process


def test_a_job_by_the_api_and_its_events(
    tmp_path: Path, engine_backend: Backend, clock: ManualClock, hold: Hold
) -> None:
    async def work() -> None:
        repos = repositories(tmp_path, 2)
        options = {"allow_local_paths": True, "local_root": tmp_path, "processes": 2}
        async with api_on(engine_backend, clock, **options) as api:
            made = await api.done("POST", "/hackathons", wanted_body())
            path = f"/hackathons/{made['hack_id']}"
            assert code_of(await api("POST", f"{path}/analyze")) == (409, "HACKATHON_STATE")
            await api.done("POST", f"{path}/activate")
            assert code_of(await api("POST", f"{path}/analyze")) == (409, "NO_SUBMISSIONS")
            mine = await api.courtroom.db.require(reads.hackathon(made["hack_id"]))
            for each in repos:
                await submission(api.courtroom, mine, repo_url=str(each.folder))

            started = await api("POST", f"{path}/analyze")
            assert started.status_code == 202
            job = started.json()
            assert started.headers["location"].endswith(f"{path}/jobs/{job['job_id']}")
            assert (job["status"], job["cancelling"]) == ("queued", False)
            assert code_of(await api("POST", f"{path}/analyze")) == (409, "JOB_ACTIVE")
            one = f"{path}/jobs/{job['job_id']}"
            for method, where in (
                ("GET", one),
                ("GET", f"{one}/tasks"),
                ("GET", f"{one}/events"),
                ("POST", f"{one}/cancel"),
                ("POST", f"{one}/resume"),
                ("GET", f"{path}/jobs"),
                ("POST", f"{path}/analyze"),
            ):
                assert code_of(await api.as_(OTTO)(method, where)) == (404, "NOT_FOUND"), where
                assert (await api.as_("nobody")(method, where)).status_code == 401

            await _until(api, one, "running")
            await api.courtroom.analyst.work_once()
            ended = await api.get(one)
            assert (ended["status"], ended["completed_submissions"], ended["left"]) == (
                "completed",
                2,
                0,
            )
            assert [each["job_id"] for each in (await api.get(f"{path}/jobs"))["items"]] == [
                job["job_id"]
            ]
            tasks = (await api.get(f"{one}/tasks"))["items"]
            assert [each["state"] for each in tasks] == ["done", "done"]
            assert code_of(await api("POST", f"{one}/cancel")) == (409, "JOB_STATE")
            assert code_of(await api("POST", f"{one}/resume")) == (409, "JOB_STATE")
            # Who comes too late gets the whole picture, and its end.
            late = await api("GET", f"{one}/events")
            kinds = [kind for kind, _ in _parsed(late.text)]
            assert kinds == ["snapshot", "end"]
            again = await api("GET", f"{one}/events", Last_Event_ID="whatever")
            assert again.status_code == 204

    run(work())


async def _until(api: Any, path: str, status: str) -> None:
    async with asyncio.timeout(10):
        while (await api.get(path))["status"] != status:
            await asyncio.sleep(0.02)


def _parsed(text: str) -> list[tuple[str, Any]]:
    found = []
    for block in text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in lines:
            found.append((lines["event"], orjson.loads(lines["data"])))
    return found


def test_a_job_is_followed_from_its_start_to_its_end(
    tmp_path: Path, tablewright_engine: Engine, hold: Hold
) -> None:
    """The whole process over HTTP, workers and all: nobody tells it what to do next."""
    repos = repositories(tmp_path, 3)
    environ = {
        "TABLEWRIGHT_VIBEJUDGE_ALLOW_LOCAL_PATHS": "true",
        "TABLEWRIGHT_VIBEJUDGE_LOCAL_ROOT": str(tmp_path),
        "TABLEWRIGHT_VIBEJUDGE_PROCESSES": "2",
    }
    prepared: dict[str, str] = {}

    async def prepare(runtime: Runtime) -> None:
        courtroom = Courtroom(runtime)
        body = OrganizerIn(email="olga@people.test", name="Olga")
        made = await courtroom.organizers.register(body, None)
        caller = caller_of(made.organizer.org_id)
        mine = await hackathon(courtroom, caller)
        for each in repos:
            await submission(courtroom, mine, repo_url=str(each.folder))
        prepared.update(key=made.api_key, hack_id=mine.hack_id)

    with (
        in_process(tablewright_engine) as backend,
        running(system, backend, environ=environ, opened=prepare) as service,
        httpx2.Client(base_url=service.url, timeout=20) as http,
    ):
        http.headers["X-API-Key"] = prepared["key"]
        path = f"{API}/hackathons/{prepared['hack_id']}"
        began = time.monotonic()
        job = http.post(f"{path}/analyze").json()
        with http.stream("GET", f"{path}/jobs/{job['job_id']}/events") as stream:
            text = "".join(stream.iter_text())
        events = _parsed(text)
        assert time.monotonic() - began < 15
        assert (events[0][0], events[-1]) == ("snapshot", ("end", {}))
        states: dict[str, list[str]] = {}
        for each in events[0][1]["tasks"]:
            states.setdefault(each["sub_id"], []).append(each["state"])
        for kind, data in events:
            if kind == "task":
                states.setdefault(data["sub_id"], []).append(data["state"])
        assert len(states) == 3
        assert all(each[-1] == "done" for each in states.values())
        assert any("leased" in each for each in states.values())
        last = [data for kind, data in events if kind == "job"][-1]
        assert (last["status"], last["completed_submissions"]) == ("completed", 3)
