"""How an event is set up: settings, seats, questions, vouchers, roles.

Settings, seats and questions have one ETag: who changes one of them has seen them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from fastapi import APIRouter, Depends, Path, Response

from tablewright.service.paging import PageBody, Paging, page_body
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import Responses, refusals
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.events import (
    ConfigChange,
    ConfigOut,
    SeatsIn,
    SeatsOut,
    config_out,
    seats_out,
)
from tablewright.systems.kurukshetra.bodies.organising import (
    HolderOut,
    QuestionsIn,
    QuestionsOut,
    RolesIn,
    VoucherIn,
    VoucherOut,
    holder_out,
    questions_out,
    voucher_out,
)
from tablewright.systems.kurukshetra.payments import Voucher
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.reads import Setup
    from tablewright.systems.kurukshetra.service.festival import Festival

Code: TypeAlias = Annotated[str, Path(description="The voucher.", examples=["EARLYBIRD"])]

_STALE = {412: "`VERSION_CONFLICT`: read it again."}
_BUSY = {503: "`BUSY`: try again."}
_ONE: Responses = {200: {"headers": ETAG}, **refusals(403, 404)}
_CHANGED: Responses = {200: {"headers": ETAG}, **refusals(403, 404, 428, _STALE, _BUSY)}
_SEATED: Responses = {**_CHANGED, **refusals({409: "`CAPACITY_IN_USE`: so many are taken."})}


def router(festival: Festival) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/events/{e}/admin", tags=["Organising"])
    _settings(routes, festival)
    _questions(routes, festival)
    _vouchers(routes, festival)
    _roles(routes, festival)
    return routes


def _settings(routes: APIRouter, festival: Festival) -> None:
    events = festival.events
    looking = Depends(role_of(festival, "organizer", "finance", "auditor"))
    organizer = Depends(role_of(festival, "organizer"))

    @routes.get("/config", responses=_ONE)
    async def get_config(response: Response, by: Caller = looking) -> ConfigOut:
        """All settings."""
        return config_out(_tagged(response, await events.setup_now(by.event_id)).config)

    @routes.put("/config", responses=_SEATED)
    async def change_config(
        body: ConfigChange, said: Said, response: Response, by: Caller = organizer
    ) -> ConfigOut:
        """Other settings; what is left out stays. Closed is closed: no checkout begins after it."""
        return config_out(_tagged(response, await events.change(by, body, said)).config)

    @routes.delete(
        "",
        status_code=204,
        responses=refusals(
            403,
            404,
            _BUSY,
            {412: "`VERSION_CONFLICT`: read it again."},
            {409: "`EVENT_OPEN`: close registration first; `EVENT_IN_USE`: hide it instead."},
        ),
    )
    async def delete_event(by: Caller = organizer) -> None:
        """Delete an event that nobody has ever registered for."""
        await events.delete(by)

    @routes.get("/seats", responses=_ONE)
    async def get_seats_now(response: Response, by: Caller = looking) -> SeatsOut:
        """What is left, as it is now."""
        return seats_out(_tagged(response, await events.setup_now(by.event_id)).seats)

    @routes.put("/seats", responses=_SEATED)
    async def change_seats(
        body: SeatsIn, said: Said, response: Response, by: Caller = organizer
    ) -> SeatsOut:
        """More seats, or fewer as far as they are free."""
        return seats_out(_tagged(response, await events.change(by, body.change(), said)).seats)


def _questions(routes: APIRouter, festival: Festival) -> None:
    looking = Depends(role_of(festival, "organizer", "auditor"))
    organizer = Depends(role_of(festival, "organizer"))

    @routes.get("/questions", responses=_ONE)
    async def get_questions(response: Response, by: Caller = looking) -> QuestionsOut:
        """What is asked at registration, in this order."""
        found = await festival.events.setup_now(by.event_id)
        return questions_out(_tagged(response, found).questions)

    @routes.put("/questions", responses=_CHANGED)
    async def change_questions(
        body: QuestionsIn, said: Said, response: Response, by: Caller = organizer
    ) -> QuestionsOut:
        """All questions as they should be. Answers to those that go are kept."""
        saved = await festival.events.questions.save(by, body, said)
        return questions_out(_tagged(response, saved).questions)


def _vouchers(routes: APIRouter, festival: Festival) -> None:
    vouchers = festival.events.vouchers
    looking = Depends(role_of(festival, "organizer", "finance", "auditor"))
    organizer = Depends(role_of(festival, "organizer"))

    @routes.get("/vouchers", responses=refusals(403, 404))
    async def list_vouchers(paging: Paging, by: Caller = looking) -> PageBody[VoucherOut]:
        """All vouchers, by their codes."""
        page = await vouchers.list(by, paging.limit, paging.cursor)
        return page_body(page, [voucher_out(each) for each in page])

    @routes.get("/vouchers/{code}", responses=_ONE)
    async def get_voucher(code: Code, response: Response, by: Caller = looking) -> VoucherOut:
        """One voucher."""
        return _shown(response, await vouchers.read(by, code))

    @routes.put("/vouchers", responses=_CHANGED)
    async def save_voucher(
        body: VoucherIn, said: Said, response: Response, by: Caller = organizer
    ) -> VoucherOut:
        """A new voucher; or another one under its code, from the one that was seen."""
        return _shown(response, await vouchers.save(by, body, said))


def _roles(routes: APIRouter, festival: Festival) -> None:
    deciding = Depends(role_of(festival, "admin", "organizer"))

    @routes.get("/roles", responses=refusals(403, 404))
    async def list_roles(paging: Paging, by: Caller = deciding) -> PageBody[HolderOut]:
        """Who has roles at this event."""
        page = await festival.events.roles.list(by, paging.limit, paging.cursor)
        return page_body(page, [holder_out(each) for each in page])

    @routes.put("/roles", responses=refusals(403, 404, _STALE, _BUSY))
    async def grant_roles(body: RolesIn, by: Caller = deciding) -> HolderOut | None:
        """What an address or a user may do here from now on; null if nothing any more."""
        found = await festival.events.roles.grant(by, body.who, body.roles)
        return None if found is None else holder_out(found)


def _tagged(response: Response, setup: Setup) -> Setup:
    response.headers["ETag"] = etag(setup.config.version)
    return setup


def _shown(response: Response, voucher: Voucher) -> VoucherOut:
    response.headers["ETag"] = etag(voucher.version)
    return voucher_out(voucher)
