"""The shapes of keys: which parts of their texts are literal, and which are values.

A key is cut at the delimiter. A part is literal if it is a word that many keys share: one that is
followed by ever other values, or that stands alone under ever other keys, or that is written in
capitals. A word that an attribute of its item holds as well is a value.

Theory of operation: the keys of one attribute are sorted into a tree from left to right. At each
step those with the same literal part stay together, and all others go on together behind a value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.values import Item

#: The parts of a key: a literal text, or None for a value. Values at the end are one.
Shape: TypeAlias = tuple[str | None, ...]

DELIMITERS = "#|:/^$+,;_-."
_WORD = re.compile(r"[$@_~!]?[A-Za-z][A-Za-z_.-]{0,39}").fullmatch
#: A word with a number that belongs to it: ``v1``, ``order_1``. It needs company to be literal.
_NUMBERED = re.compile(r"[$@_~!]?[A-Za-z][A-Za-z_.-]{0,30}[0-9]{1,2}").fullmatch
_CAPITALS = re.compile(r"[$@_~!]?[A-Z][A-Z_.-]+").fullmatch
#: More words than these at one place are values.
_MOST_WORDS = 40
#: Small letters are less of a sign: so many words, or this share of the keys, at most.
_FEW, _SHARE = 8, 0.1
#: The share of attributes that two words' items have in common if they are values.
_ALIKE = 0.8


def delimiter_of(texts: Iterable[str]) -> str:
    """The sign that most often stands behind a word that keys begin with."""
    known = set(texts)
    best, most = "#", 0
    for sign in DELIMITERS:
        words: dict[str, int] = defaultdict(int)
        for text in known:
            word, found, rest = text.partition(sign)
            if found and rest and _WORD(word):
                words[word] += 1
        count = sum(times for word, times in words.items() if times > 1 or _CAPITALS(word))
        if count > most:
            best, most = sign, count
    return best


@dataclass(frozen=True)
class Row:
    """One key, cut into parts; the other key of its item; and the item's own names and texts."""

    parts: tuple[str, ...]
    beside: str
    names: frozenset[str]
    texts: frozenset[str]


@dataclass(frozen=True)
class Cut:
    """A key, cut into parts, and what they are."""

    parts: tuple[str, ...]
    shape: Shape


def cuts_of(
    items: Sequence[Item],
    attribute: str,
    beside: str | None,
    ignore: frozenset[str],
    sign: str,
    composed: bool,
) -> list[Cut | None]:
    """The key of each item, cut; None where there is no text.

    ``beside`` is the other attribute of the key. ``ignore`` are attributes that cannot be what a
    part stands for: other keys, and what tells entities apart. ``composed`` says whether the keys
    of the table begin with words at all; if none does, a word that stands alone is a value.
    """
    rows = [_row(item, attribute, beside, ignore, sign) for item in items]
    tree = _Tree(composed)
    tree.grow([row for row in rows if row is not None], 0, ())
    return [None if row is None else Cut(row.parts, _closed(tree.found[row])) for row in rows]


def _row(
    item: Item, attribute: str, beside: str | None, ignore: frozenset[str], sign: str
) -> Row | None:
    text = item.get(attribute, {}).get("S")
    if text is None:
        return None
    own = frozenset(
        value["S"] for name, value in item.items() if "S" in value and name not in ignore
    )
    other = "" if beside is None else repr(item.get(beside))
    return Row(_cut(text, own, sign), other, frozenset(item), own)


def _cut(text: str, own: frozenset[str], sign: str) -> tuple[str, ...]:
    """The parts of a key. An attribute of the item that holds the delimiter is one part."""
    for value in sorted((each for each in own if sign in each), key=len, reverse=True):
        at = f"{sign}{text}{sign}".find(f"{sign}{value}{sign}")
        if at >= 0:
            end = at + len(value)
            before = _cut(text[: at - 1], own, sign) if at else ()
            after = _cut(text[end + 1 :], own, sign) if end < len(text) else ()
            return (*before, value, *after)
    return tuple(text.split(sign))


def is_composed(texts: Iterable[str], sign: str) -> bool:
    """Whether keys begin with words that something follows."""
    parts = (text.partition(sign) for text in texts)
    return any(found and rest and _WORD(word) for word, found, rest in parts)


def _closed(shape: Shape) -> Shape:
    """Values at the end count as one: a value may hold the delimiter itself."""
    while len(shape) > 1 and shape[-1] is None and shape[-2] is None:
        shape = shape[:-1]
    return shape


def _alike(found: set[str], going: dict[str, list[Row]]) -> set[str]:
    """Words whose items have the same attributes: names of several people, say, not of entities."""
    names = {word: frozenset[str]().union(*(row.names for row in going[word])) for word in found}
    return {
        one
        for one in found
        for other in found - {one}
        if len(names[one] & names[other]) >= _ALIKE * len(names[one] | names[other])
    }


class _Tree:
    def __init__(self, composed: bool) -> None:
        self.composed = composed
        self.found: dict[Row, Shape] = {}

    def grow(self, rows: Sequence[Row], depth: int, so_far: Shape) -> None:
        going: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            if len(row.parts) == depth:
                self.found[row] = so_far
            else:
                going[row.parts[depth]].append(row)
        literal = self._literals(going, depth)
        values: list[Row] = []
        for word, group in going.items():
            if word in literal:
                self.grow(group, depth + 1, (*so_far, word))
            else:
                values += group
        if values:
            self.grow(values, depth + 1, (*so_far, None))

    def _literals(self, going: dict[str, list[Row]], depth: int) -> set[str]:
        found = {word for word, rows in going.items() if self._is_literal(word, rows, depth)}
        small = {word for word in found if word and not _CAPITALS(word)}
        total = len({row.parts for rows in going.values() for row in rows})
        found -= small if len(small) > max(_FEW, _SHARE * total) else _alike(small, going)
        return found if len(found) <= _MOST_WORDS else set()

    def _is_literal(self, word: str, rows: Sequence[Row], depth: int) -> bool:
        if not word:
            return True  # two delimiters in a row
        alone = all(len(row.parts) == depth + 1 for row in rows)
        if alone and depth == 0 and not self.composed:
            return False
        numbered = _NUMBERED(word) and (not alone or word[0] in "$@")
        if not _WORD(word) and not numbered:
            return False
        if all(word in row.texts for row in rows):
            return False
        if _CAPITALS(word):
            return True
        rests = {row.parts[depth + 1 :] for row in rows}
        others = {row.beside for row in rows}
        return len(others) > 1 if alone else len(rests) > 1
