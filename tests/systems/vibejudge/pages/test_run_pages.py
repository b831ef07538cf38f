"""Run: the estimate and the start, tiles that change while one looks, cancelling and resuming."""

from __future__ import annotations

import asyncio
import re
from typing import Any

from tests.console.support import Browser
from tests.systems.vibejudge.pages.support import Court
from tests.systems.vibejudge.support import submission

from tablewright.model import put
from tablewright.systems.vibejudge import job_reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, Task
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission


def _run(made: HackathonDetail, rest: str = "") -> str:
    return f"/vibejudge/hackathons/{made.hack_id}/run{rest}"


def _job(court: Court, made: HackathonDetail) -> AnalysisJob:
    """The latest."""
    return court.do(court.courtroom.jobs.of(court.caller, made.hack_id))[0]


def _started(court: Court, organizer: Browser, made: HackathonDetail) -> AnalysisJob:
    answer = organizer.post(_run(made, "/start"), {})
    assert answer.status_code == 303
    found = _job(court, made)

    async def filled() -> AnalysisJob:
        while True:
            job = await court.courtroom.db.require(job_reads.job(made.hack_id, found.job_id))
            if job.enumerated:
                return job
            await asyncio.sleep(0.01)

    return court.do(filled())


async def _ended(court: Court, job: AnalysisJob, sub_id: str, **changes: object) -> None:
    """A task that has come to an end, however that came about."""
    async for each in court.courtroom.db.iterate(job_reads.tasks_of_job(job.job_id)):
        if each.sub_id == sub_id:
            await court.courtroom.db.run(put(each.model_copy(update=changes)).replace())


def _states(text: str) -> dict[str, str]:
    found = re.findall(r'class="tile-run is-(\w+)".*?<a class="tile-name[^>]*>([^<]*)<', text, re.S)
    return {name: state for state, name in found}


def _two(court: Court, made: HackathonDetail) -> list[Submission]:
    return [court.do(submission(court.courtroom, made, name)) for name in ("Ants", "Bees")]


def test_before_a_start_it_says_what_it_would_cost(court: Court, organizer: Browser) -> None:
    made = court.planned("First Jam")
    assert "Nothing to analyse" in organizer.get(_run(made)).text
    _two(court, made)
    text = organizer.get(_run(made)).text
    assert "Free" in text
    assert "Start the analysis" in text
    assert _states(text) == {"Ants": "unseen", "Bees": "unseen"}
    assert "It is a draft" in organizer.get(court.path("draft", "/run")).text
    dear = court.planned("Asking Jam", agent_provider="openai")
    _two(court, dear)
    text = organizer.get(_run(dear)).text
    assert "Estimate the cost" in text
    assert "Start the analysis" not in text
    # Nobody has said which models could be asked.
    told = organizer.get(_run(dear, "/estimate"))
    assert told.status_code == 200
    assert "cannot be said now" in told.text


def test_a_job_is_started_followed_cancelled_and_resumed(court: Court, organizer: Browser) -> None:
    made = court.planned("Whole Jam")
    _two(court, made)
    job = _started(court, organizer, made)
    text = organizer.get(_run(made)).text
    assert f'sse-connect="{_run(made, f"/jobs/{job.job_id}/live")}"' in text
    assert "Cancel the analysis" in text
    assert "Start the analysis" not in text
    assert _states(text) == {"Ants": "queued", "Bees": "queued"}
    # A second one is told, and changes nothing.
    organizer.post(_run(made, "/start"), {})
    assert "is being analysed" in organizer.get(_run(made)).text
    live = organizer.get(_run(made, f"/jobs/{job.job_id}/status"))
    assert "HX-Refresh" not in live.headers
    assert "0 of 2" in live.text
    organizer.post(_run(made, f"/jobs/{job.job_id}/cancel"), {})
    court.do(court.courtroom.jobs.sweep())
    over = organizer.get(_run(made, f"/jobs/{job.job_id}/status"))
    assert over.headers["HX-Refresh"] == "true"
    text = organizer.get(_run(made)).text
    assert _states(text) == {"Ants": "cancelled", "Bees": "cancelled"}
    assert "Resume" in text
    organizer.post(_run(made, f"/jobs/{job.job_id}/resume"), {})
    assert _job(court, made).status in ("queued", "running")
    organizer.post(_run(made, f"/jobs/{job.job_id}/cancel"), {})


