"""The table in which people set a chain and its limits: one row a label, and one for all of them.

Each row has a place in the chain and three limits. An empty field is no limit of that kind;
"unlimited" says that there is to be none, which counts as one: a chain has no label that nobody
thought about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tablewright.service.forms import Typed
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.pricekeeper.pages.forms import format_dollars, parse_limit, without_prefix
from tablewright.systems.pricekeeper.rules.account import FIELDS
from tablewright.systems.pricekeeper.shapes import ALL

#: The fields of a body that hold limits, by day, week and month.
QUOTAS = tuple(FIELDS.values())
Quotas = Mapping[str, int | None]


@dataclass(frozen=True)
class Read:
    """What was typed, and what of it cannot be read."""

    ordering: list[str]
    quotas: dict[str, dict[str, int | None]]
    errors: list[FieldError]

    def told(self, problem: Problem) -> Problem:
        """A problem with what is wrong at the fields of the table."""
        names = {
            f"body.model_ordering.{place}": f"body.order.{label}"
            for place, label in enumerate(self.ordering)
        }
        return without_prefix(problem, {**names, "body.model_ordering": "body.order"})


def read(values: Typed, labels: Iterable[str], locale: str | None = None) -> Read:
    """Read the chain and the limits of a form, with amounts in the notation of a locale."""
    known = list(labels)
    errors: list[FieldError] = []
    places = _places(values, known, errors)
    quotas = {field: _limits(values, field, [ALL, *known], errors, locale) for field in QUOTAS}
    return Read(sorted(places, key=places.__getitem__), quotas, errors)


def _places(values: Typed, labels: Sequence[str], errors: list[FieldError]) -> dict[str, int]:
    found: dict[str, int] = {}
    for label in labels:
        text = values.get(f"order.{label}", "")
        if not text:
            continue
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:3]) <= 99):
            errors.append(FieldError(f"body.order.{label}", "A place in the chain: 1, 2, 3 …"))
        elif int(text) in found.values():
            errors.append(FieldError(f"body.order.{label}", f"Another label has place {text}."))
        else:
            found[label] = int(text)
    return found


def _limits(
    values: Typed,
    field: str,
    labels: Sequence[str],
    errors: list[FieldError],
    locale: str | None,
) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for label in labels:
        text = values.get(f"{field}.{label}", "")
        if text:
            try:
                found[label] = parse_limit(text, locale)
            except ValueError as wrong:
                errors.append(FieldError(f"body.{field}.{label}", str(wrong)))
    return found


def words_of(field: str) -> str:
    """What a field is called, where it is spoken of beside the form."""
    name, _, label = field.partition(".")
    if name == "order":
        return f"place of {label}"
    kinds = dict(zip(QUOTAS, ("a day", "a week", "a month"), strict=True))
    if name in kinds:
        return f"limit {kinds[name]} of {'all labels' if label == ALL else label}"
    return field.replace("_", " ")


def shown(
    ordering: Sequence[str] | None,
    quotas: Mapping[str, Quotas | None],
    locale: str | None = None,
) -> dict[str, str]:
    """Format a chain and its limits for a form, with amounts in the notation of a locale."""
    found = {f"order.{label}": str(place) for place, label in enumerate(ordering or (), 1)}
    for field, limits in quotas.items():
        for label, quota in (limits or {}).items():
            found[f"{field}.{label}"] = format_dollars(quota, locale)
    return found
