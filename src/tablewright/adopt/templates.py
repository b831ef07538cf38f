"""What the keys of an entity are made of: attributes of the item that stand in the key's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from tablewright.adopt.drafts import Kind, Slot, Template
from tablewright.adopt.shapes import Cut
from tablewright.values import AttributeValue, Item

#: A template has to make this share of the keys; all of them if there are only a few.
_SURE, _MANY = 0.95, 20
_LABEL = re.compile(r"[A-Za-z]+[_=:.-]").match


def enough(fitting: int, total: int) -> bool:
    """Whether what does not fit may be a mistake in the data rather than ours."""
    return fitting == total or (total >= _MANY and fitting >= _SURE * total)


def text_of(value: AttributeValue | None) -> str | None:
    """The text that a value has in a key that others made."""
    if value is None:
        return None
    found = value.get("S", value.get("N"))
    return found if isinstance(found, str) and found else None


def template_of(
    items: Sequence[Item], cuts: Sequence[Cut], candidates: Mapping[str, Kind], sign: str
) -> Template | None:
    """The template of a key attribute that all ``items`` have; None if it is made of other things.

    ``cuts`` are the texts of the key, and ``candidates`` the attributes that may stand in it.
    """
    shapes = [cut.shape for cut in cuts]
    usual = max(set(shapes), key=shapes.count)
    rows = [(cut.parts, item) for cut, item in zip(cuts, items, strict=True) if cut.shape == usual]
    if not enough(len(rows), len(items)):
        return None
    pieces: list[str | Slot] = []
    shortest = min(len(parts) for parts, _ in rows)
    ragged = any(len(parts) != shortest for parts, _ in rows)
    for position in range(shortest):
        if position:
            pieces.append(sign)
        literal = usual[position] if position < len(usual) else None
        if literal is not None:
            pieces.append(literal)
            continue
        made = None
        if not (ragged and position == shortest - 1):
            here = [(parts[position], item) for parts, item in rows]
            made = _slot(here, candidates, pieces)
        if made is None:
            # A value at the end may hold the delimiter itself.
            rest = [(sign.join(parts[position:]), item) for parts, item in rows]
            made = _slot(rest, candidates, pieces)
            return None if made is None else Template(_joined((*pieces, *made)))
        held = any(sign in parts[position] for parts, _ in rows)
        if held and position < shortest - 1 and not _is_fixed(made, candidates):
            return None
        pieces += made
    return Template(_joined(pieces))


def _is_fixed(made: Sequence[str | Slot], candidates: Mapping[str, Kind]) -> bool:
    """Whether a value always has the same width: it may hold the delimiter, and others may follow.

    In a raw key no other value may.
    """
    return all(isinstance(each, str) or candidates[each.attribute].is_time for each in made)


def _slot(
    rows: Sequence[tuple[str, Item]], candidates: Mapping[str, Kind], before: Sequence[object]
) -> list[str | Slot] | None:
    """What makes the texts of one place: an attribute, perhaps behind a label such as ``id_``."""
    fitting = [
        (attribute, spec)
        for attribute, kind in candidates.items()
        if (spec := _spec(rows, attribute, kind)) is not None
    ]
    if fitting:
        attribute, spec = max(fitting, key=lambda found: _likeness(found[0], rows, before))
        return [Slot(attribute, spec)]
    labels = {found[0] if (found := _LABEL(text)) else "" for text, _ in rows}
    if len(labels) != 1 or "" in labels:
        return None
    (label,) = labels
    inner = _slot([(text[len(label) :], item) for text, item in rows], candidates, [label])
    return None if inner is None else [label, *inner]


def _spec(rows: Sequence[tuple[str, Item]], attribute: str, kind: Kind) -> str | None:
    """How the attribute is written, if it is what these texts are made of."""
    pairs = [(text, text_of(item.get(attribute))) for text, item in rows]
    if enough(sum(text == value for text, value in pairs), len(pairs)):
        return ""
    widths = {len(text) for text, _ in pairs}
    if kind.annotation != "int" or len(widths) != 1:
        return None
    width = widths.pop()
    padded = sum(value is not None and text == value.zfill(width) for text, value in pairs)
    negative = any(value is not None and value.startswith("-") for _, value in pairs)
    return f"0{width}d" if enough(padded, len(pairs)) and not negative else None


def _likeness(
    attribute: str, rows: Sequence[tuple[str, Item]], before: Sequence[object]
) -> tuple[bool, int, bool]:
    """How much an attribute looks like what was meant, where several fit."""
    word = next((each for each in reversed(before) if isinstance(each, str) and each.isalpha()), "")
    name = attribute.lower().replace("_", "")
    named = bool(word) and (word.lower() in name or name in word.lower())
    distinct = len({text_of(item.get(attribute)) for _, item in rows})
    return named, distinct, name.endswith("id")


def _joined(pieces: Iterable[str | Slot]) -> tuple[str | Slot, ...]:
    """The same with literal texts that stand together made one."""
    made: list[str | Slot] = []
    for piece in pieces:
        last = made[-1] if made else None
        if isinstance(piece, str) and isinstance(last, str):
            made[-1] = last + piece
        elif piece != "":
            made.append(piece)
    return tuple(made)
