"""Topics: what is followed, by which words, and what each has found in a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from tablewright.service.auth import Principal
from tablewright.service.forms import typed
from tablewright.service.pages import Pages
from tablewright.service.paths import with_query
from tablewright.service.preconditions import Precondition
from tablewright.systems.sentiment.config import MAX_WATCHES, Watch
from tablewright.systems.sentiment.pages.paths import BASE, READERS, Rights

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: Words of a rule that the list shows; the form has them all.
_SHOWN_TERMS = 8
TOPICS = f"{BASE}/watch"


@dataclass(frozen=True)
class TopicLine:
    """A topic, as the list shows it."""

    topic: Watch
    hits: int

    @property
    def terms(self) -> list[str]:
        return self.topic.any[:_SHOWN_TERMS]

    @property
    def more_terms(self) -> int:
        return max(len(self.topic.any) - _SHOWN_TERMS, 0)

    @property
    def path(self) -> str:
        return f"{TOPICS}/{self.topic.watch_tag}"

    @property
    def articles_path(self) -> str:
        return with_query(f"{BASE}/", span="24h", tag=self.topic.watch_tag)


async def topic_lines(newsroom: Newsroom) -> list[TopicLine]:
    """All topics, in the order in which they get articles."""
    found = await newsroom.watches.list()
    hits = await newsroom.watches.hits([each.watch_tag for each in found])
    ordered = sorted(found, key=lambda each: (each.priority, each.watch_tag))
    return [TopicLine(each, hits[each.watch_tag]) for each in ordered]


def router(newsroom: Newsroom, pages: Pages) -> APIRouter:
    routes = APIRouter(prefix="/watch")
    reader = Depends(newsroom.runtime.auth.require(*READERS))
    analyst = Depends(newsroom.runtime.auth.require("analyst", "admin"))

    @routes.get("")
    async def listed(request: Request, who: Principal = reader) -> Response:
        lines = await topic_lines(newsroom)
        return pages.render(
            request, "sentiment/watch.html", lines=lines, most=MAX_WATCHES, may=Rights.of(who)
        )

    @routes.post("/{tag}/pause")
    async def pause(request: Request, tag: str, who: Principal = analyst) -> Response:
        topic = await newsroom.watches.pause(tag, True, who)
        message = f"{topic.label} is paused: new articles are not looked at for it."
        return pages.done(request, TOPICS, message, tone="info")

    @routes.post("/{tag}/resume")
    async def resume(request: Request, tag: str, who: Principal = analyst) -> Response:
        topic = await newsroom.watches.pause(tag, False, who)
        return pages.done(request, TOPICS, f"{topic.label} is followed again.")

    @routes.post("/{tag}/delete")
    async def delete(request: Request, tag: str, who: Principal = analyst) -> Response:
        version = (await typed(request)).get("version", "")
        topic = await newsroom.watches.get(tag)
        await newsroom.watches.delete(tag, who, Precondition(if_match=f'"{version}"'))
        message = f"{topic.label} is followed no more. Its articles keep the tag."
        return pages.done(request, TOPICS, message, tone="info")

    return routes
