"""Stored items that the model no longer finds: under other keys, or of types that it does not know.

A changed key template or a renamed class leaves every stored item as it was. Settings of the table
do not show that; the items do. An item whose discriminator names an entity is read as that entity,
its keys are computed again, and what is stored differs: it has drifted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.client.context import Context
from tablewright.client.setup import ask
from tablewright.client.steps import Flow
from tablewright.deploy.differences import Difference
from tablewright.deploy.problems import SCHEMA, Problem
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.errors import TablewrightError
from tablewright.model.keys import BoundKey
from tablewright.model.table import Table
from tablewright.model.unique import is_lock
from tablewright.values import Item, equal

#: Ranges of the hash that a sample is taken from, so that one large collection does not fill it.
_RANGES = 4
#: What the discriminator of a lock begins with, also of a constraint that is gone.
_LOCK = "Unique:"

_MOVED = (
    "Restore the key template, or copy the items: read them by the old template, put them by the "
    "new one, delete the old ones.",
    "See an item as it is stored: tablewright review MODEL with the same place.",
)
_UNKNOWN = (
    'If the class was renamed, keep its stored name: class Client(Entity, ..., type="Customer").',
    "If the items belong to another program, leave them as they are: --skip-unknown.",
)


@dataclass(frozen=True)
class Drift:
    """What differs between the stored keys of one item and those that the model writes."""

    entity: str
    #: None is the table's own key.
    index: str | None
    #: The templates by which the model makes the key.
    templates: str

    @property
    def place(self) -> str:
        where = "" if self.index is None else f" in {self.index}"
        return f"the key of {self.entity} items{where}"

    @property
    def text(self) -> str:
        where = "the table" if self.index is None else self.index
        return f"{self.entity} items have another key in {where} than {self.templates} makes"


def drifts_of(known: EntityDef[Any], item: Item, rendered: Item) -> Iterator[Drift]:
    """Compare the keys of ``item`` with those of ``rendered``: the same item, encoded again."""
    primary = {part.attribute.name for part in known.primary.parts}
    for key in known.keys.values():
        names = [part.attribute.name for part in key.parts]
        if key.index is not None:
            # A local index shares the table's partition key.
            names = [name for name in names if name not in primary]
        if key.index is not None and not any(name in item for name in names):
            # The item is not in the index: that is wrong if the model would put it there.
            if names and all(name in rendered for name in names):
                yield _drift(known, key)
        elif any(_differs(known, item, rendered, name) for name in names):
            yield _drift(known, key)


def _differs(known: EntityDef[Any], item: Item, rendered: Item, name: str) -> bool:
    if name in item and name in rendered:
        return not equal(item[name], rendered[name])
    return name in rendered or (name in item and name in known.composed)


def _drift(known: EntityDef[Any], key: BoundKey) -> Drift:
    templates = " / ".join(repr(part.template.text) for part in key.parts)
    return Drift(known.name, None if key.index is None else key.index.name, templates)


def unknown_type(table: Table, item: Item) -> str | None:
    """What an item of no entity has instead; None for locks and items of other programs."""
    if not table.entities or is_lock(table, item):
        # A model of tables alone makes no statement about their items.
        return None
    if table.discriminator is None:
        return "another form of key"
    tag = item.get(table.discriminator, {}).get("S")
    if tag is None or tag.startswith(_LOCK):
        return None
    return f"the type {tag!r}"


# --- many items ----------------------------------------------------------------------------------


@dataclass
class Drifted:
    """What was found in the items of one table."""

    table: Table
    read: int = 0
    read_units: float = 0.0
    moved: dict[Drift, int] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)

    def add(self, item: Item) -> None:
        """Look at one item."""
        self.read += 1
        known = entity_of(self.table, item)
        if known is None:
            text = unknown_type(self.table, item)
            if text is not None:
                self.unknown[text] = self.unknown.get(text, 0) + 1
            return
        try:
            rendered = known.encode(known.decode(item))
        except TablewrightError:
            # What cannot be read as its entity is a finding of the review, and of the backfill.
            return
        for drift in drifts_of(known, item, rendered):
            self.moved[drift] = self.moved.get(drift, 0) + 1

    def without(self, indexes: Sequence[str]) -> Drifted:
        """The same, without the keys of indexes that a backfill is about to write."""
        moved = {each: n for each, n in self.moved.items() if each.index not in indexes}
        return Drifted(self.table, self.read, self.read_units, moved, self.unknown)


def read_sample(context: Context, table: Table, size: int) -> Flow[tuple[list[Item], float]]:
    """About ``size`` items from several places of the table, and the read units that they took."""
    items: list[Item] = []
    units = 0.0
    ranges = min(_RANGES, size)
    for number in range(ranges):
        body = {
            "Limit": -(-size // ranges),
            "Segment": number,
            "TotalSegments": ranges,
            "ReturnConsumedCapacity": "TOTAL",
        }
        response = yield from ask(context, table, "Scan", body)
        items.extend(response.body.get("Items") or ())
        used = response.body.get("ConsumedCapacity") or {}
        units += float(used.get("CapacityUnits", 0.0))
    return items[:size], units


def sample_items(context: Context, table: Table, size: int) -> Flow[Drifted]:
    """Compare the keys of about ``size`` items with those that the model writes."""
    items, units = yield from read_sample(context, table, size)
    found = Drifted(table, read_units=units)
    for item in items:
        found.add(item)
    return found


# --- what to say ---------------------------------------------------------------------------------


def item_differences(found: Drifted) -> list[Difference]:
    """What was found, as differences between the model and what is deployed."""
    return [
        *(
            Difference(
                found.table.name,
                drift.place,
                "changed",
                "error",
                drift.templates,
                f"different in {number} of {found.read} items read",
                _remedy(drift),
                of_items=True,
            )
            for drift, number in found.moved.items()
        ),
        *(
            Difference(
                found.table.name,
                text,
                "extra",
                "error",
                None,
                f"{number} of {found.read} items read",
                " ".join(_UNKNOWN),
                of_items=True,
            )
            for text, number in found.unknown.items()
        ),
    ]


def _remedy(drift: Drift) -> str:
    return " ".join(_MOVED) if drift.index is None else _backfill(drift.index)


def _backfill(index: str) -> str:
    return f"Write the keys of {index} again: tablewright tables migrate MODEL --backfill {index}."


def problem_of_items(
    table: str,
    moved: Mapping[str, int],
    unknown: Mapping[str, int],
    indexes: Sequence[str],
    of: int,
) -> Problem:
    """The problem that stops a migration: items that it would leave behind."""
    texts = [f"{number} {text}" for text, number in moved.items()]
    texts += [
        f"{number} items have {text}, which the model does not have"
        for text, number in unknown.items()
    ]
    remedies = [_backfill(name) for name in indexes]
    if len(moved) > len(indexes):
        remedies += _MOVED
    if unknown:
        remedies += _UNKNOWN
    return Problem(
        SCHEMA,
        f"{table}: of {of} items read, {'; '.join(texts)}. No pattern of the model finds them.",
        {"moved": dict(moved), "unknown": dict(unknown), "read": of},
        tuple(remedies),
    )


def sampled_problem(found: Drifted, *, skip_unknown: bool) -> Problem | None:
    """The problem that a sample shows; None if there is none."""
    unknown = {} if skip_unknown else found.unknown
    if not found.moved and not unknown:
        return None
    moved = {drift.text: number for drift, number in found.moved.items()}
    indexes = [drift.index for drift in found.moved if drift.index is not None]
    return problem_of_items(found.table.name, moved, unknown, indexes, found.read)
