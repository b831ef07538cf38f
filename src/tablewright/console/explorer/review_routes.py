"""Pages: what the review says about the model."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.explorer.findings import KINDS, Choice, by_rule, rules_by_family
from tablewright.console.tools import Tools
from tablewright.review import all_rules
from tablewright.review.finding import SEVERITIES
from tablewright.service.problems import FieldError, invalid


def review_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def review(
        request: Request, severity: str = "", family: str = "", kind: str = ""
    ) -> Response:
        await tools.admit(request)
        explorer = await tools.explored()
        reviewed = explorer.reviewed
        kinds = sorted({*KINDS, *(each.kind for each in reviewed.findings)})
        choice = _choice(severity, family, kind, kinds)
        return tools.pages.render(
            request,
            "model/review.html",
            base=base,
            tab="Review",
            crumbs=[("Data model", base)],
            choice=choice,
            kinds=kinds,
            severities=SEVERITIES,
            families=rules_by_family(),
            rule_count=len(all_rules()),
            has_demo=explorer.has_demo,
            reviewed=reviewed,
            standing=by_rule(filter(choice.meets, reviewed.standing)),
            accepted=by_rule(filter(choice.meets, reviewed.accepted)),
        )

    router.add_api_route("/model/review", review, methods=["GET"])
    return router


def _choice(severity: str, family: str, kind: str, kinds: Collection[str]) -> Choice:
    """What to show; a word that cannot be meant is a problem."""
    known = {
        "severity": (severity, SEVERITIES),
        "family": (family, rules_by_family()),
        "kind": (kind, kinds),
    }
    wrong = [
        FieldError(f"query.{name}", f"One of {', '.join(allowed)}.")
        for name, (given, allowed) in known.items()
        if given and given not in allowed
    ]
    if wrong:
        raise invalid(*wrong)
    return Choice(severity, family, kind)
