"""Operations: what is stuck or has failed and another chance for it, sources, files, slow calls."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.bodies.ops import MAX_IDS
from tablewright.systems.sentiment.pages.ops_status import status_of
from tablewright.systems.sentiment.pages.paths import BASE, Rights, item_path
from tablewright.systems.sentiment.rules.ids import shown_id, source_id_of
from tablewright.systems.sentiment.service.queue import Requeued, Unfinished

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

OPS = f"{BASE}/ops"
_LISTED = 25


@dataclass(frozen=True)
class WaitingLine:
    """An article that waits, or has failed."""

    waiting: Unfinished

    @property
    def id(self) -> str:
        return shown_id(self.waiting.source_id)

    @property
    def title(self) -> str:
        """What is only known by its key is called by it."""
        article = self.waiting.article
        return self.id if article is None else article.metadata.title

    @property
    def path(self) -> str:
        return item_path(self.waiting.source_id)


@dataclass(frozen=True)
class WaitingList:
    """Some of the articles that wait or have failed, and where the others are."""

    lines: Sequence[WaitingLine]
    more: str


async def waiting(newsroom: Newsroom, kind: str, cursor: str | None = None) -> WaitingList:
    listed = newsroom.queue.stuck if kind == "stuck" else newsroom.queue.failed
    found, rest = await listed(_LISTED, cursor)
    more = with_query(f"{OPS}/{kind}", cursor=rest) if rest else ""
    return WaitingList([WaitingLine(each) for each in found], more)


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/ops")
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))

    @routes.get("")
    async def operations(request: Request, who: Principal = operator) -> Response:
        return await overview(newsroom, pages, request, who)

    @routes.get("/status")
    async def status(request: Request, who: Principal = operator) -> Response:
        """The parts of the page that are fetched again and again."""
        found = await status_of(newsroom)
        return pages.render(request, "sentiment/ops_status.html", now=found, may=Rights.of(who))

    @routes.get("/failed")
    async def failed(
        request: Request, cursor: str | None = None, who: Principal = operator
    ) -> Response:
        return await listed(request, "failed", cursor)

    @routes.get("/stuck")
    async def stuck(
        request: Request, cursor: str | None = None, who: Principal = operator
    ) -> Response:
        return await listed(request, "stuck", cursor)

    async def listed(request: Request, kind: str, cursor: str | None) -> Response:
        return pages.render(
            request,
            "sentiment/ops_waiting.html",
            kind=kind,
            found=await waiting(newsroom, kind, cursor),
            crumbs=[("Operations", OPS)],
        )

    @routes.post("/requeue")
    async def requeue(request: Request, who: Principal = operator) -> Response:
        form = await request.form()
        given = [each for each in form.getlist("ids") if isinstance(each, str)]
        ids = [found for each in given if (found := source_id_of(each)) is not None]
        if not ids:
            return pages.done(request, OPS, "Choose articles first.", tone="warning")
        if len(ids) > MAX_IDS:
            message = f"At most {MAX_IDS} at once; or queue all of them again."
            return pages.done(request, OPS, message, tone="warning")
        try:
            done = await newsroom.queue.requeue(ids, who)
        except Problem as problem:
            if problem.code != "NOT_REQUEUEABLE":
                raise
            return pages.done(request, OPS, problem.detail, tone="warning")
        left = sum(each.result != "requeued" for each in done)
        return pages.done(request, OPS, requeued_text(done), tone="warning" if left else "success")

    @routes.post("/requeue-all")
    async def requeue_all(request: Request, who: Principal = operator) -> Response:
        number = await newsroom.queue.requeue_all(who)
        return pages.done(request, OPS, f"{_articles(number)} queued again.")

    return routes


async def overview(
    newsroom: Newsroom,
    pages: Pages,
    request: Request,
    who: Principal,
    *,
    problem: Problem | None = None,
) -> Response:
    """The whole page; with what was wrong, if a form of it was refused."""
    status, failed, stuck = await asyncio.gather(
        status_of(newsroom), waiting(newsroom, "failed"), waiting(newsroom, "stuck")
    )
    return pages.render(
        request,
        "sentiment/ops.html",
        status=problem.status if problem else 200,
        now=status,
        failed=failed,
        stuck=stuck,
        problem=problem,
        may=Rights.of(who),
    )


def requeued_text(done: Sequence[Requeued]) -> str:
    """What became of articles that were to be queued again."""
    results = Counter(each.result for each in done)
    said = [f"{_articles(results['requeued'])} queued again."]
    if gone := results["gone"]:
        said.append(f"{gone} had ended.")
    if other := results["not_requeueable"]:
        said.append(f"{other} neither failed nor stuck any more.")
    return " ".join(said)


def _articles(number: int) -> str:
    return "One article is" if number == 1 else f"{number:,} articles are"
