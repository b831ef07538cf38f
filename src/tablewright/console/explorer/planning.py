"""The plan of one model, for one setting after another, and what its partitions live through.

The sample calls are made once, when somebody first looks (:class:`~tablewright.plan.plan.Planner`).
Then a plan is a matter of milliseconds, and is made for every move of a slider. The simulation of
partitions takes longer: it is asked for by itself, once the sliders rest, and is remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from markupsafe import Markup

from tablewright.console.explorer.plan_outlook import outlook_of
from tablewright.console.explorer.plan_settings import Known, PlanSettings
from tablewright.console.explorer.plan_view import PlanView, view_of
from tablewright.model.demo import Demo
from tablewright.model.model import Model
from tablewright.model.pattern import Rate
from tablewright.plan.charts import heat_within
from tablewright.plan.heat import Heat
from tablewright.plan.hot import heats_of, streams_by_place
from tablewright.plan.keys import KeySpread
from tablewright.plan.outlook import Outlook
from tablewright.plan.partitions import HEADROOM, READ_LIMIT, WRITE_LIMIT, NumpyMissing
from tablewright.plan.plan import Plan, Planner
from tablewright.plan.pricing import Prices, load_prices, regions
from tablewright.plan.traffic import Stream, streams_of
from tablewright.plan.units import Place

#: Random numbers that one simulation may take: a second or two of one processor.
MOST_DRAWS = 50_000_000
#: Seconds of load, the longest that is affordable.
SPANS = (3600, 1800, 900)
#: Simulations that are remembered.
REMEMBERED = 32


@dataclass(frozen=True)
class PlaceHeatView:
    """A table or an index after the simulation."""

    place: str
    partitions: tuple[int, int]
    #: Percent.
    fullest: float
    throttled: float
    settled: float
    chart: Markup


@dataclass(frozen=True)
class Simulated:
    """What the partitions live through; ``why_not`` where that cannot be said."""

    minutes: int = 0
    places: tuple[PlaceHeatView, ...] = ()
    why_not: str = ""


@dataclass(frozen=True)
class KeyKind:
    """Partition keys of one template, as far as the model says how many there are."""

    template: str
    spread: KeySpread
    guessed: bool


class Planning:
    """The plan of one model."""

    def __init__(self, model: Model, demo: Demo | None) -> None:
        self.model = model
        self._demo = demo
        self._simulated: dict[str, Simulated] = {}

    @cached_property
    def _planner(self) -> Planner:
        demo = self._demo or Demo(())
        now = None if demo.now is None else demo.now.timestamp()
        return Planner(self.model, demo.items, demo.calls, now=now)

    @cached_property
    def kinds(self) -> Mapping[str, KeyKind]:
        """All templates of partition keys that patterns go to, by their text."""
        loads = [replace(load, rate=Rate(1)) for load in self._planner.plan(prices_of()).loads]
        found: dict[str, list[Stream]] = {}
        for stream in streams_of(self.model, loads, {}):
            found.setdefault(stream.template, []).append(stream)
        return {template: _kind(template, own) for template, own in found.items()}

    @cached_property
    def known(self) -> Known:
        """What can be set."""
        return Known(
            regions=known_regions(),
            patterns={
                name: 0.0 if pattern.rate is None else pattern.rate.average
                for name, pattern in self.model.patterns.items()
            },
            entities={
                name: float(round(size.item))
                for name, size in self._planner.measuring.sizes.items()
            },
            templates=self.kinds.keys(),
        )

    @cached_property
    def by_cost(self) -> Sequence[str]:
        """The patterns as the model declares them, the dearest first."""
        plan = self.plan(PlanSettings())
        loads = sorted(plan.loads, key=lambda load: -plan.pattern_share(load).cost)
        return [load.pattern for load in loads]

    def outlook(self, settings: PlanSettings) -> Outlook:
        spreads = {template: kind.spread for template, kind in self.kinds.items()}
        return outlook_of(settings, self.model, spreads)

    def plan(self, settings: PlanSettings) -> Plan:
        return self._planner.plan(prices_of(settings.region), self.outlook(settings))

    def view(self, settings: PlanSettings) -> PlanView:
        """The plan beside that of the model as it is declared, at the same prices."""
        plan = self.plan(settings)
        declared = self.plan(PlanSettings(region=settings.region))
        keys = self.outlook(settings).keys
        return view_of(plan, declared, streams_by_place(self.model, plan, keys))

    def simulate(self, settings: PlanSettings) -> Simulated:
        """Remembered by the settings, for who moves a slider to and fro."""
        found = self._simulated.get(settings.query)
        if found is None:
            while len(self._simulated) >= REMEMBERED:
                self._simulated.pop(next(iter(self._simulated)), None)
            found = self._simulated[settings.query] = self._simulation(settings)
        return found

    def _simulation(self, settings: PlanSettings) -> Simulated:
        plan, keys = self.plan(settings), self.outlook(settings).keys
        draws = _draws_a_second(streams_by_place(self.model, plan, keys))
        seconds = next((span for span in SPANS if span * draws <= MOST_DRAWS), None)
        if not draws:
            return Simulated(why_not="There is nothing to simulate: no pattern is called.")
        if seconds is None:
            return Simulated(
                why_not="So much load takes too many partitions to be simulated while somebody "
                "waits. Save the scenario below, and have it done by the command in it."
            )
        try:
            heats = heats_of(self.model, plan, keys, seconds=seconds)
        except NumpyMissing as missing:
            text = str(missing)
            return Simulated(why_not=text[:1].upper() + text[1:] + ".")
        ordered = sorted(heats, key=lambda heat: -max(heat.loads))
        return Simulated(seconds // 60, tuple(_place(heat) for heat in ordered))


def _kind(template: str, own: Sequence[Stream]) -> KeyKind:
    """What the patterns say about a template's keys, together."""
    shares = [each.spread.hottest for each in own if each.spread.hottest is not None]
    spread = replace(own[0].spread, hottest=max(shares, default=None))
    return KeyKind(template, spread, all(each.guessed for each in own))


def _draws_a_second(places: Mapping[Place, Sequence[Stream]]) -> float:
    """Streams of different units times partitions, of all places."""
    return sum(
        len({(each.read, each.write) for each in own}) * _partitions(own) for own in places.values()
    )


def _partitions(own: Sequence[Stream]) -> float:
    read = sum(each.rate * each.read for each in own) / READ_LIMIT
    write = sum(each.rate * each.write for each in own) / WRITE_LIMIT
    return max(4.0, HEADROOM * (read + write))


def _place(heat: Heat) -> PlaceHeatView:
    return PlaceHeatView(
        place=str(heat.place),
        partitions=heat.partitions,
        fullest=max(heat.loads) * 100,
        throttled=heat.throttled * 100,
        settled=heat.settled * 100,
        # All texts in it were escaped as they were drawn.
        chart=Markup(heat_within(heat)),
    )


@lru_cache(16)
def prices_of(region: str = "us-east-1") -> Prices:
    """The prices that ship."""
    return load_prices(region)


@lru_cache(1)
def known_regions() -> tuple[str, ...]:
    return tuple(regions())
