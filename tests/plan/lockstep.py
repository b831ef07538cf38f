"""The plan and the engine side by side: what a call would use, and what it really used."""

from __future__ import annotations

from typing import Any

from tablewright.client import Db, Embedded
from tablewright.client.events import RequestEvent
from tablewright.clock import ManualClock
from tablewright.engine import Engine
from tablewright.model import Entity, Model, Op, put
from tablewright.model.errors import TablewrightError
from tablewright.plan.calls import Used, load, units_of
from tablewright.plan.units import Place, Units

#: Samples are dated around here.
NOW = 1_794_700_800.0


class Lockstep:
    """Runs each op on the engine and in the plan, from the same contents."""

    def __init__(self, model: Model, items: tuple[Entity, ...] = (), now: float = NOW) -> None:
        self.clock = ManualClock(now)
        self._events: list[RequestEvent] = []
        engine = Engine.memory(clock=self.clock)
        self.db = Db(Embedded(engine), clock=self.clock, hook=self._events.append)
        self.db.create_tables(model)
        for item in items:
            self.db.run(put(item))
        self.contents = load(model, items, now=now)

    def step(self, op: Op[Any]) -> tuple[Units, Used, TablewrightError | None]:
        """What was used, what the plan said, and whether the engine refused."""
        planned = units_of(op, self.contents, now=self.clock.now())
        self._events.clear()
        refusal: TablewrightError | None = None
        try:
            self.db.run(op)
        except TablewrightError as error:
            refusal = error
        self.contents = planned.after
        return consumed(self._events), planned, refusal


def consumed(events: list[RequestEvent]) -> Units:
    used = Units()
    for event in events:
        for each in event.consumed:
            place = Place(each.table, each.index)
            used += Units({place: each.read_units}, {place: each.write_units})
    return used


def difference(used: Units, planned: Units) -> str:
    """What differs, for people; empty if nothing does."""
    lines = []
    for kind, ours, theirs in (
        ("read", planned.read, used.read),
        ("write", planned.write, used.write),
    ):
        for place in sorted({*ours, *theirs}, key=str):
            if ours.get(place) != theirs.get(place):
                lines.append(
                    f"{kind} {place}: plan {ours.get(place)}, consumed {theirs.get(place)}"
                )
    return "; ".join(lines)
