"""Judging: rounds and how far they are, judges, what they come to, and appeals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.judging import Judge, Round
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import tab_path
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.judging.judges import JudgeProgress, Work

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

TAB: Final = "Judging"
#: Submissions and appeals on one page; the rest is a page further.
_LISTED: Final = 50
#: Names of teams beside judges: who has more conflicts than these are listed with is rare.
_NAMED: Final = 100


@dataclass(frozen=True)
class RoundLine:
    """A round at a glance."""

    round: Round
    work: Work

    @property
    def percent(self) -> float:
        return 100 * self.work.done / self.work.assigned if self.work.assigned else 0.0


@dataclass(frozen=True)
class JudgeLine:
    """A judge at a glance; ``rounds`` are those in which there is something for them."""

    judge: Judge
    conflicts: Sequence[str]
    rounds: Sequence[tuple[Round, Work]]


def round_lines(rounds: Sequence[Round], judges: Sequence[JudgeProgress]) -> list[RoundLine]:
    """What all judges have done, added up."""
    return [RoundLine(each, _together(each, judges)) for each in rounds]


def _together(round_: Round, judges: Sequence[JudgeProgress]) -> Work:
    works = [
        work
        for judge in judges
        for own, work in judge.rounds
        if own.round_number == round_.round_number
    ]
    return Work(
        sum(each.assigned for each in works),
        sum(each.done for each in works),
        sum(each.skipped for each in works),
    )


def judge_line(progress: JudgeProgress, teams: dict[str, str]) -> JudgeLine:
    judge = progress.judge
    names = sorted(teams.get(each, "another submission") for each in judge.conflicts)
    rounds = [each for each in progress.rounds if each[1].assigned or each[1].skipped]
    return JudgeLine(judge, names, rounds)


def told(problem: Problem) -> str:
    """What is in the way, where there is no form that could say it at its fields."""
    wrong = (f"{_name(each.field)}: {each.message}" for each in problem.errors)
    return " ".join(wrong) or problem.detail


def _name(place: str) -> str:
    return place.rpartition(".")[2].replace("_", " ").capitalize()


def judged(hackathon: HackathonDetail) -> bool:
    """Whether anything can be changed about it."""
    return hackathon.status != "archived"


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/judging")
    organizer = Depends(organizer_of(courtroom))
    judging, results = courtroom.judging, courtroom.results

    async def teams(by: Caller, hack_id: str, needed: set[str]) -> dict[str, str]:
        """The names of submissions; one by one only if they are few."""
        if not needed:
            return {}
        page = await courtroom.submissions.list(by, hack_id, limit=_NAMED)
        found = {each.sub_id: each.team_name for each in page}
        for sub_id in sorted(needed - found.keys())[:_NAMED]:
            read = await courtroom.submissions.read(by, hack_id, sub_id)
            found[sub_id] = read.team_name
        return found

    @routes.get("")
    async def overview(
        request: Request,
        hack_id: HackId,
        cursor: str | None = None,
        appealed: str | None = None,
        by: Caller = organizer,
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        rounds = await judging.rounds.of(by, hack_id)
        progress = await judging.judges.of(by, hack_id)
        appeals = await results.appeals(by, hack_id, _LISTED, appealed)
        conflicts = {sub_id for each in progress for sub_id in each.judge.conflicts}
        names = await teams(by, hack_id, conflicts | {each.sub_id for each in appeals})
        board = await courtroom.standings.leaderboard(hackathon, _LISTED, cursor)
        ranked = [each.row.sub_id for each in board]
        blended = await courtroom.submissions.ranked(by, hack_id, ranked)
        path = tab_path(hack_id, TAB)
        return shown(
            pages,
            request,
            "vibejudge/judging.html",
            hackathon,
            TAB,
            rounds=round_lines(rounds, progress),
            judges=[judge_line(each, names) for each in progress],
            blended=blended,
            more=with_query(path, cursor=board.cursor) if board.cursor else "",
            more_appeals=with_query(path, appealed=appeals.cursor) if appeals.cursor else "",
            appeals=[(each, names.get(each.sub_id, "")) for each in appeals],
            judging_path=path,
            judged=judged(hackathon),
            may_invite=not hackathon.has_final_scores and judged(hackathon),
        )

    return routes
