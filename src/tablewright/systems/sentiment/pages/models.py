"""Models: those that can be used, registering one, and letting one judge the past again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.limits import Rate
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.sentiment.analysers.card import measured
from tablewright.systems.sentiment.bodies.models import ModelIn
from tablewright.systems.sentiment.bodies.reanalyses import ReanalysisIn
from tablewright.systems.sentiment.config import ModelVersion
from tablewright.systems.sentiment.pages.job_lines import JobLine, job_line, job_path
from tablewright.systems.sentiment.pages.paths import BASE
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

MODELS = f"{BASE}/models"
_JOBS = 20
#: Each reads a folder of hundreds of megabytes and loads it; counted with those by the API.
_REGISTRATIONS = Rate(10)
_WEEK = timedelta(days=7)
_TYPED = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True)
class ModelLine:
    """A model, as the list shows it."""

    model: ModelVersion
    active: bool

    @property
    def bundled(self) -> bool:
        return self.model.path is None

    @property
    def measured(self) -> str:
        """What the model card says; of those that come with the program only."""
        return measured(self.model.kind) if self.bundled else ""


async def model_lines(newsroom: Newsroom) -> list[ModelLine]:
    """The one in use first, then those that come with the program."""
    active = (await newsroom.setup.current()).active_model
    lines = [ModelLine(each, each.model_version == active) for each in await newsroom.models.list()]
    return sorted(lines, key=lambda line: (not line.active, not line.bundled))


def read_span(values: Typed, now: datetime) -> ReanalysisIn:
    """The body that a form makes, or a problem at its fields. Moments are typed in UTC."""
    errors: list[FieldError] = []
    given: dict[str, object] = {"model_version": values.get("model_version", "")}
    for name, default in (("since", now - ARTICLE_LIFE), ("until", now)):
        text = values.get(name, "")
        try:
            moment = datetime.fromisoformat(text) if text else default
        except ValueError:
            errors.append(FieldError(f"body.{name}", "A moment such as 2026-11-15T12:00."))
            moment = default
        given[name] = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return built(ReanalysisIn, given, errors)


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/models")
    admin = Depends(newsroom.runtime.auth.require("admin"))

    async def shown(
        request: Request,
        cursor: str | None = None,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        lines = await model_lines(newsroom)
        page = await newsroom.jobs.list(_JOBS, cursor)
        slack, now = newsroom.options.promote_slack_secs, newsroom.now()
        jobs: Sequence[JobLine] = [job_line(each, slack) for each in page]
        return pages.render(
            request,
            "sentiment/models.html",
            status=problem.status if problem else 200,
            lines=lines,
            others=[each.model.model_version for each in lines if not each.active],
            jobs=jobs,
            more=with_query(MODELS, cursor=page.cursor) if page.cursor else "",
            since=f"{now - _WEEK:{_TYPED}}",
            until=f"{now:{_TYPED}}",
            problem=problem,
            values=values,
        )

    @routes.get("")
    async def listed(
        request: Request, cursor: str | None = None, who: Principal = admin
    ) -> Response:
        return await shown(request, cursor)

    @routes.post("/reanalyse")
    async def reanalyse(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            body = read_span(values, newsroom.now())
            job = await newsroom.jobs.start(body.model_version, body.since, body.until, who)
        except Problem as problem:
            return await shown(request, problem=_at_the_span(problem), values=values)
        return pages.done(request, job_path(job.job_id), "The comparison has begun.")

    def asked(
        request: Request, *, problem: Problem | None = None, values: Typed | None = None
    ) -> Response:
        return pages.render(
            request,
            "sentiment/model_form.html",
            status=problem.status if problem else 200,
            folder=newsroom.models.folder,
            problem=problem,
            values=values,
            crumbs=[("Models", MODELS)],
        )

    @routes.get("/register")
    async def new(request: Request, who: Principal = admin) -> Response:
        return asked(request)

    @routes.post("/register")
    async def register(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            body = read_model(values)
            await newsroom.runtime.limits.check("models", who.id, _REGISTRATIONS)
            saved = await newsroom.models.register(body, who)
        except Problem as problem:
            return asked(request, problem=problem, values=values)
        said = "is registered" if saved.created else "was registered before"
        return pages.done(request, MODELS, f"{saved.model.model_version} {said}.")

    return routes


def read_model(values: Typed) -> ModelIn:
    """The body that a form makes, or a problem at its fields."""
    given: dict[str, object] = {
        name: values.get(name, "") for name in ("model_version", "kind", "path", "description")
    }
    given["checksum"] = values.get("checksum", "").lower() or None
    try:
        return built(ModelIn, given)
    except Problem as problem:
        words = {
            "body.model_version": "Such as v1.2.0+finbert.",
            "body.checksum": "64 digits and letters from a to f.",
        }
        errors = [
            FieldError(each.field, words.get(each.field, each.message)) for each in problem.errors
        ]
        raise invalid(*errors) from None


def _at_the_span(problem: Problem) -> Problem:
    if problem.code != "BAD_RANGE":
        return problem
    message = "Before the end, and within the last 30 days."
    errors = [FieldError("body.since", message)]
    return Problem(problem.status, problem.code, "That is no time to look at.", errors=errors)
