"""Running a pattern from its page, and filling the practice tables anew.

The form posts what was typed; the answer is the form again with what came of it, as a part of the
page where a script asks for it, else as a page of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.explorer.arguments import read_arguments
from tablewright.console.explorer.grounds import GroundName, ground_for, grounds_for
from tablewright.console.explorer.outcomes import Outcome, outcome_of
from tablewright.console.explorer.parameters import ParameterField, fields_of
from tablewright.console.explorer.running import run_pattern
from tablewright.console.tools import Tools
from tablewright.model.pattern import Pattern
from tablewright.service.problems import Problem, forbidden, not_found

#: Fields of the form that are no parameters; no parameter can be called so.
GROUND, CURSOR = "run-ground", "run-cursor"


@dataclass(frozen=True)
class RunForm:
    """The form of one pattern."""

    pattern: str
    writes: bool
    fields: Sequence[ParameterField]
    #: Where the caller may run it, and where it will be run.
    grounds: Sequence[GroundName]
    ground: str
    #: The demo has a call of it, whose arguments are in the form.
    from_demo: bool

    @property
    def runnable(self) -> bool:
        return bool(self.grounds)


async def run_form(tools: Tools, request: Request, name: str, ground: str = "") -> RunForm:
    """The form as it begins; a pattern that writes is for the practice tables."""
    pattern = _pattern(tools, name)
    explorer = await tools.explored()
    called = explorer.arguments(name)
    types = dict(explorer.patterns[name].parameters)
    allowed = [
        each
        for each in await grounds_for(tools, request)
        if each == "practice" or not pattern.writes
    ]
    return RunForm(
        pattern=name,
        writes=pattern.writes,
        fields=fields_of(pattern, called or {}, types),
        grounds=allowed,
        ground=ground or next(iter(allowed), ""),
        from_demo=called is not None,
    )


def run_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    base = f"{tools.base}/model"

    async def run(request: Request, name: str) -> Response:
        await tools.admit(request)
        typed = await typed_in(request)
        form = await run_form(tools, request, name, typed.get(GROUND, "practice"))
        try:
            outcome = await _outcome(tools, request, form, typed)
        except Problem as problem:
            if problem.code != "INVALID":
                raise
            return _answer(request, form, typed, problem=problem)
        return _answer(request, form, typed, outcome=outcome)

    def _answer(
        request: Request,
        form: RunForm,
        typed: Mapping[str, str],
        outcome: Outcome | None = None,
        problem: Problem | None = None,
    ) -> Response:
        part = bool(request.headers.get("hx-request"))
        status = problem.status if problem is not None and not part else 200
        context = {"values": typed, "problem": problem, "part": part, "run": form}
        return tools.pages.render(
            request,
            "model/_run.html" if part else "model/ran.html",
            status=status,
            base=base,
            outcome=outcome,
            crumbs=[
                ("Data model", base),
                ("Access patterns", f"{base}/patterns"),
                (form.pattern, f"{base}/patterns/{form.pattern}"),
            ],
            **context,
        )

    async def fill_anew(request: Request) -> Response:
        await tools.admit(request)
        if tools.practice is None:
            raise not_found("practice table")
        typed = await typed_in(request)
        back, until = typed.get("back", ""), typed.get("until", "")
        to = back if back.startswith(f"{base}/") else f"{base}/patterns"
        if not until:
            await tools.practice.fill_anew()
            return tools.pages.done(request, to, "The practice tables hold the demo items again.")
        await tools.practice.play_until(_pattern(tools, until).name)
        told = f"The practice tables are as they are before the demo calls {until}."
        return tools.pages.done(request, to, told)

    router.add_api_route("/model/patterns/{name}/run", run, methods=["POST"])
    router.add_api_route("/model/practice", fill_anew, methods=["POST"])
    return router


async def _outcome(
    tools: Tools, request: Request, form: RunForm, typed: Mapping[str, str]
) -> Outcome:
    pattern = _pattern(tools, form.pattern)
    if pattern.writes and form.ground == "live":
        raise forbidden("The live tables are only read here. Run it on the practice tables.")
    ground = await ground_for(tools, request, form.ground)
    entities = [each.cls for each in tools.system.model.entities.values()]
    arguments = read_arguments(form.fields, typed, entities)
    await ground.note(f"pattern/{form.pattern}", "run")
    run = await run_pattern(ground, pattern, arguments, typed.get(CURSOR, ""))
    return outcome_of(run, ground, (await tools.explored()).loads.get(form.pattern))


def _pattern(tools: Tools, name: str) -> Pattern[..., Any]:
    found = tools.system.model.patterns.get(name)
    if found is None:
        raise not_found("access pattern")
    return found


async def typed_in(request: Request) -> dict[str, str]:
    """The fields of a form; browsers send line breaks as two characters."""
    form = await request.form()
    return {name: str(value).replace("\r\n", "\n") for name, value in form.items()}
