"""Leaderboard: who is where, how scores lie, and what the organiser does with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages, Tone
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.vibejudge.api.callers import HackId, organizer_of
from tablewright.systems.vibejudge.bodies.hackathons import ReleaseIn
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.judging import told
from tablewright.systems.vibejudge.pages.leaderboard_rows import (
    RECOMMENDATIONS,
    Filters,
    flag_title,
    rows_of,
)
from tablewright.systems.vibejudge.pages.paths import BASE, gallery_path, scorecard_path, tab_path
from tablewright.systems.vibejudge.rules.editing import STARTS
from tablewright.systems.vibejudge.rules.figures import Figures, Spread
from tablewright.systems.vibejudge.rules.phases import has_ended
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.scorecards import Rescored
from tablewright.systems.vibejudge.service.standings import Alike

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Each reads all findings of a hackathon; the same for the API.
_RESCORES: Final = Rate(30)
#: Pairs that resemble each other, of which the page tells.
_PAIRS: Final = 20
Least = Annotated[int | None, Query(ge=0, le=90, multiple_of=10)]
Text = Annotated[str, Query(max_length=50)]


@dataclass(frozen=True)
class Mean:
    """Where the scores of a dimension or an agent lie; percent is of what can be reached."""

    name: str
    spread: Spread
    percent: float


@dataclass(frozen=True)
class FlagCount:
    kind: str
    title: str
    count: int
    path: str
    chosen: bool


@dataclass(frozen=True)
class PairLine:
    """Two submissions that resemble each other."""

    pair: Alike

    @property
    def percent(self) -> float:
        return float(100 * self.pair.similarity)

    @property
    def paths(self) -> tuple[str, str]:
        first, second = self.pair.first, self.pair.second
        return (
            scorecard_path(first.hack_id, first.sub_id),
            scorecard_path(second.hack_id, second.sub_id),
        )


def means(spreads: Sequence[tuple[str, Spread]], most: int) -> list[Mean]:
    return [Mean(name, each, float(100 * each.mean / Decimal(most))) for name, each in spreads]


def flag_counts(counts: Mapping[str, int], filters: Filters) -> list[FlagCount]:
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return [
        FlagCount(kind, flag_title(kind), count, filters.flagged(kind), kind == filters.flag)
        for kind, count in ordered
        if count
    ]


def unranked(figures: Figures) -> list[str]:
    """Who has no rank, and why."""
    states = {
        "pending": "pending",
        "cloning": "in work",
        "analyzing": "in work",
        "failed": "failed",
        "timeout": "timed out",
        "withdrawn": "withdrawn",
    }
    counts: dict[str, int] = {}
    for status, number in figures.by_status.items():
        if status in states:
            counts[states[status]] = counts.get(states[status], 0) + number
    if figures.disqualified:
        counts["disqualified"] = figures.disqualified
    return [f"{number} {what}" for what, number in counts.items() if number]


def rescored_words(done: Rescored) -> str:
    said = [f"{done.rescored} of {done.total} have another score by the rubric of now."]
    if done.skipped:
        said.append(f"{done.skipped} could not be scored by it.")
    if done.left:
        said.append(f"There was no time for {done.left}: rescore once more.")
    return " ".join(said)


def read_release(values: Typed) -> ReleaseIn:
    """Read what the form says of a release, or raise a problem at its fields."""
    given: dict[str, object] = {"close_rounds": values.get("close_rounds") == "1"}
    top = values.get("public_ranks", "").strip()
    if top:
        given["public_ranks"] = int(top) if top.isdecimal() and len(top) < 5 else 0
    wrong = given.get("public_ranks") == 0
    message = "Enter a number from 1 to 1000, or leave it empty."
    return built(ReleaseIn, given, [FieldError("body.public_ranks", message)] if wrong else [])


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons/{hack_id}/leaderboard")
    owner = Depends(organizer_of(courtroom))
    standings = courtroom.standings

    @routes.get("")
    async def leaderboard(
        request: Request,
        hack_id: HackId,
        team: Text = "",
        recommendation: Text = "",
        flag: Text = "",
        least: Least = None,
        cursor: str | None = None,
        by: Caller = owner,
    ) -> Response:
        hackathon = await courtroom.hackathons.owned(by, hack_id)
        filters = Filters(hack_id, team.strip(), recommendation, flag, least)
        figures = await standings.stats(by, hack_id)
        resembling = await standings.similarity(by, hack_id)
        flags = flag_counts(figures.flags, filters)
        return shown(
            pages,
            request,
            "vibejudge/leaderboard.html",
            hackathon,
            "Leaderboard",
            status=200,
            filters=filters,
            found=await rows_of(courtroom, hackathon, filters, cursor),
            figures=figures,
            bars=[f"{each.least}\N{EN DASH}{each.below}" for each in figures.distribution],
            bar_links=[filters.scored(each) for each in figures.distribution],
            unranked=unranked(figures),
            dimensions=means(list(figures.dimensions.items()), 10),
            agents=means([(str(name), each) for name, each in figures.agents.items()], 100),
            flags=flags,
            flag_options=[(each.kind, each.title) for each in flags],
            recommendations=RECOMMENDATIONS,
            pairs=[PairLine(each) for each in resembling.pairs[:_PAIRS]],
            pairs_found=resembling.found,
            judging=await open_rounds(hack_id),
            **acts(hackathon),
        )

    async def open_rounds(hack_id: str) -> list[int]:
        """List the rounds in which judges can still score."""
        rounds = await courtroom.judging.rounds.all(hack_id)
        return [each.round_number for each in rounds if each.state in ("open", "paused")]

    def acts(hackathon: HackathonDetail) -> dict[str, object]:
        """What can be done now; whether it is allowed is decided when it is done."""
        path = tab_path(hackathon.hack_id, "Leaderboard")
        released = hackathon.released_at is not None
        return {
            "board_path": path,
            "run_path": tab_path(hackathon.hack_id, "Run"),
            "export_path": f"{BASE}/api/v1/hackathons/{hackathon.hack_id}/export.csv",
            "public_path": gallery_path(hackathon.hack_id) if released else "",
            "can_rescore": hackathon.status in STARTS["rescore"] and not released,
            "can_release": not released
            and (
                hackathon.status in STARTS["release"]
                or (hackathon.status == "configured" and has_ended(hackathon, courtroom.now()))
            ),
        }

    @routes.post("/rescore")
    async def rescore(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        path = tab_path(hack_id, "Leaderboard")
        await courtroom.runtime.limits.check("rescores", by.principal.id, _RESCORES)
        try:
            done = await courtroom.scorecards.rescore(by, hack_id)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, path, problem.detail, tone="warning")
        tone: Tone = "warning" if done.left else "success"
        return pages.done(request, path, rescored_words(done), tone=tone)

    @routes.post("/release")
    async def release(request: Request, hack_id: HackId, by: Caller = owner) -> Response:
        path = tab_path(hack_id, "Leaderboard")
        values = await typed(request)
        try:
            after = await courtroom.releases.release(by, hack_id, read_release(values))
        except Problem as problem:
            if problem.status not in (409, 422, 503):
                raise
            return pages.done(request, path, told(problem), tone="warning")
        ranking = ", and everybody the ranking" if after.visibility == "public" else ""
        return pages.done(
            request, path, f"The results are released: teams see their cards{ranking}."
        )

    return routes
