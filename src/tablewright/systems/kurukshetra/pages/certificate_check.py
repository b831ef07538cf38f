"""Whether a certificate is genuine: for everybody who was shown one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.systems.kurukshetra.api.callers import visitor_of
from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.pages.writing import TO
from tablewright.systems.kurukshetra.rules import crockford
from tablewright.systems.kurukshetra.service.certificates import CheckedCertificate

if TYPE_CHECKING:
    from datetime import date

    from tablewright.systems.kurukshetra.service.festival import Festival

_KINDS: Final = {
    "participation": "For taking part",
    "completion": "For completing it",
    "winner": "For winning",
}


def router(festival: Festival, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/certificates", dependencies=[Depends(visitor_of(festival))])

    def page(request: Request, code: str = "", found: CheckedCertificate | None = None) -> Response:
        return pages.render(
            request,
            "kurukshetra/certificate_check.html",
            status=404 if code and found is None else 200,
            crumbs=[("Certificates", paths.CERTIFICATES)] if code else [],
            action=paths.CERTIFICATES,
            code=code,
            shown_code=_grouped(code),
            found=found,
            facts=[] if found is None else facts_of(found),
            pdf=f"{paths.certificate_path(found.code)}/pdf" if found else "",
        )

    @routes.get("")
    async def form(request: Request, code: str = "") -> Response:
        """A code that is typed has an address of its own, as one that is scanned."""
        typed = "".join(code.split())[:40]
        if typed:
            return RedirectResponse(paths.certificate_path(_plain(typed)), 303)
        return page(request)

    @routes.get("/{code}")
    async def check(request: Request, code: str) -> Response:
        try:
            found = await festival.certificates.check(code)
        except Problem as problem:
            if problem.status != 404:
                raise
            return page(request, code[:40])
        return page(request, code, found)

    @routes.get("/{code}/pdf")
    async def pdf(code: str) -> Response:
        """The certificate as it is printed."""
        made = await festival.certificates.pdf(code)
        name = f'inline; filename="certificate-{_plain(code)}.pdf"'
        return Response(made, media_type="application/pdf", headers={"Content-Disposition": name})

    return routes


def facts_of(found: CheckedCertificate) -> list[tuple[str, str]]:
    one_day = found.starts == found.ends
    days = _day(found.starts) if one_day else f"{_day(found.starts)}{TO}{_day(found.ends)}"
    return [
        ("Certificate", _KINDS.get(found.kind, found.kind)),
        ("Event", found.event_name),
        ("When", days),
        ("Issued", _day(found.issued)),
        ("Code", _grouped(found.code)),
    ]


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _plain(code: str) -> str:
    """As it is kept, if it is a code at all."""
    try:
        return codes.parse(code)
    except crockford.BadCode:
        return "".join(each for each in code if each.isascii() and each.isalnum()) or "0"


def _grouped(code: str) -> str:
    return crockford.shown(_plain(code)) if code else ""
