"""Which attribute tells the entities of a table apart, if one does."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from tablewright.adopt.shapes import Shape
from tablewright.values import Item

#: Names that such an attribute usually has, ours and those of other libraries, the surest first.
USUAL = (
    "entity_type",
    "__edb_e__",
    "__typename",
    "_type",
    "_et",
    "entityType",
    "EntityType",
    "entity",
    "Entity",
    "_entity",
    "record_type",
    "recordType",
    "item_type",
    "itemType",
    "object_type",
    "objectType",
    "cls",
    "kind",
    "Kind",
    "type",
    "Type",
    "model",
)
#: These mean nothing else, even where the keys do not tell.
_SURE = frozenset(USUAL[: USUAL.index("cls")])
_WORD = re.compile(r"[A-Za-z_$][A-Za-z0-9_$./:-]{0,63}").fullmatch
_MOST = 100
#: The share of the items that have it, and of the items of one value that have one shape of key.
_PRESENT, _PURE = 0.8, 0.9


def discriminator_of(items: Sequence[Item], shapes: Sequence[object]) -> str | None:
    """The attribute; ``shapes`` are those of the items' primary keys."""
    return next((name for name in USUAL if _tells_apart(items, shapes, name)), None)


def _tells_apart(items: Sequence[Item], shapes: Sequence[object], name: str) -> bool:
    by_value: dict[str, list[object]] = defaultdict(list)
    for item, shape in zip(items, shapes, strict=True):
        value = item.get(name, {}).get("S")
        if value is not None:
            by_value[value].append(shape)
    count = sum(map(len, by_value.values()))
    if not by_value or len(by_value) > _MOST or not all(map(_WORD, by_value)):
        return False
    if count < _PRESENT * len(items):
        return False
    if name in _SURE:
        return True
    pure = sum(max(Counter(each).values()) for each in by_value.values())
    return pure >= _PURE * count and _differ(by_value)


def _differ(by_value: dict[str, list[object]]) -> bool:
    """Whether values have shapes of their own: a kind of product has none."""
    usual = {Counter(each).most_common(1)[0][0] for each in by_value.values()}
    return len(usual) == len(by_value) and _has_words(usual)


def _has_words(shapes: set[object]) -> bool:
    return any(part for shape in shapes for part in _parts(shape))


def _parts(shape: object) -> Shape:
    sides = shape if isinstance(shape, tuple) else ()
    return tuple(part for side in sides if side for part in side if part)