def test_tiles_change_one_by_one(court: Court, organizer: Browser) -> None:
    made = court.planned("Live Jam")
    ants, _ = _two(court, made)
    job = _started(court, organizer, made)
    lines: list[str] = []
    with organizer.client.stream("GET", _run(made, f"/jobs/{job.job_id}/live")) as stream:
        for line in stream.iter_lines():
            lines.append(line)
            if line == "event: snapshot":
                changed = {"state": "failed", "error_code": "REPO_EMPTY", "attempt": 1}
                court.do(_ended(court, job, ants.sub_id, **changed))
                court.do(_touched(court, job))
            if f'id="tile-{ants.sub_id}"' in line:
                break
    assert "event: task" in lines
    assert "is-failed" in lines[-1]
    organizer.post(_run(made, f"/jobs/{job.job_id}/cancel"), {})


async def _touched(court: Court, job: AnalysisJob) -> None:
    """A job changes with each of its tasks; that is when they are looked at."""
    latest = await court.courtroom.db.require(job_reads.job(job.hack_id, job.job_id))
    await court.courtroom.db.run(put(latest.model_copy(update={"failed_submissions": 1})).replace())


def test_what_failed_is_told_with_its_reason(court: Court, organizer: Browser) -> None:
    made = court.planned("Broken Jam")
    ants, bees = _two(court, made)
    now = court.courtroom.now()
    common: dict[str, Any] = {"hack_id": made.hack_id, "created_at": now, "updated_at": now}
    job = AnalysisJob(
        status="failed",
        total_submissions=2,
        failed_submissions=1,
        blocked_submissions=1,
        enumerated=True,
        started_at=now,
        completed_at=now,
        **common,
    )
    failed = Task(
        job_id=job.job_id, sub_id=ants.sub_id, state="failed", error_code="REPO_MOVED", **common
    )
    blocked = Task(
        job_id=job.job_id,
        sub_id=bees.sub_id,
        state="blocked",
        error_code="BUDGET_EXCEEDED",
        **common,
    )
    for each in (job, failed, blocked):
        court.do(court.courtroom.db.run(put(each)))
    said = {"error_message": "It is <b>elsewhere</b> now.", "status": "failed"}
    court.do(court.courtroom.db.run(put(ants.model_copy(update=said)).replace()))
    text = organizer.get(_run(made)).text
    assert "It is &lt;b&gt;elsewhere&lt;/b&gt; now." in text
    assert "The budget does not allow it." in text
    assert f"/vibejudge/hackathons/{made.hack_id}/costs#budget" in text
    assert "0 of 2 done" in text
    assert "Resume" in text
    result = organizer.get(_run(made, f"/results/{ants.sub_id}")).text
    assert result == "It is &lt;b&gt;elsewhere&lt;/b&gt; now."


def test_jobs_of_others_are_not_there(court: Court, organizer: Browser) -> None:
    for path in (
        court.path("open", "/run?job=none"),
        court.path("open", "/run/jobs/none/status"),
        court.path("open", "/run/jobs/none/live"),
        court.path("foreign", "/run/estimate"),
        court.path("foreign", "/run/results/none"),
    ):
        assert organizer.get(path).status_code == 404, path
    assert organizer.post(court.path("foreign", "/run/start"), {}).status_code == 404
    assert organizer.post(court.path("open", "/run/jobs/none/cancel"), {}).status_code == 404
