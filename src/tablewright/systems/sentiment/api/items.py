"""``/items``: articles, what their tone comes from, and verdicts on them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Response

from tablewright.service.auth import Principal
from tablewright.service.paging import Paging
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.api.article_bodies import article_out, row_out
from tablewright.systems.sentiment.api.asked import (
    ArticleId,
    AskedFilter,
    AskedTimes,
    checked_id,
)
from tablewright.systems.sentiment.bodies.articles import (
    ArticleOut,
    ArticlesOut,
    ExplanationOut,
    OverrideIn,
    TermOut,
)
from tablewright.systems.sentiment.rules.text import text_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_NOT_ANALYZED = "`NOT_ANALYZED`: it has no tone yet."
_EXPLAINED = {409: f"{_NOT_ANALYZED} `MODEL_UNAVAILABLE`: the model cannot be loaded here."}


def router(newsroom: Newsroom) -> APIRouter:
    """The routes of articles: everybody reads, analysts decide."""
    routes = APIRouter(prefix="/api/v1/items", tags=["articles"])
    viewer = Depends(newsroom.runtime.auth.require("viewer", "analyst", "operator", "admin"))
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))

    @routes.get("", responses=refusals({422: "`BAD_RANGE`; `INVALID`."}))
    async def list_articles(
        wanted: AskedFilter, times: AskedTimes, paging: Paging, _: Principal = viewer
    ) -> ArticlesOut:
        """Articles, the latest first. Those without a tone are in lists by topic or by status.

        What no index is made for is looked at after reading, 2,000 articles for each page: a page
        may then be short, or empty, and `next_cursor` goes on.
        """
        if times.since is not None or times.until is not None:
            times.span(newsroom.now())
        within = replace(wanted, since=times.since, until=times.until)
        found = await newsroom.articles.find(within, paging.limit, paging.cursor)
        return ArticlesOut(
            items=[row_out(each) for each in found.rows],
            next_cursor=found.cursor,
            partial=found.partial,
        )

    @routes.get("/{article_id}", responses={200: {"headers": ETAG}, **refusals(404)})
    async def get_article(
        article_id: ArticleId, response: Response, _: Principal = viewer
    ) -> ArticleOut:
        """One article, with what all models say; its ETag is what a verdict is made with."""
        return await shown(checked_id(article_id), response)

    @routes.get("/{article_id}/explanation", responses=refusals(404, _EXPLAINED))
    async def explain_article(article_id: ArticleId, _: Principal = viewer) -> ExplanationOut:
        """The words that the tone comes from: what the polarity would be without each."""
        article = (await newsroom.articles.item(checked_id(article_id))).article
        terms = await newsroom.models.explain(article)
        return ExplanationOut(
            model_version=article.model_version or "",
            text=text_of(article),
            terms=[
                TermOut(word=each.word, weight=float(each.weight), start=each.start, end=each.end)
                for each in terms
            ],
        )

    @routes.put(
        "/{article_id}/override",
        responses={
            200: {"headers": ETAG},
            **refusals(404, {409: _NOT_ANALYZED}, 412, 428),
        },
    )
    async def set_override(
        article_id: ArticleId,
        body: OverrideIn,
        said: Said,
        response: Response,
        by: Principal = analyst,
    ) -> ArticleOut:
        """Another tone than the model's, on the version that you have seen (If-Match)."""
        source_id = checked_id(article_id)
        await newsroom.overrides.set(source_id, body.sentiment, body.reason, by, said)
        return await shown(source_id, response)

    @routes.delete(
        "/{article_id}/override",
        responses={200: {"headers": ETAG}, **refusals(404, {409: _NOT_ANALYZED}, 412)},
    )
    async def clear_override(
        article_id: ArticleId, said: Said, response: Response, by: Principal = analyst
    ) -> ArticleOut:
        """The model's own tone again; without a verdict it is so already."""
        source_id = checked_id(article_id)
        await newsroom.overrides.clear(source_id, by, said)
        return await shown(source_id, response)

    async def shown(source_id: str, response: Response) -> ArticleOut:
        page = await newsroom.articles.item(source_id)
        response.headers["ETag"] = etag(page.article.version)
        return article_out(page)

    return routes
