"""Adding a source, and changing its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.merging import merged, packed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.sentiment.bodies.sources import SourceChange, SourceIn
from tablewright.systems.sentiment.config import Source
from tablewright.systems.sentiment.pages.ops import OPS
from tablewright.systems.sentiment.pages.ops_status import source_path

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_FIRST = {"source_type": "rss", "interval_seconds": "600", "enabled": "1"}
_WORDS = {"url": "address", "daily_limit": "calls a day", "enabled": "read"}

C = TypeVar("C", bound=SourceChange)


def values_of(source: Source) -> dict[str, str]:
    """A source as its form shows it."""
    return {
        "url": source.url or "",
        "query": source.query or "",
        "interval_seconds": str(source.interval_seconds),
        "daily_limit": "" if source.daily_limit is None else str(source.daily_limit),
        "enabled": "1" if source.enabled else "",
    }


def read_source(values: Typed, kind: type[C]) -> C:
    """The body that a form makes, or a problem at its fields."""
    given: dict[str, object] = {
        "url": values.get("url") or None,
        "query": values.get("query") or None,
        "interval_seconds": values.get("interval_seconds", ""),
        "daily_limit": values.get("daily_limit") or None,
        "enabled": values.get("enabled") == "1",
    }
    if "name" in kind.model_fields:
        given |= {name: values.get(name, "") for name in ("name", "source_type")}
    try:
        return built(kind, given)
    except Problem as problem:
        raise _at_the_name(problem) from None


def _at_the_name(problem: Problem) -> Problem:
    """A name that cannot be, or is taken, is wrong at its field."""
    message = "Use lowercase letters, digits and hyphens, 40 at most, for example bbc-world."
    errors = [
        FieldError(each.field, message) if each.field == "body.name" else each
        for each in problem.errors
    ]
    if problem.code == "ALREADY_EXISTS":
        errors.append(FieldError("body.name", "There is a source of this name."))
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def _words(field: str) -> str:
    return _WORDS.get(field, field.replace("_", " "))


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/ops")
    admin = Depends(newsroom.runtime.auth.require("admin"))
    sources = newsroom.sources

    def shown(
        request: Request, source: Source | None, *, status: int = 200, **context: object
    ) -> Response:
        first = values_of(source) if source else _FIRST
        crumbs = [("Operations", OPS)]
        if source:
            crumbs.append((source.name, source_path(source.name)))
        given: dict[str, object] = {
            "source": source,
            "first": first,
            "seen": packed(first),
            "version": source.revision if source else "",
            "daily": newsroom.options.newsapi_daily_limit,
            "crumbs": crumbs,
        }
        return pages.render(
            request, "sentiment/source_form.html", status=status, **{**given, **context}
        )

    @routes.get("/new-source")
    async def new(request: Request, who: Principal = admin) -> Response:
        return shown(request, None)

    @routes.post("/new-source")
    async def create(request: Request, who: Principal = admin) -> Response:
        values = await typed(request)
        try:
            standing = await sources.create(read_source(values, SourceIn), who)
        except Problem as problem:
            told = _at_the_name(problem) if problem.code == "ALREADY_EXISTS" else problem
            return shown(request, None, status=told.status, problem=told, values=values)
        return pages.done(request, OPS, f"{standing.source.name} is read from now on.")

    @routes.get("/sources/{name}/edit")
    async def edit(request: Request, name: str, who: Principal = admin) -> Response:
        return shown(request, (await sources.get(name)).source)

    @routes.post("/sources/{name}/edit")
    async def save(request: Request, name: str, who: Principal = admin) -> Response:
        values = await typed(request)
        seen = Precondition(if_match=f'"{values.get("version", "")}"')
        try:
            await sources.save(name, read_source(values, SourceChange), who, seen)
        except Problem as problem:
            source = (await sources.get(name)).source
            if problem.status == 412:
                told = {**values, "enabled": values.get("enabled", "")}
                clash = merged(told, values_of(source), words=_words)
                return shown(request, source, status=412, values=clash.values, clash=clash)
            kept = {each: values.get(each, "") for each in ("version", "seen")}
            again = {"problem": problem, "values": values, **kept}
            return shown(request, source, status=problem.status, **again)
        return pages.done(request, source_path(name), "The settings are saved.")

    @routes.post("/sources/{name}/delete")
    async def delete(request: Request, name: str, who: Principal = admin) -> Response:
        seen = Precondition(if_match=f'"{(await typed(request)).get("version", "")}"')
        await sources.delete(name, who, seen)
        message = f"{name} is deleted. Its articles stay until they end."
        return pages.done(request, OPS, message, tone="info")

    return routes
