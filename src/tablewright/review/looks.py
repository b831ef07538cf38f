"""Values of deployed items, told without telling them: what they look like."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablewright.review import finding
from tablewright.review.design import Attribute, Design, Entity, Sample, Table
from tablewright.review.finding import Found, Place
from tablewright.review.languages import CLOSED, FORMATS
from tablewright.review.samples import key_texts, read_template
from tablewright.review.templates import pieces
from tablewright.values import Item

_LONGEST = 40
_HARMLESS = CLOSED - {"phone", "slug"}
#: What stands before the first delimiter of a key names a kind of item: ORDER#...
_KIND = re.compile(r"[A-Z_]+(?=\W)")


def looks(value: object) -> str:
    """``Ada@example.com`` looks like ``Xxx@xxxxxxx.xxx``, and 1735 like 9999."""
    text = "".join(map(_veiled, str(value)[:_LONGEST]))
    return text if len(str(value)) <= _LONGEST else f"{text}..."


def _veiled(character: str) -> str:
    if character.isnumeric():
        return "9"
    if not character.isalpha():
        return character
    return "X" if character.isupper() else "x"


def told(value: object, sample: Sample) -> str:
    """A value as a message has it: of a document as it is, of a deployed item by its looks."""
    if not sample.deployed:
        return repr(value) if isinstance(value, str) else str(value)
    return f"like {looks(value)!r}"


def found_in(
    design: Design, sample: Sample, item: Item, message: str, place: Place | None = None
) -> Found:
    """A finding about a sample: where it is, and which item of many, if it is a deployed one."""
    place = place or finding.sample(sample.entity, sample.deployed)
    entity = design.entity(sample.entity)
    if not sample.deployed or entity is None:
        return Found(place, message)
    shown = ", ".join(_key(item, entity, design.table(entity.table)))
    return Found(place, message, item=shown)


def _key(item: Item, entity: Entity, table: Table | None) -> Iterator[str]:
    """The item's key, with what may be free text or personal by its looks."""
    for name, template in () if entity.primary is None else key_texts(entity.primary, table):
        value = next(iter(item.get(name, {"S": ""}).values()))
        parts = read_template(template, value) if isinstance(value, str) else None
        if parts is None:
            yield f"{name} {looks(value)}"
            continue
        texts = (
            piece if isinstance(piece, str) else _part(parts[piece.field], piece.field, entity)
            for piece in pieces(template)
        )
        yield f"{name} {''.join(texts)}"


def _part(text: str, field: str, entity: Entity) -> str:
    known = entity.attribute(field)
    return text if known is not None and _harmless(known, text) else looks(text)


def _harmless(known: Attribute, text: str) -> bool:
    """Whether a value is an id, a time or one of a list: nothing that people have typed."""
    form = FORMATS.get(known.format or "") if known.format in _HARMLESS else None
    fits = form is not None and re.fullmatch(form, text) is not None
    return not known.personal and (fits or text in map(str, known.values))


def kind_of_key(text: object) -> str:
    """The looks of a key of no entity: the word before its first delimiter says what it is."""
    kind = _KIND.match(str(text))
    start = kind[0] if kind else ""
    return start + looks(str(text)[len(start) :])
