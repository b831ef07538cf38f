"""The grid of a job: a tile for each submission, and how far the whole is.

A tile that changes while somebody looks is made of what the event says, and fetches the rest, a
score or a reason, by itself: the event has no room for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from tablewright.systems.vibejudge import reads
from tablewright.systems.vibejudge.analysis import AnalysisJob, Task
from tablewright.systems.vibejudge.entities import Submission
from tablewright.systems.vibejudge.pages.paths import scorecard_path
from tablewright.systems.vibejudge.rules.job_states import ended_tasks, state_of

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.callers import Caller
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Tiles that are shown at once; the rest is fetched when somebody wants to see it.
SHOWN: Final = 240
#: Submissions that are read at once.
_AT_ONCE: Final = 100
#: What ids are written with; the other way round, the first that came stands first.
_DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_REVERSED: Final = str.maketrans(_DIGITS, _DIGITS[::-1])

#: Why a task has not come to its end, in words; what a repository is about says more.
_REASONS: Final[Mapping[str, str]] = {
    "REPO_REFUSED": "The address is none that is read.",
    "REPO_NOT_FOUND": "The repository is not there, or not public.",
    "REPO_MOVED": "The repository has moved.",
    "REPO_UNREACHABLE": "The host did not answer.",
    "REPO_TIMEOUT": "The host took too long.",
    "REPO_TOO_LARGE": "The repository is too large.",
    "REPO_EMPTY": "The repository is empty.",
    "REPO_BROKEN": "The repository cannot be read.",
    "COMMIT_UNAVAILABLE": "The commit that was frozen is gone.",
    "GIT_UNUSABLE": "Git cannot be used on this machine.",
    "ANALYSIS_FAILED": "The analysis ended before its time.",
    "ANALYSIS_TIMEOUT": "The analysis took too long.",
    "TASK_TIMEOUT": "The analysis took too long.",
    "NO_AGENT_ANSWERED": "No agent has given an answer.",
    "ATTEMPTS_USED_UP": "Three attempts have come to nothing.",
    "BUDGET_EXCEEDED": "The budget does not allow it.",
    "MODEL_REFUSED": "The model provider refused every request.",
    "NO_CODE": "Not assessed: the repository has no source code.",
    "UNKNOWN_MODEL": "No price is known for a model.",
    "MODELS_NOT_CONFIGURED": "No model can be asked here.",
    "STORE": "Something went wrong on our side.",
    "INTERNAL": "Something went wrong on our side.",
    # The state says it.
    "CANCELLED": "",
}
#: States of a submission as those of a task: where no job has looked at it.
_AS_TASK: Final[Mapping[str, str]] = {
    "pending": "unseen",
    "cloning": "leased",
    "analyzing": "leased",
    "completed": "done",
    "failed": "failed",
    "timeout": "failed",
    "withdrawn": "out",
}


def reason(code: str | None) -> str:
    """Why, in words; a code that nobody has words for is shown as it is."""
    return "" if code is None else _REASONS.get(code, code.replace("_", " ").capitalize())


@dataclass(frozen=True)
class Tile:
    """A submission in the grid."""

    hack_id: str
    sub_id: str
    name: str
    #: A task's, or ``unseen`` and ``out`` where there is none.
    state: str
    attempt: int = 0
    why: str = ""
    score: Decimal | None = None
    #: Whether there is more to it, to be fetched.
    more: bool = False

    @property
    def id(self) -> str:
        return f"tile-{self.sub_id}"

    @property
    def order(self) -> str:
        """The greatest stands first."""
        return self.sub_id.translate(_REVERSED)

    @property
    def path(self) -> str:
        return scorecard_path(self.hack_id, self.sub_id)


def tile_of(task: Task, submission: Submission | None) -> Tile:
    ended = task.state in ("done", "failed", "blocked") and submission is not None
    said = submission.error_message if ended and submission else None
    return Tile(
        task.hack_id,
        task.sub_id,
        task.sub_id if submission is None else submission.team_name,
        task.state,
        task.attempt,
        why=(said if task.state in ("failed", "blocked") and said else reason(task.error_code)),
        score=submission.overall_score if task.state == "done" and submission else None,
    )


def waiting_tile(submission: Submission) -> Tile:
    """A submission that no job has looked at yet."""
    state = "out" if submission.disqualified_reason else _AS_TASK[submission.status]
    return Tile(
        submission.hack_id,
        submission.sub_id,
        submission.team_name,
        state,
        why=submission.error_message or "",
        score=submission.overall_score if state == "done" else None,
    )


def told_tile(data: Mapping[str, object], hack_id: str, names: Mapping[str, str]) -> Tile | None:
    """What an event says of a task; None of one whose submission nobody knows."""
    sub_id, state, code = str(data["sub_id"]), str(data["state"]), data.get("error_code")
    if sub_id not in names:
        return None
    return Tile(
        hack_id,
        sub_id,
        names[sub_id],
        state,
        int(str(data.get("attempt") or 0)),
        why=reason(None if code is None else str(code)),
        more=state in ("done", "failed"),
    )


@dataclass(frozen=True)
class Grid:
    """Some tiles, and where the others are."""

    tiles: Sequence[Tile]
    cursor: str | None = None

    @property
    def troubled(self) -> list[Tile]:
        """What failed, and what the budget did not allow."""
        return [each for each in self.tiles if each.state in ("failed", "blocked")]


async def grid_of(
    courtroom: Courtroom, by: Caller, hack_id: str, job_id: str, cursor: str | None = None
) -> Grid:
    page = await courtroom.jobs.tasks(by, hack_id, job_id, SHOWN, cursor)
    known = await _submissions(courtroom, hack_id, [each.sub_id for each in page])
    return Grid([tile_of(each, known.get(each.sub_id)) for each in page], page.cursor)


async def waiting_grid(courtroom: Courtroom, by: Caller, hack_id: str) -> Grid:
    """The submissions, as long as there is no job."""
    page = await courtroom.submissions.list(by, hack_id, limit=SHOWN)
    return Grid([waiting_tile(each) for each in page])


async def _submissions(
    courtroom: Courtroom, hack_id: str, ids: Sequence[str]
) -> dict[str, Submission]:
    known: dict[str, Submission] = {}
    for at in range(0, len(ids), _AT_ONCE):
        op = reads.submissions_exported(hack_id, ids[at : at + _AT_ONCE])
        found: Iterable[object] = await courtroom.db.run(op)
        known.update({each.sub_id: each for each in found if isinstance(each, Submission)})
    return known


async def names_of(courtroom: Courtroom, hack_id: str) -> dict[str, str]:
    """What the teams of a hackathon are called, by submission."""
    found = courtroom.db.iterate(reads.submissions(hack_id))
    return {each.sub_id: each.team_name async for each in found}


# --- the whole -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A piece of the bar: from where, how long, in percent; and how many there are."""

    kind: str
    title: str
    count: int
    x: float
    width: float


