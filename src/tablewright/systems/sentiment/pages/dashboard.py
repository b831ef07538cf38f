"""The dashboard: how much is said about what, in which tone, and how that changes.

The page is made of two parts that are fetched again by themselves: the figures, when some have
changed, and the list of articles, when the connection was lost. What arrives comes by a stream.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.problems import Problem
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment.pages.dashboard_figures import panels_of
from tablewright.systems.sentiment.pages.dashboard_filters import (
    NAMES,
    PRESETS,
    TONES,
    View,
    view_of,
)
from tablewright.systems.sentiment.pages.live import Arrivals
from tablewright.systems.sentiment.pages.paths import READERS
from tablewright.systems.sentiment.pages.rows import Line, line_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Articles of a list.
_SHOWN = 20
#: Publishers to choose from: those with the most articles. Lists and figures know all of them.
_OFFERED = 200
#: Seconds until figures are fetched again: those that are counted, and those that are not.
_SOON, _LATE = 3, 30
#: However many look at a view, it is rendered so often.
_KEPT_SECS = 2.0


class Recent(NamedTuple):
    """A part of the list of articles."""

    lines: list[Line]
    more: str
    #: Much was read to find these few.
    partial: bool


class Dashboard:
    """What the pages show of a view."""

    def __init__(self, newsroom: Newsroom, pages: Pages) -> None:
        self._newsroom = newsroom
        self._pages = pages
        clock = newsroom.runtime.clock
        self._figures: Remembered[View, str] = Remembered(
            self._rendered, clock, secs=_KEPT_SECS, size=200
        )

    def view(self, request: Request) -> View:
        return view_of(request.query_params, self._newsroom.now())

    async def figures(self, view: View) -> str:
        """The part that is counted; the same for everybody."""
        return await self._figures.get(view)

    async def recent(self, view: View, cursor: str | None = None) -> Recent:
        """The latest articles of a view, or those that follow."""
        wanted = view.wanted(self._newsroom.now())
        found = await self._newsroom.articles.find(wanted, _SHOWN, cursor)
        # What follows is of the same time, though by then another one may have begun.
        same = replace(view, since=wanted.since, until=wanted.until)
        more = same.path("/recent", cursor=found.cursor) if found.cursor else ""
        return Recent([line_of(each, view.tag) for each in found.rows], more, found.partial)

    async def choices(self, view: View) -> dict[str, object]:
        """What the form of filters offers; also what is chosen and not there any more."""
        topics = [each.label for each in await self._newsroom.watches.list()]
        publishers = await self._newsroom.intake.publishers.ranked()
        names = {each.source_key: each.name for each in publishers}
        offered = {each.source_key: each.name for each in publishers[:_OFFERED]}
        if view.source:
            offered[view.source] = names.get(view.source, view.source)
        return {
            "topics": _with(topics, view.tag),
            "publishers": sorted(offered.items(), key=lambda each: each[1].casefold()),
            "names": names,
            "tones": TONES,
            "presets": PRESETS,
        }

    async def _rendered(self, view: View) -> str:
        panels = await panels_of(self._newsroom, view)
        return self._pages.fragment("sentiment/dashboard_figures.html", panels=panels, view=view)


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter()
    reader = Depends(newsroom.runtime.auth.require(*READERS))
    dashboard = Dashboard(newsroom, pages)
    arrivals = Arrivals(newsroom, pages)

    @routes.get("/")
    async def shown(request: Request, who: Principal = reader) -> Response:
        try:
            view = dashboard.view(request)
        except Problem as problem:
            return await refused(request, problem)
        if any(request.query_params.get(name) == "" for name in NAMES):
            # A form sends its empty fields, too; the address to keep says what matters.
            return RedirectResponse(view.path(), 303)
        context: dict[str, object] = {
            "view": view,
            "figures": await dashboard.figures(view),
            "recent": await dashboard.recent(view),
            "exports": _exports(view, newsroom.now()),
            "every": _SOON if view.is_counted else _LATE,
        }
        context |= await dashboard.choices(view)
        return pages.render(request, "sentiment/dashboard.html", status=200, **context)

    async def refused(request: Request, problem: Problem) -> Response:
        """The filters with what was typed, and what is wrong with it."""
        context: dict[str, object] = {
            "view": View(),
            "problem": problem,
            "values": dict(request.query_params),
        }
        context |= await dashboard.choices(View())
        return pages.render(
            request, "sentiment/dashboard_refused.html", status=problem.status, **context
        )

    @routes.get("/figures")
    async def figures(request: Request, who: Principal = reader) -> Response:
        return HTMLResponse(await dashboard.figures(dashboard.view(request)))

    @routes.get("/recent")
    async def recent(
        request: Request, cursor: str | None = None, who: Principal = reader
    ) -> Response:
        view = dashboard.view(request)
        found = await dashboard.recent(view, cursor)
        return pages.render(request, "sentiment/dashboard_recent.html", view=view, recent=found)

    @routes.get("/live")
    async def live(request: Request, who: Principal = reader) -> Response:
        return arrivals.stream(request, who, dashboard.view(request))

    return routes


def _with(known: list[str], chosen: str | None) -> list[tuple[str, str]]:
    """What is known, as it is written there; ``chosen`` may be written otherwise."""
    folded = {each.casefold() for each in known}
    more = [chosen] if chosen and chosen.casefold() not in folded else []
    return [
        (chosen if chosen and each.casefold() == chosen.casefold() else each, each)
        for each in (*known, *more)
    ]


def _exports(view: View, now: datetime) -> dict[str, str]:
    """Where the same articles are to be had as files."""
    same = replace(view, since=view.span(now).since)
    return {
        title: same.path("/api/v1/export", format=form)
        for title, form in (("CSV", "csv"), ("JSON", "json"))
    }
