"""A plan as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from tablewright.console.formats import NONE
from tablewright.plan.charts import cost_within
from tablewright.plan.demand import Demand
from tablewright.plan.heat import HotKey, hot_keys
from tablewright.plan.hot import verdict
from tablewright.plan.loads import Load
from tablewright.plan.month import MODES, Bill
from tablewright.plan.plan import Plan
from tablewright.plan.reasons import mode_words, reasons
from tablewright.plan.report import notes_of, units_text
from tablewright.plan.text import dollars, figure
from tablewright.plan.traffic import Stream
from tablewright.plan.units import Place

#: Bars of the chart.
MOST_BARS = 12
#: Keys that are listed: the warm ones, and some in any case.
MOST_KEYS = 15
LEAST_KEYS = 3
WARM = 0.001
_SHORT = {
    mode_words("on demand"): "On demand",
    mode_words("provisioned"): "For the peak",
    mode_words("scaled"): "Scaled",
    "cheapest": "Cheapest",
}
_PARTS = ("writes", "reads", "storage", "pitr", "backups", "streams")


@dataclass(frozen=True)
class WayView:
    """One way to pay for the month."""

    name: str
    parts: tuple[str, ...]
    free: str
    total: str
    #: What it costs as the model declares itself; "" if that is the same.
    declared: str
    cheapest: bool = False


@dataclass(frozen=True)
class PatternRow:
    """One pattern: how often, and what that uses and costs."""

    name: str
    basis: str
    rate: str
    peak: str
    average: float
    read: float
    write: float
    reads: str
    writes: str
    cost: float
    dollars: str


@dataclass(frozen=True)
class TableRow:
    """One table: what it has to serve and to hold, and how to pay for it."""

    name: str
    items: float
    stored: float
    #: On average, and at the peak.
    read: tuple[str, str]
    write: tuple[str, str]
    #: On demand, provisioned, scaled.
    costs: tuple[str, ...]
    choice: str
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class HotRow:
    """The hottest key of one template, on one place."""

    place: str
    template: str
    #: Units a second.
    read: float
    write: float
    load: float
    verdict: str


@dataclass(frozen=True)
class PlanView:
    """Everything that changes with the settings."""

    region: str
    prices_of: str
    ways: tuple[WayView, ...]
    patterns: tuple[PatternRow, ...]
    tables: tuple[TableRow, ...]
    hot: tuple[HotRow, ...]
    chart: Markup
    notes: tuple[str, ...]
    #: No pattern is called at all.
    silent: bool

    @property
    def headline(self) -> tuple[tuple[str, str, str], ...]:
        """What one watches, in few words: name, amount, what it was."""
        shown = [(_SHORT.get(each.name), each.total, each.declared) for each in self.ways]
        return tuple((name, total, was) for name, total, was in shown if name)


def view_of(plan: Plan, declared: Plan, streams: Mapping[Place, Sequence[Stream]]) -> PlanView:
    """``declared`` is the same with nothing set but the region; streams are by their place."""
    shares = sorted(plan.loads, key=lambda load: -plan.pattern_share(load).cost)
    return PlanView(
        region=plan.prices.region,
        prices_of=plan.prices.dated,
        ways=_ways(plan, declared),
        patterns=tuple(_pattern(plan, load) for load in shares),
        tables=tuple(_table(plan, demand) for demand in plan.demands),
        hot=_hot(streams),
        # All texts in it were escaped as they were drawn.
        chart=Markup(cost_within(plan, MOST_BARS)),
        notes=tuple(note[:1].upper() + note[1:] + "." for note in notes_of(plan)),
        silent=not any(load.average for load in plan.loads),
    )


def _ways(plan: Plan, declared: Plan) -> tuple[WayView, ...]:
    found = [_way(mode_words(mode), own, declared.bills[mode]) for mode, own in plan.bills.items()]
    return (*found, _way("cheapest", plan.cheapest, declared.cheapest, cheapest=True))


def _way(name: str, own: Bill, before: Bill, *, cheapest: bool = False) -> WayView:
    total, was = dollars(own.total.total), dollars(before.total.total)
    return WayView(
        name=name,
        parts=tuple(dollars(getattr(own.total, part)) for part in _PARTS),
        free=dollars(own.total.free),
        total=total,
        declared="" if was == total else was,
        cheapest=cheapest,
    )


def _pattern(plan: Plan, load: Load) -> PatternRow:
    share = plan.pattern_share(load)
    return PatternRow(
        name=load.pattern,
        basis=load.basis,
        rate=NONE if load.rate is None else figure(load.average),
        peak=NONE if load.rate is None else figure(load.peak),
        average=load.average,
        read=load.units.reads,
        write=load.units.writes,
        reads=figure(share.read_units),
        writes=figure(share.write_units),
        cost=share.cost,
        dollars=dollars(share.cost),
    )


def _table(plan: Plan, demand: Demand) -> TableRow:
    name = demand.table.name
    choice = plan.cheapest.choices[name]
    kind = "" if choice.table_class == "STANDARD" else ", infrequent access"
    told = reasons(plan, demand)
    if choice.mode != "on demand":
        told.append(units_text(plan, demand))
    flows = demand.places.values()
    read = sum(each.read.average for each in flows), sum(each.read.peak for each in flows)
    write = sum(each.write.average for each in flows), sum(each.write.peak for each in flows)
    return TableRow(
        name=name,
        items=demand.stored.items,
        stored=demand.stored.total,
        read=(figure(read[0]), figure(read[1])),
        write=(figure(write[0]), figure(write[1])),
        costs=tuple(dollars(plan.bills[mode].tables[name].total) for mode in MODES),
        choice=mode_words(choice.mode) + kind,
        reasons=tuple(told),
    )


def _hot(streams: Mapping[Place, Sequence[Stream]]) -> tuple[HotRow, ...]:
    found = [(place, key) for place, own in streams.items() for key in hot_keys(own)]
    found.sort(key=lambda pair: -pair[1].load)
    warm = sum(key.load >= WARM for _, key in found)
    shown = found[: max(LEAST_KEYS, min(warm, MOST_KEYS))]
    return tuple(_hot_row(place, key) for place, key in shown)


def _hot_row(place: Place, key: HotKey) -> HotRow:
    return HotRow(
        place=str(place),
        template=key.template,
        read=key.read,
        write=key.write,
        load=key.load,
        verdict=verdict(key),
    )
