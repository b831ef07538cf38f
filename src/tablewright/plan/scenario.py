"""A design's own capacity section, worked out again, and its figures beside the right ones.

A scenario file has operations, what is stored, and counts; and claims, each of which names the
figures it is about. ``NAME.dollars`` is the cost of an operation or of what is stored in a month,
``NAME.units`` the units of one call, ``NAME.month`` those of a month, ``NAME.seconds`` the time
that writes take with the units provisioned for them, ``NAME.value`` a count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tablewright.plan.demand import OVERHEAD
from tablewright.plan.operations import CHANGES, READS, WRITES, Entry, Operation
from tablewright.plan.outlook import ScenarioError
from tablewright.plan.pricing import GB, MILLION, Prices
from tablewright.plan.samples import sample_sizes
from tablewright.plan.units import Place

DAY = 86_400


@dataclass(frozen=True)
class Holding:
    """Items that are stored, with their entries in indexes."""

    name: str
    items: float
    size: float
    #: Of one item's entry in each index.
    entries: tuple[float, ...] = ()
    #: The overhead of 100 bytes, too.
    overhead: bool = True

    @property
    def bytes(self) -> float:
        extra = OVERHEAD if self.overhead else 0
        return self.items * sum(size + extra for size in (self.size, *self.entries))


@dataclass(frozen=True)
class Drain:
    """Writes that are to be done with provisioned units: how long they take at least."""

    name: str
    operations: tuple[str, ...]
    #: By table or index, as ``Table`` or ``Table/Index``.
    units: Mapping[str, float]


@dataclass(frozen=True)
class Claim:
    """What the document says, and the figures that are right for it."""

    about: str
    claimed: float
    figures: tuple[str, ...]
    unit: str = "$"
    #: Where the document says so, in its own words or in short.
    says: str = ""
    #: The claim is compared at these prices, if the document used others: reads, writes, storage.
    prices: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Verdict:
    """A claim and what is right."""

    claim: Claim
    right: float

    @property
    def factor(self) -> float | None:
        """How many times too small (above 1) or too large (below 1) the claim is."""
        return self.right / self.claim.claimed if self.claim.claimed else None


@dataclass(frozen=True)
class Scenario:
    """A document's capacity section."""

    name: str
    title: str
    region: str | None
    operations: Mapping[str, Operation]
    holdings: Mapping[str, Holding]
    drains: Mapping[str, Drain]
    counts: Mapping[str, float]
    claims: tuple[Claim, ...]

    def figure(self, text: str, prices: Prices) -> float:
        """The figure called ``NAME.what``."""
        name, _, what = text.rpartition(".")
        if what == "value" and name in self.counts:
            return self.counts[name]
        if what == "seconds" and name in self.drains:
            return self._seconds(self.drains[name])
        if name in self.holdings and what in ("dollars", "bytes"):
            held = self.holdings[name].bytes
            return held if what == "bytes" else held / GB * prices.standard.storage
        if name in self.operations and what in _FIGURES:
            return _FIGURES[what](self.operations[name], prices)
        raise ScenarioError(f"{self.name} has no figure {text!r}")

    def verdicts(self, prices: Prices) -> list[Verdict]:
        """Every claim beside what is right."""
        found: list[Verdict] = []
        for claim in self.claims:
            used = prices if claim.prices is None else _at(prices, claim.prices)
            right = sum(self.figure(each, used) for each in claim.figures)
            found.append(Verdict(claim, right))
        return found

    def _seconds(self, drain: Drain) -> float:
        needed: dict[str, float] = {}
        for name in drain.operations:
            operation = self.operations[name]
            for place, used in operation.units.write.items():
                needed[str(place)] = needed.get(str(place), 0.0) + used * operation.calls
        lacking = needed.keys() - drain.units.keys()
        if lacking:
            raise ScenarioError(f"{drain.name}: no units are given for {', '.join(lacking)}")
        return max(used / drain.units[place] for place, used in needed.items())


def cost_of(operation: Operation, prices: Prices) -> float:
    """Dollars a month, on demand."""
    used = operation.units * operation.calls
    own = prices.standard
    return (used.reads * own.reads + used.writes * own.writes) / MILLION


