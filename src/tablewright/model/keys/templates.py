"""The template language of keys: literal text and ``{field}`` or ``{field:spec}``.

A template is only taken apart here; ``components`` decides what each field's type may do in it.
``{{`` and ``}}`` stand for the braces themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.model.errors import ModelError
from tablewright.model.keys.escapes import LAST_CHARACTER

_TOKEN = re.compile(
    r"(?P<brace>\{\{|\}\})"
    r"|\{(?P<field>[A-Za-z_][A-Za-z0-9_]*)(?::(?P<spec>[^{}]*))?\}"
    r"|(?P<stray>[{}])"
    r"|(?P<text>[^{}]+)"
)


@dataclass(frozen=True)
class Slot:
    """The place of one field's value."""

    field: str
    spec: str = ""


@dataclass(frozen=True)
class Template:
    """One template: ``text`` as it was written, ``pieces`` in order.

    No two literals stand next to each other, and none is empty.
    """

    text: str
    pieces: tuple[str | Slot, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields in order of first appearance."""
        slots = (piece.field for piece in self.pieces if isinstance(piece, Slot))
        return tuple(dict.fromkeys(slots))

    @property
    def single(self) -> Slot | None:
        """The slot of a template that is nothing but one slot."""
        match self.pieces:
            case (Slot() as slot,):
                return slot
        return None

    def __str__(self) -> str:
        return self.text


def parse_template(text: str, where: str) -> Template:
    """Take ``text`` apart; ``where`` names its place in error texts."""
    if not text:
        raise ModelError(f"{where}: the template is empty; a key attribute cannot be")
    if LAST_CHARACTER in text or not _encodable(text):
        raise ModelError(f"{where}: the template {text!r} holds a character no key can have")
    pieces: list[str | Slot] = []
    for token in _TOKEN.finditer(text):
        if token["stray"]:
            raise ModelError(
                f"{where}: the template {text!r} has a brace at position {token.start()} that is "
                "no {field} or {field:spec}; write {{ or }} for a brace itself"
            )
        if token["field"]:
            pieces.append(Slot(token["field"], token["spec"] or ""))
            continue
        literal = token["brace"][0] if token["brace"] else token["text"]
        if pieces and isinstance(pieces[-1], str):
            pieces[-1] += literal
        else:
            pieces.append(literal)
    return Template(text, tuple(pieces))


def _encodable(text: str) -> bool:
    # Half of a surrogate pair has no UTF-8 form.
    return not any("\ud800" <= character <= "\udfff" for character in text)
