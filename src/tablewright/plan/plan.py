"""The plan of a model: loads, bills and reasons, ready to be printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.plan.demand import Demand, Settings, demands
from tablewright.plan.loads import Load, Measuring
from tablewright.plan.month import MODES, Bill, bill, cheapest, declared, uniform
from tablewright.plan.outlook import Outlook
from tablewright.plan.pricing import MILLION, Prices
from tablewright.plan.sizes import EntitySize, resized
from tablewright.plan.units import Place


@dataclass(frozen=True)
class Share:
    """What a pattern, an entity, a table or an index uses in a month, at on-demand prices."""

    read_units: float
    write_units: float
    cost: float

    def __add__(self, other: Share) -> Share:
        return Share(
            self.read_units + other.read_units,
            self.write_units + other.write_units,
            self.cost + other.cost,
        )


NOTHING = Share(0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Plan:
    """What a model will use and cost."""

    model: str
    prices: Prices
    settings: Settings
    loads: tuple[Load, ...]
    sizes: Mapping[str, EntitySize]
    demands: tuple[Demand, ...]
    #: As declared, and with all tables in the same mode, by its name.
    bills: Mapping[str, Bill]
    cheapest: Bill

    def pattern_share(self, load: Load) -> Share:
        """A month of one pattern."""
        calls = load.average * self.settings.hours * 3600
        return self._share(load.units.reads * calls, load.units.writes * calls)

    def entity_shares(self) -> dict[str, Share]:
        """By entity; what a pattern of several entities costs is divided evenly among them."""
        found: dict[str, Share] = {}
        for load in self.loads:
            whole = self.pattern_share(load)
            for name in load.entities:
                part = 1 / len(load.entities)
                one = self._share(whole.read_units * part, whole.write_units * part)
                found[name] = found.get(name, NOTHING) + one
        return found

    def place_shares(self) -> dict[Place, Share]:
        """By table and index."""
        found: dict[Place, Share] = {}
        for load in self.loads:
            calls = load.average * self.settings.hours * 3600
            for place in load.units.places:
                reads, writes = load.units.read.get(place, 0), load.units.write.get(place, 0)
                one = self._share(reads * calls, writes * calls)
                found[place] = found.get(place, NOTHING) + one
        return found

    def _share(self, reads: float, writes: float) -> Share:
        own = self.prices.standard
        return Share(reads, writes, (reads * own.reads + writes * own.writes) / MILLION)


def make_plan(
    model: Model,
    items: Iterable[Any],
    calls: Mapping[str, Op[Any]],
    prices: Prices,
    outlook: Outlook | None = None,
    *,
    now: float | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> Plan:
    """Plan a model by its samples, and by what the outlook says of them."""
    return Planner(model, items, calls, now=now, progress=progress).plan(prices, outlook)


class Planner:
    """Plans one model again and again; what a change does not touch is not worked out anew."""

    def __init__(
        self,
        model: Model,
        items: Iterable[Any],
        calls: Mapping[str, Op[Any]],
        *,
        now: float | None = None,
        progress: Callable[[str], None] = lambda name: None,
    ) -> None:
        self.model = model
        self.measuring = Measuring(model, items, calls, now=now, progress=progress)

    def plan(self, prices: Prices, outlook: Outlook | None = None) -> Plan:
        """The plan as the outlook has it; without one, as the model declares."""
        told = outlook or Outlook()
        sizes = resized(self.measuring.sizes, told.sizes)
        loads = self.measuring.loads(told.patterns, told.sizes)
        wanted = demands(self.model.tables, loads, sizes, told.settings)
        return Plan(
            model=self.model.name,
            prices=prices,
            settings=told.settings,
            loads=tuple(loads),
            sizes=sizes,
            demands=tuple(wanted),
            bills=_bills(wanted, prices, told.settings),
            cheapest=cheapest(wanted, prices, told.settings),
        )


def _bills(wanted: list[Demand], prices: Prices, settings: Settings) -> dict[str, Bill]:
    """What the model declares, then all tables in each mode."""
    found = {"declared": bill(wanted, declared(wanted), prices, settings)}
    for mode in MODES:
        found[mode] = bill(wanted, uniform(wanted, mode), prices, settings)
    return found
