"""The page about capacity, and the events that keep it up to date.

While somebody watches, one task looks at the counters every two seconds, renders the page's part
and tells it to all who watch: once for those who may see stored items, whose keys it names, and
once for all others. It also measures which partitions are hot, which nobody pays for otherwise.
With nobody there, it ends.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablewright.console.capacity import (
    LOOK_SECS,
    History,
    Look,
    alone_patterns,
    look,
    rows,
    steady_patterns,
    used_by_pattern,
)
from tablewright.console.explorer.views import Explorer
from tablewright.console.heat.metering import Meter, metered
from tablewright.console.heat.views import HeatView, heat_view
from tablewright.console.tools import Tools
from tablewright.model.table import Table
from tablewright.plan.loads import Load
from tablewright.plan.partitions import READ_LIMIT, WRITE_LIMIT
from tablewright.service.events import Event
from tablewright.service.kit import demo as kit_demo
from tablewright.service.kit import kit, kit_model

TOPIC = "console.capacity"
#: The same with partition keys in it, for who may see what is stored.
OPEN_TOPIC = "console.capacity.keys"
KIND = "capacity"
_NOTHING = Look(0.0, 0.0, 0.0, 0.0)


class Watch:
    """Looks at one system's counters, as long as somebody looks on."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._history = History()
        self._heat = HeatView()
        self._task: asyncio.Task[None] | None = None

    @cached_property
    def loads(self) -> dict[str, Load]:
        """The plan: of the kit and of the system, each by its demo."""
        kit = Explorer(kit_model, kit_demo())
        return {**kit.loads, **self._tools.explorer.loads}

    @cached_property
    def steady(self) -> frozenset[str]:
        return steady_patterns(kit_model) | steady_patterns(self._tools.system.model)

    @cached_property
    def alone(self) -> frozenset[str]:
        return alone_patterns(self._tools.explorer)

    def plan(self) -> None:
        """Make the plan, which takes a while the first time."""
        _ = self.loads, self.steady, self.alone

    def context(self, *, keys_shown: bool) -> dict[str, Any]:
        """What the template shows, as of now."""
        used = used_by_pattern(
            self._tools.runtime.metrics, self._tools.system.name, self._tools.system.model
        )
        now = look(used, self._tools.runtime.clock.now())
        if not self._history.looks or now.at - self._history.looks[-1].at >= LOOK_SECS / 2:
            self._history.add(now)
        rates = self._history.rates()
        table = rows(used, self.loads, self.steady, self.alone)
        return {
            "base": self._tools.base,
            "known": self._tools.system.model.patterns,
            "now": now,
            "rate": rates[-1] if rates else _NOTHING,
            "used": [row for row in table if row.requests],
            "idle": [row for row in table if not row.requests],
            "above": [row.pattern for row in table if row.verdict == "above"],
            "times": [_clock(each.at) for each in rates],
            "reads": [round(each.reads, 2) for each in rates],
            "writes": [round(each.writes, 2) for each in rates],
            "heat": self._heat,
            "keys_shown": keys_shown,
            "read_limit": READ_LIMIT,
            "write_limit": WRITE_LIMIT,
        }

    def begin(self) -> None:
        """See to it that somebody looks."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="console capacity")

    async def _run(self) -> None:
        meter = Meter(self._tables())
        try:
            with metered(self._tools.runtime.db, meter):
                await asyncio.sleep(LOOK_SECS)
                while self._watched():
                    self._heat = heat_view(meter)
                    self._tell()
                    await asyncio.sleep(LOOK_SECS)
        finally:
            self._heat = HeatView()

    def _tables(self) -> dict[str, Table]:
        """All tables of the system, by the names that requests have for them."""
        known = (*self._tools.system.model.tables.values(), kit)
        physical = self._tools.runtime.db.context.physical
        return {physical(table.name): table for table in known}

    def _watched(self) -> bool:
        events = self._tools.runtime.events
        return bool(events.readers_of(TOPIC) or events.readers_of(OPEN_TOPIC))

    def _tell(self) -> None:
        events = self._tools.runtime.events
        for topic in (TOPIC, OPEN_TOPIC):
            if events.readers_of(topic):
                context = self.context(keys_shown=topic == OPEN_TOPIC)
                html = self._tools.pages.fragment("capacity_part.html", **context)
                events.publish(topic, KIND, {"html": html})


def _clock(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%H:%M:%S")


def capacity_routes(tools: Tools) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    watch = Watch(tools)

    async def page(request: Request) -> Response:
        await tools.admit(request)
        await asyncio.to_thread(watch.plan)
        stream = f"{tools.base}/capacity/events"
        context = watch.context(keys_shown=await tools.may_see_data(request))
        return tools.pages.render(request, "capacity.html", stream=stream, **context)

    async def events(request: Request) -> Response:
        await tools.admit(request)
        topic = OPEN_TOPIC if await tools.may_see_data(request) else TOPIC
        await asyncio.to_thread(watch.plan)
        answer = tools.runtime.events.stream(request, [topic], render=_html)
        watch.begin()
        return answer

    router.add_api_route("/capacity", page, methods=["GET"])
    router.add_api_route("/capacity/events", events, methods=["GET"])
    return router


def _html(event: Event) -> str:
    return str(event.data["html"])
