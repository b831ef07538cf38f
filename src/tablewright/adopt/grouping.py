"""The items of a table, sorted into entities: by an attribute, by a file, or by their keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tablewright.adopt.discriminators import USUAL, discriminator_of
from tablewright.adopt.drafts import Known, Stray
from tablewright.adopt.shapes import Cut, Shape, cuts_of, delimiter_of, is_composed
from tablewright.deploy.state import TableState
from tablewright.values import Item

#: Of the partition key and the sort key; None is no text.
Pair: TypeAlias = tuple[Shape | None, Shape | None]

#: Items without any word in their keys are strays beside entities that have some, if they are few.
_STRAY_SHARE = 0.1


@dataclass(frozen=True)
class Group:
    """Items that belong together."""

    #: The value of the discriminator; "" without one.
    type: str
    #: The shape that most of the primary keys have.
    pair: Pair
    items: tuple[Item, ...]
    #: Of a file that says more than its items show.
    known: Known = field(default_factory=Known)


@dataclass(frozen=True)
class Grouped:
    delimiter: str
    discriminator: str | None
    groups: tuple[Group, ...]
    strays: tuple[Stray, ...]
    #: Attribute of a key to the texts of all items, cut, by the item's identity.
    cuts: dict[str, dict[int, Cut | None]]
    #: What a file says that belongs to no group, for people.
    said: tuple[str, ...] = ()


def grouped(
    state: TableState,
    items: Sequence[Item],
    tells: str | None = None,
    owner: Callable[[Item], object] | None = None,
) -> Grouped:
    """Sort the items of a table.

    A file may know which attribute ``tells`` them apart, or whose each of them is. The latter
    counts where no attribute does.
    """
    keys = key_names(state)
    found = (item.get(name, {}).get("S") for item in items for name in keys)
    texts = {text for text in found if text is not None}
    sign = delimiter_of(texts)
    composed = is_composed(texts, sign)
    made = frozenset(name for name in keys if _is_made(name))
    ignore = made | frozenset(USUAL) | frozenset(each.name for each in state.key)
    cuts: dict[str, dict[int, Cut | None]] = {}
    for name, other in keys.items():
        own = cuts_of(items, name, other, ignore | {name}, sign, composed)
        cuts[name] = dict(zip(map(id, items), own, strict=True))
    sides = [each.name for each in state.key]
    pairs = [_pair(cuts, sides, item) for item in items]
    tells = tells or discriminator_of(items, pairs)
    if tells:
        groups, strays = _by_type(items, pairs, tells)
    elif owner:
        groups, strays = _by_owner(items, pairs, owner), []
    else:
        groups, strays = _by_shape(items, pairs)
    return Grouped(sign, tells, tuple(groups), tuple(strays), cuts)


def key_names(state: TableState) -> dict[str, str | None]:
    """Every key attribute of the table and its indexes, with the one on the other side."""
    found: dict[str, str | None] = {}
    sides = [(state.key[:1], state.key[1:]), *(each.keys for each in state.indexes.values())]
    for partition, sort in sides:
        for own, others in ((partition, sort), (sort, partition)):
            for each in own:
                found.setdefault(each.name, others[0].name if others else None)
    return found


def _is_made(name: str) -> bool:
    """Whether an attribute is there for an index alone, as far as its name tells."""
    return re.search(r"gsi|lsi|index|(?:^|_|[a-z])[ps]k(?:$|[0-9])", name, re.I) is not None


def _pair(cuts: dict[str, dict[int, Cut | None]], sides: Sequence[str], item: Item) -> Pair:
    found = [cuts[name][id(item)] for name in sides]
    shapes = [None if each is None else each.shape for each in found]
    return shapes[0], shapes[1] if len(shapes) > 1 else None


def _by_type(
    items: Sequence[Item], pairs: Sequence[Pair], name: str
) -> tuple[list[Group], list[Stray]]:
    found: dict[str, list[tuple[Item, Pair]]] = defaultdict(list)
    strays = []
    for item, pair in zip(items, pairs, strict=True):
        value = item.get(name, {}).get("S")
        if value is None:
            strays.append(Stray(item, f"it has no {name}"))
        else:
            found[value].append((item, pair))
    groups = [
        Group(value, _usual([pair for _, pair in rows]), tuple(item for item, _ in rows))
        for value, rows in found.items()
    ]
    return groups, strays


def _by_owner(
    items: Sequence[Item], pairs: Sequence[Pair], owner: Callable[[Item], object]
) -> list[Group]:
    found: dict[int, list[tuple[Item, Pair]]] = defaultdict(list)
    for item, pair in zip(items, pairs, strict=True):
        found[id(owner(item))].append((item, pair))
    return [
        Group("", _usual([pair for _, pair in rows]), tuple(item for item, _ in rows))
        for rows in found.values()
    ]


def _by_shape(items: Sequence[Item], pairs: Sequence[Pair]) -> tuple[list[Group], list[Stray]]:
    found: dict[Pair, list[Item]] = defaultdict(list)
    for item, pair in zip(items, pairs, strict=True):
        found[pair].append(item)
    bare = [pair for pair in found if not words(pair)]
    few = sum(len(found[pair]) for pair in bare) <= _STRAY_SHARE * len(items)
    strays: list[Stray] = []
    if bare and few and len(bare) < len(found):
        for pair in bare:
            strays += [Stray(item, "its key has the form of no entity") for item in found.pop(pair)]
    groups = [Group("", pair, tuple(several)) for pair, several in found.items()]
    # Who says more about itself comes first, as owners are asked in that order.
    groups.sort(key=lambda each: -sum(map(len, words(each.pair))))
    return groups, strays


def _usual(pairs: Sequence[Pair]) -> Pair:
    counts: dict[Pair, int] = defaultdict(int)
    for pair in pairs:
        counts[pair] += 1
    return max(counts, key=lambda each: counts[each])


def words(pair: Pair) -> list[str]:
    """The literal parts of both keys."""
    return [part for side in pair if side is not None for part in side if part]
