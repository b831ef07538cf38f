"""Parts of pages that follow what happens.

While somebody looks at a part, one task makes it anew every two seconds and tells all who look;
when the last one has gone, it ends. However many look, it is rendered once, and only told if it
has changed. Rendering takes at most a tenth of the time: what is slow comes less often.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from tablewright.service.events import Event, Events

log = logging.getLogger("tablewright.pricekeeper")

#: What the events are called that bring a part.
KIND = "part"
EVERY_SECS = 2.0
#: The share of the time that may go into rendering.
_SHARE = 10

Render: TypeAlias = Callable[[], Awaitable[str]]


class LiveParts:
    """The parts that somebody looks at, by topic."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._parts: dict[str, _Part] = {}

    def stream(self, request: Request, topic: str, render: Render) -> Response:
        """A part from now on, as events."""
        part = self._parts.get(topic)
        if part is None:
            part = self._parts[topic] = _Part(render)
        answer = self._events.stream(request, [topic], render=part.html_of)
        if part.task is None:
            part.task = asyncio.create_task(self._follow(topic, part), name=f"part {topic}")
        return answer

    async def _follow(self, topic: str, part: _Part) -> None:
        try:
            await asyncio.sleep(EVERY_SECS)
            while self._events.readers_of(topic):
                began = time.perf_counter()
                if await part.renew():
                    self._events.publish(topic, KIND, {})
                took = time.perf_counter() - began
                await asyncio.sleep(max(EVERY_SECS, took * _SHARE))
        finally:
            if self._parts.get(topic) is part:
                del self._parts[topic]


class _Part:
    """One part, as it was last."""

    def __init__(self, render: Render) -> None:
        self.task: asyncio.Task[None] | None = None
        self._render = render
        self._html = ""
        self._failing = False

    def html_of(self, event: Event) -> str:
        """What an event brings: the part as it is by now."""
        return self._html

    async def renew(self) -> bool:
        """Whether it is another one now. What cannot be read is left as it was."""
        try:
            html = await self._render()
        except (Problem, TablewrightError) as problem:
            if not self._failing:
                log.warning("a part of a page cannot be shown: %s", problem)
            self._failing = True
            return False
        changed, self._html, self._failing = html != self._html, html, False
        return changed
