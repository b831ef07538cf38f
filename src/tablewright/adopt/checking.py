"""Whether a model reads items and gives them back exactly; if not, for which attributes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from types import ModuleType
from typing import Any

from tablewright.model import Model
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.errors import TablewrightError
from tablewright.model.storage.base import Unfit
from tablewright.model.table import Table
from tablewright.values import Item

_NUMBERS = count(1)


def load(source: str) -> Model:
    """The model that a module declares, without a file; ModelError if it declares none."""
    name = f"tablewright_adopted_{next(_NUMBERS)}"
    module = ModuleType(name)
    sys.modules[name] = module
    try:
        exec(compile(source, f"<{name}>", "exec", dont_inherit=True), module.__dict__)
        model: Model = module.model
        return model
    finally:
        del sys.modules[name]


@dataclass(frozen=True)
class Verdict:
    """What became of one item."""

    item: Item
    #: The name of the class that reads it; None if none does.
    entity: str | None
    #: The attributes that do not come back as they are stored.
    wrong: frozenset[str] = frozenset()

    @property
    def exact(self) -> bool:
        return self.entity is not None and not self.wrong

    @property
    def reason(self) -> str:
        """Why it is not exact; without values, which may be personal."""
        if self.entity is None:
            return "its key has the form of no entity"
        return f"{self.entity} does not give back {', '.join(sorted(self.wrong))}"


def check(table: Table, items: Sequence[Item]) -> list[Verdict]:
    """Read all items with the table's entities, write them again, and compare."""
    return [_verdict(table, item) for item in items]


def _verdict(table: Table, item: Item) -> Verdict:
    known = entity_of(table, item)
    if known is None:
        return Verdict(item, None)
    return Verdict(item, known.cls.__name__, _wrong(known, item))


def _wrong(known: EntityDef[Any], item: Item) -> frozenset[str]:
    try:
        again = known.encode(known.decode(item))
    except (TablewrightError, ArithmeticError, ValueError):
        return _unreadable(known, item)
    names = item.keys() | again.keys()
    return frozenset(name for name in names if not same(item.get(name), again.get(name)))


def _unreadable(known: EntityDef[Any], item: Item) -> frozenset[str]:
    """The attributes that cannot be read; if it is none of them, those of the keys."""
    wrong = set()
    for field in known.fields.values():
        av = item.get(field.attribute)
        if av is None and not (field.optional or field.has_default):
            wrong.add(field.attribute)
        if av is not None and not _readable(field.storage, av):
            wrong.add(field.attribute)
    keys = {part.attribute.name for key in known.keys.values() for part in key.parts}
    return frozenset(wrong or keys)


def _readable(storage: Any, av: Any) -> bool:
    try:
        storage.unpack(av)
    except (Unfit, ArithmeticError, ValueError):
        return False
    return True


def same(one: Any, other: Any) -> bool:
    """Whether two attribute values are the same to DynamoDB: sets have no order, 1.0 is 1."""
    return bool(_canonical(one) == _canonical(other))


def _canonical(av: Any) -> Any:
    if not isinstance(av, dict) or len(av) != 1:
        return av
    ((kind, value),) = av.items()
    if kind == "N":
        return kind, Decimal(value)
    if kind == "NS":
        return kind, frozenset(map(Decimal, value))
    if kind in ("SS", "BS"):
        return kind, frozenset(value)
    if kind == "L":
        return kind, [_canonical(each) for each in value]
    if kind == "M":
        return kind, {name: _canonical(each) for name, each in value.items()}
    return kind, value
