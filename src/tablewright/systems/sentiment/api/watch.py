"""``/watch``: the topics that are followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Response

from tablewright.service.auth import Principal
from tablewright.service.limits import Rate
from tablewright.service.precondition_headers import ETAG, Said
from tablewright.service.preconditions import etag
from tablewright.service.problem_answers import refusals
from tablewright.systems.sentiment.bodies.watch import (
    RuleIn,
    TopicEdit,
    TopicIn,
    TopicOut,
    TopicsOut,
    TrialOut,
    hit_out,
    topic_out,
)

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Each reads some hundred articles.
_TRIALS = Rate(30)
_SHOWN_HITS = 100

TagName = Annotated[str, Path(description="The topic's tag, in any case.", examples=["ai"])]


def router(newsroom: Newsroom) -> APIRouter:
    routes = APIRouter(prefix="/api/v1/watch", tags=["topics"])
    viewer = Depends(newsroom.runtime.auth.require("viewer", "analyst", "operator", "admin"))
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))
    watches = newsroom.watches

    @routes.get("")
    async def list_topics(_: Principal = viewer) -> TopicsOut:
        """All topics, with what each has found in the last 24 hours."""
        found = await watches.list()
        hits = await watches.hits([each.watch_tag for each in found])
        return TopicsOut(items=[topic_out(each, hits[each.watch_tag]) for each in found])

    @routes.post(
        "",
        status_code=201,
        responses={
            201: {"headers": ETAG},
            **refusals({409: "`TAG_EXISTS`; `WATCH_FULL`: there are twenty."}),
        },
    )
    async def create_topic(body: TopicIn, response: Response, by: Principal = analyst) -> TopicOut:
        """Follow a topic."""
        made = await watches.create(body, by)
        response.headers["ETag"] = etag(made.version)
        return topic_out(made)

    @routes.post("/test")
    async def try_rule(body: RuleIn, by: Principal = analyst) -> TrialOut:
        """What a rule would have found among the latest 500 articles. Nothing is stored."""
        await newsroom.runtime.limits.check("trials", by.id, _TRIALS)
        trial = await watches.test(body)
        hits = [hit_out(each) for each in trial.hits[:_SHOWN_HITS]]
        return TrialOut(looked_at=trial.looked_at, found=len(trial.hits), hits=hits)

    @routes.get("/{tag}", responses={200: {"headers": ETAG}, **refusals(404)})
    async def get_topic(tag: TagName, response: Response, _: Principal = viewer) -> TopicOut:
        """One topic; its ETag is what a change is made with."""
        found = await watches.get(tag)
        response.headers["ETag"] = etag(found.version)
        hits = await watches.hits([found.watch_tag])
        return topic_out(found, hits[found.watch_tag])

    @routes.put("/{tag}", responses={200: {"headers": ETAG}, **refusals(404, 412, 428)})
    async def put_topic(
        tag: TagName, body: TopicEdit, said: Said, response: Response, by: Principal = analyst
    ) -> TopicOut:
        """Change a topic (If-Match). It holds for what comes in from now on."""
        saved = await watches.save(tag, body, by, said)
        response.headers["ETag"] = etag(saved.version)
        return topic_out(saved)

    @routes.delete("/{tag}", status_code=204, responses=refusals(404, 412))
    async def delete_topic(tag: TagName, said: Said, by: Principal = analyst) -> None:
        """Follow a topic no more. Articles keep its tag."""
        await watches.delete(tag, by, said)

    return routes
