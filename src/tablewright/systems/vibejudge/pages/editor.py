"""Planning a hackathon, and changing it; its weights are shown as they are typed."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final, get_args

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.responses import Response

from tablewright.service.forms import Typed, typed
from tablewright.service.merging import merged, packed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.vibejudge.api.callers import organizer_of
from tablewright.systems.vibejudge.entities import (
    ALL_AGENTS,
    Dimension,
    HackathonDetail,
    PolicyMode,
)
from tablewright.systems.vibejudge.pages import hackathon_form as form
from tablewright.systems.vibejudge.pages.framing import shown
from tablewright.systems.vibejudge.pages.paths import HACKATHONS, NEW, hackathon_path, tab_path
from tablewright.systems.vibejudge.pages.weighing import (
    AGENT_NAMES,
    POLICIES,
    POLICY_NAMES,
    Weighing,
    weighed_by,
)
from tablewright.systems.vibejudge.rules.editing import EDITABLE, STARTS, editable
from tablewright.systems.vibejudge.rules.templates import TEMPLATES, Template
from tablewright.systems.vibejudge.service.callers import Caller
from tablewright.systems.vibejudge.service.hackathons import revision

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

_CRUMBS: Final = [("Hackathons", HACKATHONS)]
#: Fields that say something about the form.
_BESIDES: Final = ("editing", "template", "act")
_WORDS: Final = {
    "ai_policy_mode": "policy on AI",
    "ai_policy_config.authenticity_weight": "weight of authenticity",
    "agent_provider": "agents",
    "budget_limit_usd": "budget",
    "human_weight": "weight of judges",
}


def weighing_of(values: Typed) -> Weighing:
    """What was typed so far, weighed; rows that are not right yet count as nothing."""
    rows = [_dimension(values, at) for at in form.dimension_numbers(values)]
    named = {each.name: each for each in rows if each is not None}
    asked = values.get("ai_policy_mode", "")
    mode: PolicyMode = next((each for each in get_args(PolicyMode) if each == asked), "ai_assisted")
    said = form.share_of(values.get("ai_policy_config.authenticity_weight", ""), 50)
    return weighed_by(list(named.values()), mode, said if mode == "custom" else None)


def _dimension(values: Typed, at: int) -> Dimension | None:
    place = f"{form.ROWS}.{at}"
    weight = form.share_of(values.get(f"{place}.weight", "")) or Decimal(0)
    name = values.get(f"{place}.name", "") or f"Dimension {at + 1}"
    try:
        return Dimension.model_validate(
            {"name": name, "weight": weight, "agent": values.get(f"{place}.agent", "")}
        )
    except ValidationError:
        return None


def _offered(template: Template) -> str:
    return f"{template.rubric.name}: {template.about}"


def _words(field: str) -> str:
    return _WORDS.get(field, field.replace(".", " ").replace("_", " "))


def router(courtroom: Courtroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/hackathons")
    organizer = Depends(organizer_of(courtroom))
    hackathons = courtroom.hackathons

    def choices(values: Typed) -> dict[str, object]:
        """What there is to choose from, and what comes of what is chosen."""
        return {
            "numbers": form.dimension_numbers(values),
            "most": form.MOST_DIMENSIONS,
            "weighing": weighing_of(values),
            "template_options": [(each.id, _offered(each)) for each in TEMPLATES],
            "policy_options": [(mode, POLICY_NAMES[mode]) for mode in POLICIES],
            "agent_options": [(each, AGENT_NAMES[each]) for each in ALL_AGENTS],
            "agents": ALL_AGENTS,
            "models": sorted({each.model_id for each in courtroom.models.rates.known()}),
            "labels": courtroom.options.pricekeeper_url is not None,
        }

    def asked(
        request: Request,
        hackathon: HackathonDetail | None,
        *,
        status: int = 200,
        values: Typed | None = None,
        **context: object,
    ) -> Response:
        first = form.first_values() if hackathon is None else form.values_of(hackathon)
        given: dict[str, object] = {
            "first": first,
            "seen": packed(first),
            "version": "" if hackathon is None else str(revision(hackathon)),
            "free": EDITABLE if hackathon is None else editable(hackathon),
            "values": values,
            "action": NEW if hackathon is None else tab_path(hackathon.hack_id, "Edit"),
            **choices(first if values is None else {**_locked(first, hackathon), **values}),
            **context,
        }
        if hackathon is None:
            given |= {"hackathon": None, "crumbs": _CRUMBS}
            return pages.render(request, "vibejudge/editor_new.html", status=status, **given)
        given["acts"] = [act for act, states in STARTS.items() if hackathon.status in states]
        template = "vibejudge/editor_edit.html"
        return shown(pages, request, template, hackathon, "Edit", status=status, **given)

    async def edited(values: Typed, by: Caller) -> HackathonDetail | None:
        hack_id = values.get("editing", "")
        return await hackathons.owned(by, hack_id) if hack_id else None

    @routes.get("/new")
    async def new(request: Request, by: Caller = organizer) -> Response:
        by.registered()
        return asked(request, None)

    @routes.post("/new")
    async def create(request: Request, by: Caller = organizer) -> Response:
        values = await typed(request)
        try:
            made = await hackathons.create(by, form.read_hackathon(values))
        except Problem as problem:
            told = form.at_its_field(problem)
            return asked(request, None, status=told.status, problem=told, values=values)
        message = f"{made.name} is planned. Activate it once it is ready for teams."
        return pages.done(request, hackathon_path(made.hack_id), message)

    @routes.post("/rubric")
    async def rubric(request: Request, by: Caller = organizer) -> Response:
        """Another template, one more dimension or one less: the part of the form, or all of it."""
        sent = await typed(request)
        values = _acted(sent)
        if request.headers.get("hx-request"):
            context = {**choices(values), "values": values, "first": values, "swapped": True}
            return pages.render(request, "vibejudge/editor_rubric.html", status=200, **context)
        hackathon = await edited(sent, by)
        kept: dict[str, object] = {}
        if hackathon is not None:
            kept = {each: sent.get(each, "") for each in ("version", "seen")}
        return asked(request, hackathon, status=200, values=values, **kept)

    @routes.post("/weights")
    async def weights(request: Request, by: Caller = organizer) -> Response:
        """What counts, as it is typed."""
        found = weighing_of(await typed(request))
        return pages.render(request, "vibejudge/editor_weights.html", weighing=found)

    @routes.get("/{hack_id}/edit")
    async def edit(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        return asked(request, await hackathons.owned(by, hack_id))

    @routes.post("/{hack_id}/edit")
    async def save(request: Request, hack_id: str, by: Caller = organizer) -> Response:
        values = await typed(request)
        before = await hackathons.owned(by, hack_id)
        said = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            after = await hackathons.edit(by, hack_id, form.read_hackathon(values, before), said)
        except Problem as problem:
            if problem.status == 412:
                now = form.values_of(before)
                told = {**{each: "" for each in now if each.startswith("agents.")}, **values}
                clash = merged(told, now, words=_words, besides=_BESIDES)
                return asked(request, before, status=412, values=clash.values, clash=clash)
            told_of = form.at_its_field(problem)
            kept = {each: values.get(each, "") for each in ("version", "seen")}
            return asked(
                request, before, status=told_of.status, problem=told_of, values=values, **kept
            )
        return pages.done(request, hackathon_path(after.hack_id), "The settings are saved.")

    return routes


def _acted(values: Typed) -> dict[str, str]:
    """What a button in the rubric asks for."""
    act, _, number = values.get("act", "").partition(".")
    if act == "template":
        return form.with_template(values)
    if act == "add":
        return form.with_row(values)
    if act == "remove" and number.isdigit():
        return form.without_row(values, int(number))
    return dict(values)


def _locked(first: Typed, hackathon: HackathonDetail | None) -> Typed:
    """Fields that cannot be changed are not sent: their values are those that were shown."""
    if hackathon is None or "rubric" in editable(hackathon):
        return {}
    return first
