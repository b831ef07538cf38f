"""The submissions of a hackathon: listed, looked for, and frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, get_args

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from tablewright.service.limits import Rate
from tablewright.service.pages import Pages, Tone
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission, SubmissionStatus
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import scorecard_path, tab_path
from tablewright.systems.vibejudge.rules.phases import takes_submissions
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.freezing import Frozen

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_LISTED: Final = 50
#: Pages that are read on when a filter leaves nothing of one.
_MOST_READS: Final = 20
#: Each asks the hosts of all repositories; the API and the pages count together.
_FREEZES: Final = Rate(6)
#: Teams whose commit could not be frozen that a message names.
_NAMED: Final = 3
STATES: Final[tuple[SubmissionStatus, ...]] = get_args(SubmissionStatus)


@dataclass(frozen=True)
class SubmissionLine:
    """A submission, as the list shows it."""

    submission: Submission

    @property
    def path(self) -> str:
        return scorecard_path(self.submission.hack_id, self.submission.sub_id)

    @property
    def manage_path(self) -> str:
        return f"{self.path}/manage"


@dataclass(frozen=True)
class SubmissionList:
    """Some submissions, and where the others are."""

    lines: list[SubmissionLine]
    status: SubmissionStatus | None
    more: str


def state_of(text: str) -> SubmissionStatus | None:
    return next((each for each in STATES if each == text), None)


async def listed(
    courtroom: Courtroom, by: Caller, hack_id: str, status: str, cursor: str | None, text: str = ""
) -> SubmissionList:
    """A part of the list that has something in it, if anything does."""
    wanted, place = state_of(status), tab_path(hack_id, "Submissions")
    found: list[SubmissionLine] = []
    for _ in range(_MOST_READS):
        page = await courtroom.submissions.list(by, hack_id, wanted, _LISTED, cursor, text=text)
        found += [SubmissionLine(each) for each in page]
        cursor = page.cursor
        if found or cursor is None:
            break
    more = with_query(place, status=wanted, q=text, cursor=cursor) if cursor else ""
    return SubmissionList(found, wanted, more)


def told(report: Frozen) -> tuple[str, Tone]:
    """What became of freezing, in a sentence or two."""
    text = f"{_commits(report.frozen)} frozen now"
    text += f", {report.before} before." if report.before else "."
    if not report.unfrozen and not report.left:
        return text, "success"
    named = [f"{each.submission.team_name} ({each.reason})" for each in report.unfrozen[:_NAMED]]
    if named:
        others = len(report.unfrozen) - len(named)
        text += f" Not frozen: {', '.join(named)}" + (f" and {others} more." if others else ".")
    if report.left:
        text += f" {report.left} will be tried again."
    return text, "warning"


def _commits(count: int) -> str:
    return "1 commit is" if count == 1 else f"{count} commits are"


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/submissions")
    organizer = Depends(organizer_of(courtroom))

    @routes.get("")
    async def submissions(
        request: Request,
        hack_id: str,
        status: str = "",
        q: Annotated[str, Query(max_length=200)] = "",
        cursor: str | None = None,
        by: Caller = organizer,
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        return shown(
            pages,
            request,
            "vibejudge/submissions.html",
            hackathon,
            "Submissions",
            found=await listed(courtroom, by, hack_id, status, cursor, q),
            text=q,
            states=STATES,
            may_add=takes_submissions(hackathon, courtroom.now(), by_owner=True),
            may_freeze=may_freeze(hackathon),
        )

    @routes.post("/freeze")
    async def freeze(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        await courtroom.hackathons.owned(by, hack_id)
        place = tab_path(hack_id, "Submissions")
        try:
            await courtroom.runtime.limits.check("freezes", by.principal.id, _FREEZES)
            message, tone = told(await courtroom.freezing.now(by, hack_id))
        except Problem as problem:
            if problem.status not in (409, 429):
                raise
            message, tone = problem.detail, "warning"
        return pages.done(request, place, message, tone=tone)

    return routes


def may_freeze(hackathon: HackathonDetail) -> bool:
    """Whether there is something to freeze; what is released stays as teams have seen it."""
    waits = hackathon.status in ("configured", "completed") and not hackathon.has_final_scores
    return waits and hackathon.submission_count > 0
