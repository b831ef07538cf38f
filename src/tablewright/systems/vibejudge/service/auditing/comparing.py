"""What is wrong with a hackathon's books, and what would put it right where that is safe.

Safe is what follows from the rest without a choice, and can be refused: every remedy rests on what
was read. Whose lock it is, or which of two scores was meant, is for people to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, TypeAlias

from tablewright.model import Op
from tablewright.systems.vibejudge import audit_patterns as patterns
from tablewright.systems.vibejudge.analysis import HackathonCost
from tablewright.systems.vibejudge.audit_patterns import Lock
from tablewright.systems.vibejudge.entities import (
    ExternalLock,
    RepoLock,
    Submission,
    TeamLock,
    repo_key,
)
from tablewright.systems.vibejudge.rules.team_names import team_key
from tablewright.systems.vibejudge.service.auditing.findings import Finding, Kind
from tablewright.systems.vibejudge.service.auditing.held import Held
from tablewright.systems.vibejudge.task_writes import final_score

#: What is found, and what would put it right; None is for people.
Found: TypeAlias = Iterator[tuple[Finding, Op[Any] | None]]
#: Where a lock stands, and whose it is.
Place: TypeAlias = tuple[str, str]


def compared(held: Held, now: datetime) -> dict[Finding, Op[Any] | None]:
    """All that is wrong."""
    parts = (_copies, _locks, _costs, _scores, _job)
    return {finding: remedy for part in parts for finding, remedy in part(held, now)}


# --- copies and counters -------------------------------------------------------------------------


def _copies(held: Held, now: datetime) -> Found:
    hackathon, listed = held.hackathon, held.listed
    subject = f"hackathon/{hackathon.hack_id}"
    # A withdrawn submission has given its place back.
    there = sum(each.status != "withdrawn" for each in held.submissions.values())
    remedy = patterns.mend_hackathon(hackathon, listed, there, now)
    own = (hackathon.name, hackathon.status, hackathon.submission_count)
    copy = None if listed is None else (listed.name, listed.status, listed.submission_count)
    if copy != own:
        told = "no row" if copy is None else _words(copy)
        yield Finding("listing", subject, told, _words(own)), remedy
    if hackathon.submission_count != there:
        counted = str(hackathon.submission_count)
        yield Finding("submission_count", subject, counted, str(there)), remedy


def _words(values: tuple[object, ...]) -> str:
    return ", ".join(map(str, values))


# --- locks ---------------------------------------------------------------------------------------


def _locks(held: Held, now: datetime) -> Found:
    there = {_place(each): each for each in held.locks}
    wanted = {
        _place(lock): (lock, submission)
        for submission in held.submissions.values()
        for lock in _wanted(submission, now)
    }
    for place, (lock, submission) in wanted.items():
        yield from _lock_of(there.get(place), lock, submission)
    for place, lock in there.items():
        if place not in wanted:
            yield _needless(held, lock)


def _lock_of(stored: Lock | None, lock: Lock, submission: Submission) -> Found:
    if stored is None:
        remedy = patterns.mend_lock(submission, lock)
        yield _about(lock, "lock_missing", "no lock", submission.sub_id), remedy
    elif stored.sub_id != submission.sub_id:
        yield _about(lock, "lock_of_another", stored.sub_id, submission.sub_id), None


def _needless(held: Held, lock: Lock) -> tuple[Finding, Op[Any] | None]:
    """One that no submission wants; if its submission is there, it has another lock meanwhile."""
    finding = _about(lock, "lock_without_submission", lock.sub_id, "no lock")
    submission = held.submissions.get(lock.sub_id)
    if submission is None:
        return finding, patterns.drop_lock(lock)
    # Withdrawn before locks were freed with it.
    withdrawn = submission.status == "withdrawn"
    return finding, patterns.drop_lock(lock, withdrawn=True) if withdrawn else None


def _about(lock: Lock, kind: Kind, found: str, expected: str) -> Finding:
    return Finding(kind, "/".join((f"hackathon/{lock.hack_id}", *_place(lock))), found, expected)


def _place(lock: Lock) -> Place:
    if isinstance(lock, RepoLock):
        return "repo", lock.repo
    return ("team", lock.team) if isinstance(lock, TeamLock) else ("external", lock.external_id)


def _wanted(submission: Submission, now: datetime) -> Iterator[Lock]:
    own = {"hack_id": submission.hack_id, "sub_id": submission.sub_id, "created_at": now}
    if submission.external_id is not None:
        yield ExternalLock.model_validate({**own, "external_id": submission.external_id})
    if submission.status == "withdrawn":
        return
    yield RepoLock.model_validate({**own, "repo": repo_key(submission.repo_url)})
    yield TeamLock.model_validate({**own, "team": team_key(submission.team_name)})


# --- costs ---------------------------------------------------------------------------------------


def _costs(held: Held, now: datetime) -> Found:
    subject, cost = f"hackathon/{held.hackathon.hack_id}", held.cost
    if cost is None:
        yield Finding("cost", subject, "no sums", _usd(held.sums.total_usd)), None
        return
    right = _added_up(held, cost, now)
    names = [name for name in _SUMMED if getattr(cost, name) != getattr(right, name)]
    if names:
        found, expected = (_fields(each, names) for each in (cost, right))
        yield Finding("cost", subject, found, expected), patterns.mend_cost(right)


_SUMMED = (
    "total_cost_usd",
    "total_input_tokens",
    "total_output_tokens",
    "submissions_analyzed",
    "cost_by_agent",
    "cost_by_model",
    "budget_remaining_usd",
)


def _added_up(held: Held, cost: HackathonCost, now: datetime) -> HackathonCost:
    sums = held.sums
    return cost.model_copy(
        update={
            "total_cost_usd": sums.total_usd,
            "total_input_tokens": sums.input_tokens,
            "total_output_tokens": sums.output_tokens,
            "submissions_analyzed": len(held.summaries),
            "cost_by_agent": dict(sums.by_agent),
            "cost_by_model": dict(sums.by_model),
            "budget_remaining_usd": held.hackathon.budget_limit_usd
            - sums.total_usd
            - held.reserved_usd,
            "updated_at": now,
        }
    )


def _fields(cost: HackathonCost, names: list[str]) -> str:
    return ", ".join(f"{name} {_plain(getattr(cost, name))}" for name in names)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_plain(each)}" for key, each in value.items()) + "}"
    return _usd(value) if isinstance(value, Decimal) else str(value)


def _usd(value: Decimal) -> str:
    return f"${value.normalize():f}"


# --- scores --------------------------------------------------------------------------------------


def _scores(held: Held, now: datetime) -> Found:
    for submission in held.submissions.values():
        yield from _score(submission, now)
        subject = f"submission/{submission.sub_id}"
        ranked = held.ranks.get(submission.sub_id)
        if ranked != submission.rank_score:
            told = (_points(ranked), _points(submission.rank_score))
            yield Finding("rank", subject, *told), None
        summary = held.summaries.get(submission.sub_id)
        shown = (None, None) if summary is None else (summary.run_id, summary.overall_score)
        own = (submission.run_id, submission.overall_score)
        if own != shown:
            yield Finding("scorecard", subject, _run(*own), _run(*shown)), None


def _run(run_id: str | None, score: Decimal | None) -> str:
    return "none" if run_id is None else f"{_points(score)} in run {run_id}"


def _score(submission: Submission, now: datetime) -> Found:
    final = final_score(submission, submission.overall_score)
    rank = _rank(submission, final)
    stored = (submission.final_score, submission.rank_score)
    if stored != (final, rank):
        told = (_standing(*stored), _standing(final, rank))
        finding = Finding("score", f"submission/{submission.sub_id}", *told)
        yield finding, patterns.mend_score(submission, final, rank, now)


def _standing(final: Decimal | None, rank: Decimal | None) -> str:
    return f"final {_points(final)}, ranked by {_points(rank)}"


def _points(score: Decimal | None) -> str:
    return "none" if score is None else f"{score:.2f}"


def _rank(submission: Submission, final: Decimal | None) -> Decimal | None:
    """What it should be ranked by; while it is analysed again, by what was found before."""
    if submission.status == "withdrawn" or submission.disqualified_reason is not None:
        return None
    return submission.overall_score if final is None else final


# --- jobs ----------------------------------------------------------------------------------------


def _job(held: Held, now: datetime) -> Found:
    hackathon, job = held.hackathon, held.job
    subject = f"hackathon/{hackathon.hack_id}"
    analysed, active = hackathon.status == "analyzing", hackathon.active_job_id is not None
    if analysed != active:
        told = f"{hackathon.status}, {'with' if active else 'without'} a job"
        yield Finding("job", subject, told, "analyzing, with a job"), None
    elif active and (job is None or job.status not in ("queued", "running")):
        told = "no job" if job is None else f"a job that is {job.status}"
        yield Finding("job", subject, told, "a job that runs"), None
