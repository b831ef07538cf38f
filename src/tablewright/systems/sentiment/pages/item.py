"""One article: its tone and where that comes from, and what people say instead."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import Typed, built, typed
from tablewright.service.pages import Pages
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.api.article_bodies import article_out
from tablewright.systems.sentiment.api.asked import checked_id
from tablewright.systems.sentiment.bodies.articles import ArticleOut, OverrideIn
from tablewright.systems.sentiment.pages.dashboard_filters import TONES
from tablewright.systems.sentiment.pages.item_history import (
    changed_since,
    moments_of,
    packed,
)
from tablewright.systems.sentiment.pages.item_text import pieces_of
from tablewright.systems.sentiment.pages.paths import BASE, READERS, Rights, item_path
from tablewright.systems.sentiment.rules.languages import language_name
from tablewright.systems.sentiment.rules.text import text_of
from tablewright.systems.sentiment.service.queue import STUCK_AFTER

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/items/{article_id}")
    require = newsroom.runtime.auth.require
    reader = Depends(require(*READERS))
    analyst = Depends(require("analyst", "admin"))
    operator = Depends(require("operator", "admin"))

    async def shown(
        request: Request,
        source_id: str,
        who: Principal,
        *,
        problem: Problem | None = None,
        values: Typed | None = None,
    ) -> Response:
        """The article as it is now; after a refusal, with what was typed."""
        page = await newsroom.articles.item(source_id)
        article = article_out(page)
        clash = problem is not None and problem.status == 412
        return pages.render(
            request,
            "sentiment/item.html",
            status=problem.status if problem else 200,
            problem=None if clash else problem,
            values=values,
            article=article,
            language=language_name(article.language),
            text=text_of(page.article),
            queued_at=page.article.queued_at,
            history=moments_of(article, await newsroom.overrides.history(source_id)),
            # Whoever is refused has not seen this version: saving again has to be a decision.
            seen=packed(article),
            clash=changed_since((values or {}).get("seen", ""), article) if clash else None,
            tones=TONES,
            can_requeue=_can_requeue(newsroom, article, page.article.queued_at),
            base=item_path(source_id),
            may=Rights.of(who),
            crumbs=[("Dashboard", f"{BASE}/")],
        )

    @routes.get("")
    async def one(request: Request, article_id: str, who: Principal = reader) -> Response:
        return await shown(request, checked_id(article_id), who)

    @routes.get("/terms")
    async def terms(request: Request, article_id: str, who: Principal = reader) -> Response:
        """The words that the tone comes from. A model may take its time, so they come later."""
        article = (await newsroom.articles.item(checked_id(article_id))).article
        text, problem = text_of(article), None
        try:
            found = await newsroom.models.explain(article)
        except Problem as refused:
            found, problem = [], refused
        return pages.render(
            request,
            "sentiment/item_terms.html",
            pieces=pieces_of(text, found),
            terms=found,
            model=article.model_version,
            unexplained=problem,
        )

    @routes.post("/override")
    async def override(request: Request, article_id: str, who: Principal = analyst) -> Response:
        source_id, values = checked_id(article_id), await typed(request)
        said = {name: text for name, text in values.items() if name in OverrideIn.model_fields}
        try:
            body = built(OverrideIn, said)
            await newsroom.overrides.set(
                source_id, body.sentiment, body.reason, who, _version(values)
            )
        except Problem as problem:
            return await shown(request, source_id, who, problem=problem, values=values)
        message = f"The article is {body.sentiment} now, and counted as such."
        return pages.done(request, item_path(source_id), message)

    @routes.post("/clear")
    async def clear(request: Request, article_id: str, who: Principal = analyst) -> Response:
        source_id, values = checked_id(article_id), await typed(request)
        try:
            article = await newsroom.overrides.clear(source_id, who, _version(values))
        except Problem as problem:
            return await shown(request, source_id, who, problem=problem, values=values)
        message = f"The model's own tone counts again: {article.sentiment}."
        return pages.done(request, item_path(source_id), message)

    @routes.post("/requeue")
    async def requeue(request: Request, article_id: str, who: Principal = operator) -> Response:
        source_id = checked_id(article_id)
        try:
            await newsroom.queue.requeue([source_id], who)
        except Problem as problem:
            return await shown(request, source_id, who, problem=problem)
        message = "It waits to be analysed, with three tries again."
        return pages.done(request, item_path(source_id), message)

    return routes


def _version(values: Typed) -> Precondition:
    """What the form was made from; one that does not say so has seen nothing."""
    return Precondition(if_match=f'"{values.get("version", "")}"')


def _can_requeue(newsroom: Newsroom, article: ArticleOut, queued_at: datetime) -> bool:
    stuck = article.status == "pending" and queued_at < newsroom.now() - STUCK_AFTER
    return article.status == "failed" or stuck