@dataclass(frozen=True)
class JobLine:
    """A job, and how far it is."""

    job: AnalysisJob
    now: datetime

    @property
    def live(self) -> bool:
        return self.job.status in ("queued", "running")

    @property
    def cancelling(self) -> bool:
        return state_of(self.job).cancelling

    @property
    def resumable(self) -> bool:
        return self.job.status in ("failed", "cancelled")

    @property
    def ended(self) -> int:
        return ended_tasks(self.job)

    @property
    def percent(self) -> float:
        total = self.job.total_submissions
        return 100.0 * self.ended / total if total else 0.0

    @property
    def secs(self) -> float | None:
        """How long it has taken so far."""
        began = self.job.started_at
        if began is None:
            return None
        return max(0.0, ((self.job.completed_at or self.now) - began).total_seconds())

    @property
    def left_secs(self) -> int | None:
        """About how long it takes from now on; nobody knows after one or two."""
        left, secs = state_of(self.job).left, self.secs
        if not self.live or not left or not secs or self.ended < 3:
            return None
        return round(secs / self.ended * left)

    @property
    def parts(self) -> list[Part]:
        job = self.job
        counts = (
            ("good", "done", job.completed_submissions),
            ("bad", "failed", job.failed_submissions),
            ("warn", "blocked", job.blocked_submissions),
            ("plain", "cancelled", job.cancelled_submissions),
        )
        made: list[Part] = []
        x = 0.0
        for kind, title, count in counts:
            width = 100.0 * count / (job.total_submissions or 1)
            made.append(Part(kind, title, count, round(x, 3), round(width, 3)))
            x += width
        return made
