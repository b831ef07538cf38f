"""``/ops``: what is stuck, what has failed, how sources do; and another chance for articles."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends

from tablewright.service.auth import Principal
from tablewright.service.paging import PageBody, Paging
from tablewright.service.problem_answers import refusals
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.sentiment.bodies.ops import (
    OpsOut,
    RequeuedOut,
    RequeueIn,
    RequeueOut,
    SlowCallOut,
    SourceStateOut,
    UnfinishedListOut,
    UnfinishedOut,
    unfinished_out,
)
from tablewright.systems.sentiment.bodies.sources import BreakerOut, QuotaOut, RunOut
from tablewright.systems.sentiment.rules.ids import shown_id, source_id_of
from tablewright.systems.sentiment.service.queue import Unfinished

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom
    from tablewright.systems.sentiment.service.sources.sources import Standing

#: Articles of each kind, and runs of each source, that the overview shows.
_ARTICLES, _RUNS = 20, 5


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/ops", tags=["operations"])
    operator = Depends(newsroom.runtime.auth.require("operator", "admin"))

    @routes.get("")
    async def operations(_: Principal = operator) -> OpsOut:
        """Everything at a glance."""
        queue = newsroom.queue
        stuck, failed, sources = await asyncio.gather(
            _listed(queue.stuck_count(), queue.stuck(_ARTICLES)),
            _listed(queue.failed_count(), queue.failed(_ARTICLES)),
            _sources(newsroom),
        )
        slow = newsroom.runtime.metrics.slow_calls(newsroom.runtime.system)
        calls = [SlowCallOut(**asdict(each)) for each in slow]
        return OpsOut(stuck=stuck, failed=failed, sources=sources, slow_calls=calls)

    @routes.get("/stuck")
    async def stuck_articles(paging: Paging, _: Principal = operator) -> PageBody[UnfinishedOut]:
        """Articles that have been pending for more than five minutes, the oldest first."""
        found, cursor = await newsroom.queue.stuck(paging.limit, paging.cursor)
        return PageBody(items=[unfinished_out(each) for each in found], next_cursor=cursor)

    @routes.get("/failed")
    async def failed_articles(paging: Paging, _: Principal = operator) -> PageBody[UnfinishedOut]:
        """Articles that failed three times, the latest first."""
        found, cursor = await newsroom.queue.failed(paging.limit, paging.cursor)
        return PageBody(items=[unfinished_out(each) for each in found], next_cursor=cursor)

    @routes.post(
        "/requeue",
        responses=refusals({409: "`NOT_REQUEUEABLE`: a single article, neither failed nor stuck."}),
    )
    async def requeue(body: RequeueIn, by: Principal = operator) -> RequeueOut:
        """Another chance for articles that have failed or are stuck."""
        if body.ids is None:
            return RequeueOut(requeued=await newsroom.queue.requeue_all(by))
        found = await newsroom.queue.requeue(_ids(body.ids), by)
        results = [RequeuedOut(id=shown_id(each.source_id), result=each.result) for each in found]
        number = sum(each.result == "requeued" for each in found)
        return RequeueOut(requeued=number, results=results)

    return routes


def _ids(shown: list[str]) -> list[str]:
    found = [source_id_of(each) for each in shown]
    wrong = [
        FieldError(f"ids.{place}", "is no article's id, such as newsapi:0f3a5c7e9b1d2f48")
        for place, each in enumerate(found)
        if each is None
    ]
    if wrong:
        raise invalid(*wrong)
    return [each for each in found if each is not None]


async def _listed(
    count: Awaitable[int], listed: Awaitable[tuple[list[Unfinished], str | None]]
) -> UnfinishedListOut:
    number, (found, cursor) = await asyncio.gather(count, listed)
    items = [unfinished_out(each) for each in found]
    return UnfinishedListOut(count=number, items=items, next_cursor=cursor)


async def _sources(newsroom: Newsroom) -> list[SourceStateOut]:
    standings = await newsroom.sources.standings()
    return list(await asyncio.gather(*(_source(newsroom, each) for each in standings)))


async def _source(newsroom: Newsroom, standing: Standing) -> SourceStateOut:
    source = standing.source
    runs = await newsroom.sources.runs_of(source.name, _RUNS)
    breaker = {
        "state": standing.breaker,
        "failures": source.failures,
        "open_until": source.breaker_open_until,
    }
    fields = set(RunOut.model_fields)
    return SourceStateOut(
        name=source.name,
        source_type=source.source_type,
        enabled=source.enabled,
        quota=QuotaOut(used=standing.quota.used, limit=standing.quota.limit),
        breaker=BreakerOut.model_validate(breaker),
        runs=[RunOut.model_validate(each.model_dump(include=fields)) for each in runs],
    )
