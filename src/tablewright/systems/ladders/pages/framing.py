"""What all pages have in common: who looks at them, and how days are written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tablewright.service.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.pages import Pages
    from tablewright.systems.ladders.service.callers import Caller

#: What a form comes back with; anything else is a page of its own.
REFUSED = (409, 412, 422, 428)


def shown(pages: Pages, request: Request, template: str, by: Caller, **context: object) -> Response:
    """A page as somebody sees it. Its status is that of its problem, or what ``status`` says."""
    problem, said = context.get("problem"), context.pop("status", None)
    status = problem.status if isinstance(problem, Problem) else 200
    given = {"by": by, "day": day, **context}
    return pages.render(
        request, template, status=said if isinstance(said, int) else status, **given
    )


def day(moment: datetime | None, zone: str = "UTC") -> str:
    """``14 Nov 2026``."""
    if moment is None:
        return "\N{EN DASH}"
    there = moment.astimezone(UTC if zone == "UTC" else ZoneInfo(zone))
    return f"{there.day} {there:%b %Y}"
