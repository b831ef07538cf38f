"""What all pages have in common: who looks at them, and how days are written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tablewright.service.problems import Problem
from tablewright.systems.ladders.pages.form_fields import fields_of_page, in_sentences, label_of

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
    if isinstance(problem, Problem):
        context |= _in_words_of_page(problem, template, context.pop("field_labels", None))
    status = problem.status if isinstance(problem, Problem) else 200
    given = {"by": by, "day": day, **context}
    return pages.render(
        request, template, status=said if isinstance(said, int) else status, **given
    )


def _in_words_of_page(problem: Problem, template: str, labels: object) -> dict[str, object]:
    """Return the problem in sentences, and what the page calls the fields that it is about."""
    fields = fields_of_page(template)
    known = {each.field: label_of(each.field, fields) for each in problem.errors}
    more = labels if isinstance(labels, dict) else {}
    return {"problem": in_sentences(problem), "field_labels": {**known, **more}}


def day(moment: datetime | None, zone: str = "UTC") -> str:
    """``14 Nov 2026``."""
    if moment is None:
        return "\N{EN DASH}"
    there = moment.astimezone(UTC if zone == "UTC" else ZoneInfo(zone))
    return f"{there.day} {there:%b %Y}"
