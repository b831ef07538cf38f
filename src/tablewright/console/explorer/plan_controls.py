"""The sliders of the plan's page: one for each rate, size and key, beside a field for the figure.

A slider moves on a logarithmic scale: loads differ by factors, not by amounts. The field next to it
has the exact figure, and is what is sent; where no script runs, it is all there is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log, log10

from tablewright.console.explorer.plan_settings import (
    MOST_BYTES,
    MOST_CALLS,
    MOST_ITEMS,
    MOST_KEYS,
    PlanSettings,
    number_text,
)
from tablewright.console.explorer.planning import KeyKind, Planning

#: Where a slider ends.
STEPS = 100


@dataclass(frozen=True)
class Control:
    """One figure that can be set."""

    #: Of the field, and so in the address.
    name: str
    label: str
    unit: str
    #: As texts; "" is nothing said.
    value: str
    declared: str
    #: The ends of the slider.
    low: float
    high: float
    #: What the field takes.
    least: float
    most: float
    #: The slider's first step is zero, which no logarithm has.
    zero: bool = False
    link: str = ""
    note: str = ""

    @property
    def position(self) -> int:
        return position(float(self.value or self.low), self.low, self.high, self.zero)


def position(value: float, low: float, high: float, zero: bool = False) -> int:
    """The step of a slider that stands for a value, or for the nearest end."""
    first = 1 if zero else 0
    if zero and value <= 0:
        return 0
    share = log(max(low, min(high, value)) / low) / log(high / low)
    return first + round(share * (STEPS - first))


@dataclass(frozen=True)
class Group:
    """Controls of one kind."""

    id: str
    title: str
    about: str
    controls: tuple[Control, ...]
    open: bool = False


def overall(settings: PlanSettings) -> tuple[Control, ...]:
    """What concerns all patterns."""
    peak = "" if settings.peak is None else number_text(settings.peak)
    rates = number_text(settings.rates)
    return (
        Control("rates", "All rates", "times", rates, "1", 0.01, 10_000, 0, 1e6, zero=True),
        Control("peak", "All peaks", "times the average", peak, "", 1, 100, 1, 1e6),
    )


def groups(planning: Planning, settings: PlanSettings, base: str) -> Sequence[Group]:
    """Everything that can be set one by one."""
    found = (
        Group(
            "rates",
            "Rates",
            "Calls a second on average; the peak keeps its proportion.",
            tuple(_rate(planning, settings, name, base) for name in planning.by_cost),
            open=True,
        ),
        Group(
            "sizes",
            "Item sizes",
            "Bytes of an item, on average: they decide how many units a call takes.",
            tuple(_size(planning, settings, name, base) for name in planning.known.entities),
        ),
        Group(
            "stored",
            "Items stored",
            "They are paid for by the GB; nobody has said how many there are.",
            tuple(_items(settings, name, base) for name in planning.known.entities),
        ),
        Group(
            "keys",
            "Partition keys",
            "How many there are, and how many percent of the calls the hottest one gets.",
            tuple(
                each
                for kind in planning.kinds.values()
                for each in (_count(settings, kind), _hottest(settings, kind))
                if kind.spread.count > 1
            ),
        ),
    )
    return [group for group in found if group.controls]


def _rate(planning: Planning, settings: PlanSettings, name: str, base: str) -> Control:
    declared = planning.known.patterns[name]
    low, high = _around(declared)
    return Control(
        name=f"rate.{name}",
        label=name,
        unit="a second",
        value=number_text(settings.rate.get(name, declared)),
        declared=number_text(declared),
        low=low,
        high=high,
        least=0,
        most=MOST_CALLS,
        zero=True,
        link=f"{base}/patterns/{name}",
    )


def _around(declared: float) -> tuple[float, float]:
    """From a hundredth to ten thousand times as much, in round figures."""
    if declared <= 0:
        return 0.01, 10_000.0
    power = 10.0 ** floor(log10(declared))
    return power / 100, min(MOST_CALLS, power * 10_000)


def _size(planning: Planning, settings: PlanSettings, name: str, base: str) -> Control:
    declared = planning.known.entities[name]
    return Control(
        name=f"size.{name}",
        label=name,
        unit="bytes",
        value=number_text(settings.size.get(name, declared)),
        declared=number_text(declared),
        low=50,
        high=MOST_BYTES,
        least=1,
        most=MOST_BYTES,
        link=f"{base}/entities/{name}",
    )


def _items(settings: PlanSettings, name: str, base: str) -> Control:
    value = settings.items.get(name)
    return Control(
        name=f"items.{name}",
        label=name,
        unit="items",
        value="" if value is None else number_text(value),
        declared="",
        low=100,
        high=1e10,
        least=0,
        most=MOST_ITEMS,
        zero=True,
        link=f"{base}/entities/{name}",
    )


def _count(settings: PlanSettings, kind: KeyKind) -> Control:
    declared = number_text(kind.spread.count)
    value = settings.keys.get(kind.template)
    return Control(
        name=f"keys.{kind.template}",
        label=f"{kind.template}: how many",
        unit="keys",
        value=declared if value is None else number_text(value),
        declared=declared,
        low=1,
        high=1e9,
        least=1,
        most=MOST_KEYS,
        note="assumed" if kind.guessed else "",
    )


def _hottest(settings: PlanSettings, kind: KeyKind) -> Control:
    said = kind.spread.hottest
    declared = "" if said is None else number_text(said * 100)
    value = settings.hottest.get(kind.template)
    return Control(
        name=f"hottest.{kind.template}",
        label=f"{kind.template}: the hottest",
        unit="% of calls",
        value=declared if value is None else number_text(value),
        declared=declared,
        low=0.001,
        high=100,
        least=0,
        most=100,
    )