_FIGURES: dict[str, Callable[[Operation, Prices], float]] = {
    "calls": lambda operation, prices: operation.calls,
    "units": lambda operation, prices: operation.units.reads + operation.units.writes,
    "base": lambda operation, prices: operation.units.write.get(Place(operation.table), 0.0),
    "month": lambda operation, prices: (
        (operation.units.reads + operation.units.writes) * operation.calls
    ),
    "dollars": cost_of,
    "base_dollars": lambda operation, prices: (
        operation.units.write.get(Place(operation.table), 0.0)
        * operation.calls
        * prices.standard.writes
        / MILLION
    ),
}


def _at(prices: Prices, told: Mapping[str, float]) -> Prices:
    return replace(prices, standard=replace(prices.standard, **told))


# --- reading the file ----------------------------------------------------------------------------


def scenario_of(name: str, told: Mapping[str, Any]) -> Scenario:
    """The scenario in a file's contents."""
    sizes = sample_sizes(told.get("samples", {}))
    days = float(told.get("days", 30))
    try:
        operations = [_operation(each, sizes, days) for each in told.get("operations", ())]
        holdings = [_holding(each, sizes) for each in told.get("storage", ())]
        drains = [_drain(each) for each in told.get("drains", ())]
        claims = tuple(_claim(each) for each in told.get("claims", ()))
        counts = {each: float(prod(of)) for each, of in told.get("counts", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ScenarioError(f"scenario {name}: {error} is missing or wrong") from None
    return Scenario(
        name=name,
        title=told.get("title", name),
        region=told.get("region"),
        operations={each.name: each for each in operations},
        holdings={each.name: each for each in holdings},
        drains={each.name: each for each in drains},
        counts=counts,
        claims=claims,
    )


def _operation(told: Mapping[str, Any], sizes: Mapping[str, int], days: float) -> Operation:
    given = dict(told)
    name = given["name"]
    kind = given.get("kind")
    if kind not in READS | WRITES:
        raise ScenarioError(f"operation {name}: kind is one of {', '.join(sorted(READS | WRITES))}")
    calls = _calls(given, name, days)
    size = _size(given, sizes)
    indexes = {each: _entry(name, said, size) for each, said in given.pop("indexes", {}).items()}
    return Operation(calls=calls, size=size, indexes=indexes, **given)


def _calls(given: dict[str, Any], name: str, days: float) -> float:
    rates = {"per_second": DAY * days, "per_day": days, "per_month": 1.0}
    found = [given.pop(rate) * factor for rate, factor in rates.items() if rate in given]
    if len(found) != 1:
        raise ScenarioError(f"operation {name}: give one of {', '.join(rates)}")
    return float(found[0])


def _size(given: dict[str, Any], sizes: Mapping[str, int]) -> float:
    """Bytes that were given, or those of a sample item."""
    if "item" in given:
        return sizes[given.pop("item")]
    return float(given.pop("size"))


def _entry(operation: str, told: str | Mapping[str, Any], size: float) -> Entry:
    """``GSI1 = "put"`` is an entry as large as the item; a table may give another size."""
    if isinstance(told, str):
        told = {"change": told}
    if told["change"] not in CHANGES:
        known = ", ".join(sorted(CHANGES))
        raise ScenarioError(f"operation {operation}: an index's change is one of {known}")
    return Entry(told["change"], float(told.get("size", size)))


def _holding(told: Mapping[str, Any], sizes: Mapping[str, int]) -> Holding:
    given = dict(told)
    size = _size(given, sizes)
    entries = tuple(given.pop("entries", ()))
    return Holding(size=size, entries=entries, **given)


def _drain(told: Mapping[str, Any]) -> Drain:
    return Drain(told["name"], tuple(told["operations"]), dict(told["units"]))


def _claim(told: Mapping[str, Any]) -> Claim:
    given = dict(told)
    figures: str | Sequence[str] = given.pop("figure")
    listed = (figures,) if isinstance(figures, str) else tuple(figures)
    strange = given.get("prices", {}).keys() - {"writes", "reads", "storage"}
    if strange:
        raise ScenarioError(f"claim {given.get('about')}: no price is called {', '.join(strange)}")
    return Claim(figures=listed, **given)
