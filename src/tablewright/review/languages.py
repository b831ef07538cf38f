"""The texts that a key template can become, by what is known of its components."""

from __future__ import annotations

import re

from tablewright.review.automata import Automaton, without
from tablewright.review.design import Attribute, Entity, Key
from tablewright.review.shapes import Beyond, add_expression
from tablewright.review.templates import Slot, pieces

_TIME = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}"
#: What the named formats look like.
FORMATS = {
    "ulid": "[0-7][0-9A-HJKMNP-TV-Z]{25}",
    "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    # A local time, without a zone, is ISO 8601 too.
    "iso": rf"{_TIME}(?:\.\d+)?(?:Z|[+-]\d{{2}}:\d{{2}})?",
    "iso_seconds": rf"{_TIME}Z",
    "iso_millis": rf"{_TIME}\.\d{{3}}Z",
    "iso_micros": rf"{_TIME}\.\d{{6}}Z",
    "date": r"\d{4}-\d{2}-\d{2}",
    "day": r"\d{8}",
    "epoch_seconds": r"\d{1,10}",
    "epoch_millis": r"\d{1,13}",
    "email": r"[^@ ]+@[^@ ]+\.[^@ ]+",
    "phone": r"\+[1-9]\d{6,14}",
    "https": r"https://[^ ]+",
    "slug": r"[a-z0-9]+(?:-[a-z0-9]+)*",
}
#: Formats whose values have no delimiter in them.
CLOSED = frozenset(FORMATS) - {"email", "https"}
_WIDTH = re.compile(r"0(\d+)d").fullmatch


def automaton_of(
    template: str,
    entity: Entity | None = None,
    delimiter: str = "#",
    *,
    key: Key | None = None,
    pasted: bool = False,
) -> Automaton | None:
    """All texts of a template; None if a component's pattern cannot be read.

    ``pasted`` lets free texts hold the delimiter, as they can where nothing escapes them.
    """
    shapes = {} if key is None else key.shapes
    automaton = Automaton()
    for piece in pieces(template):
        if isinstance(piece, str):
            automaton.literal(piece)
            continue
        known = None if entity is None else entity.attribute(piece.field)
        expression = shapes.get(piece.field) or expression_of(piece, known)
        if not _component(automaton, expression, "" if pasted else delimiter):
            return None
    return automaton


def _component(automaton: Automaton, expression: str | None, excluded: str) -> bool:
    if expression is None:
        automaton.some(without(excluded))
        return True
    try:
        add_expression(automaton, expression)
    except Beyond:
        return False
    return True


def expression_of(slot: Slot, known: Attribute | None) -> str | None:
    """What a component looks like, as far as something says so."""
    if (width := _WIDTH(slot.spec)) is not None:
        return rf"\d{{{width[1]}}}"
    if known is None:
        return None
    if known.values:
        return "|".join(re.escape(str(value)) for value in known.values)
    if known.pattern is not None:
        return known.pattern
    if known.type == "N":
        return r"-?\d+(?:\.\d+)?" if known.format is None else FORMATS.get(known.format)
    return FORMATS.get(known.format or "")
