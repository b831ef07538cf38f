"""What everybody sees, without signing in: public hackathons, and handing in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth.auth import address_of
from tablewright.service.forms import typed
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.adding import at_its_field, read_handed_in
from tablewright.systems.vibejudge.pages.paths import GALLERY, gallery_path, result_path
from tablewright.systems.vibejudge.pages.weighing import weighed
from tablewright.systems.vibejudge.reads import PublicHackathon
from tablewright.systems.vibejudge.rules.phases import takes_submissions
from tablewright.systems.vibejudge.service.submissions.limits import check_public

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Of one address; the API and the pages count together.
_LOOKS = Rate(600)
_LISTED, _RANKED = 24, 50


@dataclass(frozen=True)
class PublicLine:
    """A hackathon of the gallery, and whether teams can hand in now."""

    row: PublicHackathon
    now: datetime

    @property
    def path(self) -> str:
        return gallery_path(self.row.hack_id)

    @property
    def phase(self) -> str:
        return phase_of(self.row, self.now)


def phase_of(hackathon: PublicHackathon | HackathonDetail, now: datetime) -> str:
    """In words for those who might take part."""
    judged = isinstance(hackathon, HackathonDetail) and hackathon.released_at is None
    if hackathon.status == "archived" or (hackathon.status == "completed" and not judged):
        return "over"
    ended = hackathon.end_date is not None and hackathon.end_date <= now
    # A run before the end is a trial: teams go on.
    if ended or hackathon.status == "completed":
        return "judging"
    return "ahead" if hackathon.start_date and now < hackathon.start_date else "open"


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/gallery")
    limits = courtroom.runtime.limits

    async def limited(request: Request) -> None:
        await limits.check("gallery", address_of(request), _LOOKS)

    looked: Final = [Depends(limited)]

    @routes.get("", dependencies=looked)
    async def gallery(request: Request, cursor: str | None = None) -> Response:
        page = await courtroom.hackathons.public(_LISTED, cursor)
        now = courtroom.now()
        return pages.render(
            request,
            "vibejudge/gallery.html",
            lines=[PublicLine(each, now) for each in page],
            more=with_query(GALLERY, cursor=page.cursor) if page.cursor else "",
        )

    async def one(
        request: Request, hack_id: str, cursor: str | None = None, **context: object
    ) -> Response:
        hackathon = await courtroom.hackathons.public_one(hack_id)
        now, problem = courtroom.now(), context.get("problem")
        board = None
        if hackathon.released_at is not None:
            board = await courtroom.releases.rows(hackathon, _RANKED, cursor)
        more = with_query(gallery_path(hack_id), cursor=board.cursor) if board else ""
        return pages.render(
            request,
            "vibejudge/public.html",
            status=problem.status if isinstance(problem, Problem) else 200,
            hackathon=hackathon,
            action=gallery_path(hack_id),
            phase=phase_of(hackathon, now),
            taking=takes_submissions(hackathon, now),
            weighing=weighed(hackathon.rubric.dimensions, hackathon),
            board=board,
            more=more if board and board.cursor else "",
            crumbs=[("Gallery", GALLERY)],
            **context,
        )

    @routes.get("/{hack_id}", dependencies=looked)
    async def public(request: Request, hack_id: str, cursor: str | None = None) -> Response:
        return await one(request, hack_id, cursor)

    @routes.post("/{hack_id}", dependencies=looked)
    async def submit(request: Request, hack_id: str) -> Response:
        values = await typed(request)
        try:
            row = read_handed_in(values)
            await check_public(courtroom, request)
            result = await courtroom.submissions.submit_public(hack_id, row)
        except Problem as problem:
            if problem.status == 404:
                raise
            told = _too_often(problem) if problem.status == 429 else at_its_field(problem)
            return await one(request, hack_id, problem=told, values=values)
        assert result.result_token is not None, "what is new has a token"
        hackathon = await courtroom.hackathons.public_one(hack_id)
        return pages.render(
            request,
            "vibejudge/submitted.html",
            status=201,
            hackathon=hackathon,
            team=row.team_name,
            warning=result.note,
            link=courtroom.runtime.settings.url + result_path(result.result_token),
            back=gallery_path(hack_id),
            crumbs=[("Gallery", GALLERY), (hackathon.name, gallery_path(hack_id))],
        )

    return routes


def _too_often(problem: Problem) -> Problem:
    """Say what somebody can do whose address has sent too many submissions."""
    detail = (
        "Many submissions came from your network. Wait a few minutes, or sign in and try again."
    )
    return Problem(problem.status, problem.code, detail, headers=problem.headers)
