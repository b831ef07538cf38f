"""Who has registered: listed, looked for, and one by one. Auditors see masks instead of people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, get_args

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem, told
from tablewright.systems.kurukshetra.api.callers import ParticipantId, role_of
from tablewright.systems.kurukshetra.fields import TeamStatus
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.backstage import LISTS, ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.paths import person_path, run_team_path
from tablewright.systems.kurukshetra.plain import text_of
from tablewright.systems.kurukshetra.rules.answers import Given
from tablewright.systems.kurukshetra.service.callers import Caller
from tablewright.systems.kurukshetra.service.lists import Row, Wanted

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival
    from tablewright.systems.kurukshetra.service.people.looking import PersonView

TAB: Final = "Registrations"
_LISTED: Final = 50
#: People of one search.
_FOUND: Final = 200
#: Where a list by name goes on.
_PLACE: Final = re.compile(r"[0-9]{1,6}")
STATUSES: Final[tuple[tuple[TeamStatus, str], ...]] = (
    ("paid", "Paid"),
    ("pending", "Paying"),
    ("unpaid", "Without a seat"),
    ("waitlisted", "On the waitlist"),
    ("offered", "Offered a seat"),
    ("refunded", "Refunded"),
    ("cancelled", "Disbanded"),
)


@dataclass(frozen=True)
class PersonLine:
    """Somebody, as the list shows them."""

    row: Row

    @property
    def name(self) -> str:
        person = self.row.participant
        return f"{text_of(person.first_name)} {text_of(person.last_name)}".strip()

    @property
    def email(self) -> str:
        return text_of(self.row.participant.email)

    @property
    def path(self) -> str:
        person = self.row.participant
        return person_path(person.event_id, person.participant_id)

    @property
    def team_path(self) -> str:
        team = self.row.team
        return "" if team is None else run_team_path(team.event_id, team.team_id)

    @property
    def leads(self) -> bool:
        team, person = self.row.team, self.row.participant
        return team is not None and team.leader_participant_id == person.participant_id


@dataclass(frozen=True)
class Chosen:
    """What a list is filtered by, as it was typed."""

    status: str = ""
    track: str = ""
    college: str = ""
    q: str = ""

    @property
    def wanted(self) -> Wanted:
        status = next((each for each in get_args(TeamStatus) if each == self.status), None)
        return Wanted(status, self.track or None, self.college or None, self.q or None)

    @property
    def any(self) -> bool:
        return bool(self.status or self.track or self.college or self.q)

    def path(self, event_id: str, cursor: str | None = None) -> str:
        """Without who was looked for: an address of a page is kept by many."""
        place = tab_path(event_id, TAB)
        chosen = {"status": self.status, "track": self.track, "college": self.college}
        return with_query(place, **chosen, cursor=cursor)


def answered(given: Given) -> str:
    """An answer, as people read it."""
    if isinstance(given, bool):
        return "Yes" if given else "No"
    return ", ".join(given) if isinstance(given, list) else given


def answers_of(person: PersonView, labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """By what was asked; a question that is gone has its id."""
    said = person.answers or {}
    return [(labels.get(each, each), answered(given)) for each, given in said.items()]


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin")
    reader = Depends(role_of(festival, *LISTS))
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def listed(by: Caller, chosen: Chosen, cursor: str | None) -> dict[str, object]:
        """What was found, or why nobody may look for it."""
        if not chosen.any and by.has(*ORGANIZERS):
            return await by_name(by, chosen, cursor)
        try:
            page = await festival.lists.registrations(
                by, chosen.wanted, limit=_FOUND if chosen.q else _LISTED, cursor=cursor
            )
        except Problem as problem:
            if not chosen.q:
                raise
            return {"lines": [], "more": "", "problem": problem}
        more = chosen.path(by.event_id, page.cursor) if page.cursor else ""
        return {"lines": [PersonLine(each) for each in page], "more": more}

    async def by_name(by: Caller, chosen: Chosen, cursor: str | None) -> dict[str, object]:
        """Everybody, in the order of their names."""
        start = int(cursor) if cursor is not None and _PLACE.fullmatch(cursor) else 0
        rows, total = await festival.lists.by_name(by, start, _LISTED)
        end = start + _LISTED
        more = chosen.path(by.event_id, str(end)) if end < total else ""
        return {"lines": [PersonLine(each) for each in rows], "more": more, "total": total}

    async def page(
        request: Request, by: Caller, chosen: Chosen, cursor: str | None = None
    ) -> Response:
        config = await festival.events.config(by.event_id)
        return await backstage.shown(
            request,
            "kurukshetra/registrations.html",
            by,
            TAB,
            chosen=chosen,
            path=tab_path(by.event_id, TAB),
            statuses=STATUSES,
            tracks=[(each, writing.track_name(each)) for each in config.tracks],
            masked=not by.has(*ORGANIZERS),
            **await listed(by, chosen, cursor),
        )

    @routes.get("/registrations")
    async def registrations(
        request: Request,
        status: str = "",
        track: str = "",
        college: str = "",
        q: str = "",
        cursor: str | None = None,
        by: Caller = reader,
    ) -> Response:
        chosen = Chosen(status.strip(), track.strip(), college.strip(), q.strip())
        return await page(request, by, chosen, cursor)

    @routes.post("/registrations")
    async def chosen_(request: Request, by: Caller = reader) -> Response:
        """Who looks for somebody sends it in the body; a filter has an address of its own."""
        said = await typed(request)
        names = ("status", "track", "college", "q")
        chosen = Chosen(*(said.get(name, "").strip() for name in names))
        if not chosen.q:
            return RedirectResponse(chosen.path(by.event_id), 303)
        return await page(request, by, chosen)

    # --- one of them -----------------------------------------------------------------------------

    @routes.get("/registrations/{participant_id}")
    async def person(
        request: Request, participant_id: ParticipantId, by: Caller = reader
    ) -> Response:
        found = await festival.people.read(by, participant_id)
        setup = await festival.events.setup(by.event_id)
        labels = {each.question_id: each.label for each in setup.questions}
        name = f"{found.first_name} {found.last_name}".strip()
        return await backstage.shown(
            request,
            "kurukshetra/person.html",
            by,
            TAB,
            heading=name,
            person=found,
            answers=answers_of(found, labels),
            team_path="" if found.team_id is None else run_team_path(by.event_id, found.team_id),
            path=person_path(by.event_id, participant_id),
            acts=by.has(*ORGANIZERS),
        )

    @routes.post("/registrations/{participant_id}/ticket")
    async def revoke(
        request: Request, participant_id: ParticipantId, by: Caller = organizer
    ) -> Response:
        await festival.tickets.revoke(by, participant_id)
        message = "The ticket is worthless now. A new one is on the participant's page."
        return pages.done(request, person_path(by.event_id, participant_id), message, tone="info")

    @routes.post("/registrations/{participant_id}/erase")
    async def erase(
        request: Request, participant_id: ParticipantId, by: Caller = organizer
    ) -> Response:
        """Only if their address was typed: it cannot be undone."""
        found = await festival.people.read(by, participant_id)
        values = await typed(request)
        place = person_path(by.event_id, participant_id)
        if values.get("confirmation", "").casefold() != (found.email or "").casefold():
            message = "Nothing is erased: the address that was typed is another one."
            return pages.done(request, place, message, tone="warning")
        try:
            await festival.erasing.erase(by, participant_id)
        except Problem as problem:
            if problem.status != 409:
                raise
            return pages.done(request, place, told(problem), tone="warning")
        message = "The person is forgotten. Payments stay, and name nobody."
        return pages.done(request, tab_path(by.event_id, TAB), message, tone="info")

    return routes
