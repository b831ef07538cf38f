"""What somebody sets on the plan's page: read from its address, written back to it, and as TOML.

The address holds only what differs from the model, so that it can be sent to somebody else:
``?region=eu-west-1&rate.place_order=200&size.Order=1800``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite
from urllib.parse import urlencode

from tablewright.service.problems import FieldError, invalid

DEFAULT_REGION = "us-east-1"
#: The largest item there is.
MOST_BYTES = 400 * 1024
MOST_CALLS = 1_000_000.0
MOST_ITEMS = 1e12
MOST_KEYS = 1e12


@dataclass(frozen=True)
class PlanSettings:
    """What differs from what the model declares."""

    region: str = DEFAULT_REGION
    #: All rates are so many times as high.
    rates: float = 1.0
    #: All peaks are so many times the average; None is as declared.
    peak: float | None = None
    #: Of provisioned units, percent that are meant to be used.
    utilisation: float = 70.0
    free_tier: bool = True
    #: Calls a second, by pattern.
    rate: Mapping[str, float] = field(default_factory=dict)
    #: Bytes of an item, and how many are stored; by entity.
    size: Mapping[str, float] = field(default_factory=dict)
    items: Mapping[str, float] = field(default_factory=dict)
    #: How many partition keys there are, and the hottest one's percent of the calls; by template.
    keys: Mapping[str, float] = field(default_factory=dict)
    hottest: Mapping[str, float] = field(default_factory=dict)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """As the address has them."""
        found = []
        for name, plain in _PLAIN.items():
            value = getattr(self, name)
            if value != plain:
                found.append((name, value if isinstance(value, str) else number_text(value)))
        for name in _NAMED:
            for of, value in getattr(self, name).items():
                found.append((f"{name}.{of}", number_text(value)))
        return found

    @property
    def query(self) -> str:
        return urlencode(self.pairs)

    @property
    def changed(self) -> bool:
        return bool(self.pairs)


@dataclass(frozen=True)
class Known:
    """What can be set: the regions, and the model's own values by name."""

    regions: Sequence[str]
    patterns: Mapping[str, float]
    #: Bytes.
    entities: Mapping[str, float]
    templates: Collection[str]


@dataclass(frozen=True)
class _Bounds:
    low: float
    high: float
    #: The low end itself is too low.
    above: bool = False

    def has(self, value: float) -> bool:
        return (value > self.low if self.above else value >= self.low) and value <= self.high

    @property
    def text(self) -> str:
        low = f"above {self.low:,.6g}" if self.above else f"from {self.low:,.6g}"
        return f"A number {low} to {self.high:,.6g}."


_SINGLE = {
    "rates": _Bounds(0, 1_000_000),
    "peak": _Bounds(1, 1_000_000),
    "utilisation": _Bounds(0, 100, above=True),
}
_NAMED = {
    "rate": _Bounds(0, MOST_CALLS),
    "size": _Bounds(1, MOST_BYTES),
    "items": _Bounds(0, MOST_ITEMS),
    "keys": _Bounds(1, MOST_KEYS),
    "hottest": _Bounds(0, 100, above=True),
}
_PLAIN = {
    each.name: each.default
    for each in fields(PlanSettings)
    if each.name in ("region", "rates", "peak", "utilisation", "free_tier")
}


def read_settings(given: Mapping[str, str], known: Known) -> PlanSettings:
    """What an address says; the problem 422 that names all that makes no sense."""
    wrong: list[FieldError] = []
    found: dict[str, object] = {}
    for name, text in given.items():
        if text.strip():
            _read(name, text.strip(), known, found, wrong)
    if wrong:
        raise invalid(*wrong)
    return PlanSettings(**found)  # type: ignore[arg-type]


def _read(
    name: str, text: str, known: Known, found: dict[str, object], wrong: list[FieldError]
) -> None:
    kind, dot, of = name.partition(".")
    error = ""
    if name == "region":
        error = "" if text in known.regions else f"One of {', '.join(known.regions)}."
        found["region"] = text
    elif name == "free_tier":
        error = "" if text in ("0", "1") else "0 or 1."
        found["free_tier"] = text != "0"
    elif name in _SINGLE:
        found[name], error = _number(text, _SINGLE[name])
    elif dot and kind in _NAMED:
        error = _named(kind, of, text, known, found)
    if error:
        wrong.append(FieldError(f"query.{name}", error))


def _named(kind: str, of: str, text: str, known: Known, found: dict[str, object]) -> str:
    """One value of a pattern, an entity or a key; what is as declared is not set."""
    declared: Mapping[str, float]
    if kind == "rate":
        what, names, declared = "pattern", known.patterns, known.patterns
    elif kind in ("size", "items"):
        what, names = "entity", known.entities
        declared = known.entities if kind == "size" else {}
    else:
        what, names, declared = "key", known.templates, {}  # type: ignore[assignment]
    if of not in names:
        return f"The model has no such {what}."
    value, error = _number(text, _NAMED[kind])
    if not error and number_text(declared.get(of, -1.0)) != number_text(value):
        values = found.setdefault(kind, {})
        assert isinstance(values, dict)
        values[of] = value
    return error


def _number(text: str, bounds: _Bounds) -> tuple[float, str]:
    try:
        value = float(text)
    except ValueError:
        return 0.0, bounds.text
    return value, "" if isfinite(value) and bounds.has(value) else bounds.text


def number_text(value: float) -> str:
    """As short as it can be said, and exact enough to be read again."""
    if isinstance(value, bool):
        return "1" if value else "0"
    return f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"
