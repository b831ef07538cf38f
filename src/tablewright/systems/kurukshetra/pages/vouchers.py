"""Vouchers: which there are, a new one, and changing one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.kurukshetra.api.callers import role_of
from tablewright.systems.kurukshetra.bodies.organising import VoucherIn
from tablewright.systems.kurukshetra.events import Config
from tablewright.systems.kurukshetra.pages import writing
from tablewright.systems.kurukshetra.pages.asking import Asked, amount_text, local_text
from tablewright.systems.kurukshetra.pages.backstage import ORGANIZERS, Backstage, tab_path
from tablewright.systems.kurukshetra.pages.setup import TAB, parts_of
from tablewright.systems.kurukshetra.payments import Voucher
from tablewright.systems.kurukshetra.rules.fees import VoucherFault, voucher_fault
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: More than anybody makes by hand.
_LISTED: Final = 200
_FORMATS: Final = {
    "code": 'Use 3 to 40 letters without accents, digits and hyphens, for example "EARLY-BIRD".'
}


@dataclass(frozen=True)
class VoucherLine:
    """A voucher, as the list shows it."""

    voucher: Voucher
    config: Config
    #: Why it is not taken now.
    fault: VoucherFault | None

    @property
    def worth(self) -> str:
        if self.voucher.percent is not None:
            return f"{self.voucher.percent} %"
        return writing.money(self.voucher.fixed or 0, self.config.currency)

    @property
    def since(self) -> str:
        return writing.local(self.voucher.valid_from, self.config.zone)

    @property
    def until(self) -> str:
        return writing.local(self.voucher.valid_until, self.config.zone)


def values_of(voucher: Voucher, config: Config) -> dict[str, str]:
    return {
        "code": voucher.code,
        "percent": "" if voucher.percent is None else str(voucher.percent),
        "fixed": amount_text(voucher.fixed, config.currency),
        "remaining": str(voucher.remaining),
        "valid_from": local_text(voucher.valid_from, config.zone),
        "valid_until": local_text(voucher.valid_until, config.zone),
    }


def first_values(config: Config) -> dict[str, str]:
    """For as long as people can register."""
    return {
        "remaining": "50",
        "valid_from": local_text(config.registration_start, config.zone),
        "valid_until": local_text(config.registration_end, config.zone),
    }


def read_voucher(values: Typed, config: Config) -> VoucherIn:
    """The body that a form makes, or a problem at its fields."""
    asked = Asked(values)
    said = {
        "code": values.get("code", "").upper(),
        "percent": asked.text("percent"),
        "fixed": asked.amount("fixed", config.currency),
        "remaining": asked.text("remaining"),
        "valid_from": asked.moment("valid_from", config.zone),
        "valid_until": asked.moment("valid_until", config.zone, later=True),
    }
    if not asked.errors and (said["percent"] is None) == (said["fixed"] is None):
        asked.errors.append(FieldError("body.percent", "Either per cent, or an amount."))
    given = {name: value for name, value in said.items() if value is not None}
    return built(VoucherIn, given, asked.errors, formats=_FORMATS)


def at_its_field(problem: Problem) -> Problem:
    """What is said of the whole, where people look for it."""
    if problem.status == 428:
        error = FieldError("body.code", "There is a voucher of this code already.")
        return Problem(409, "VOUCHER_EXISTS", error.message, errors=[error])
    places = {"body": "body.valid_until"}
    errors = [
        FieldError(places.get(each.field, each.field), each.message) for each in problem.errors
    ]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/events/{e}/admin/setup/vouchers")
    organizer = Depends(role_of(festival, *ORGANIZERS))
    backstage = Backstage(festival, pages)

    async def asked(
        request: Request, by: Caller, chosen: Voucher | None, **context: object
    ) -> Response:
        config = await festival.events.config(by.event_id)
        found = await festival.events.vouchers.list(by, _LISTED)
        now = festival.now()
        given: dict[str, object] = {
            "vouchers": [VoucherLine(each, config, voucher_fault(each, now)) for each in found],
            "chosen": chosen,
            "first": first_values(config) if chosen is None else values_of(chosen, config),
            "action": f"{tab_path(by.event_id, TAB)}/vouchers",
            "parts": parts_of(by.event_id),
            "part": "Vouchers",
        }
        template = "kurukshetra/setup_vouchers.html"
        return await backstage.shown(request, template, by, TAB, **{**given, **context})

    @routes.get("")
    async def vouchers(request: Request, code: str = "", by: Caller = organizer) -> Response:
        chosen = await festival.events.vouchers.read(by, code) if code else None
        return await asked(request, by, chosen)

    @routes.post("")
    async def save(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        version = values.get("version", "")
        said = Precondition(if_match=f'"{version}"') if version else Precondition()
        config = await festival.events.config(by.event_id)
        try:
            saved = await festival.events.vouchers.save(by, read_voucher(values, config), said)
        except Problem as problem:
            if problem.status in (403, 404):
                raise
            chosen = None
            if version:
                chosen = await festival.events.vouchers.read(by, values.get("code", ""))
            return await asked(request, by, chosen, problem=at_its_field(problem), values=values)
        place = f"{tab_path(by.event_id, TAB)}/vouchers"
        return pages.done(request, place, f"The voucher {saved.code} is saved.")

    return routes
