"""One key attribute of one entity: its template, compiled.

Encoding is generated source: for ``ORDER#{placed_at}#{order_id}`` it is one f-string with a call
of each field's encoder, because every write and nearly every read goes through it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.model.errors import DataError, KeyValueError, ModelError, TablewrightError
from tablewright.model.keys.components import Component, components, stored_component
from tablewright.model.keys.ranges import MAX_SORT_BYTES, BinaryLine, Line, NumberLine, TextLine
from tablewright.model.keys.templates import Template, parse_template
from tablewright.values import AttributeValue, Item

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef
    from tablewright.model.table import KeyAttribute

Values: TypeAlias = Mapping[str, object]

MAX_PARTITION_BYTES = 2048
#: What encoders raise, and a mapping that lacks a field.
_TROUBLE = (ValueError, TypeError, KeyError, AttributeError, OverflowError)


@dataclass(frozen=True)
class KeyPart:
    """One key attribute of one entity."""

    attribute: KeyAttribute
    template: Template
    #: The component fields in order.
    fields: tuple[str, ...]
    #: Whether the attribute is the field itself, stored in the field's own form.
    plain: bool
    #: Entity and key, for error texts.
    where: str = field(repr=False, compare=False)
    #: The template with the encoder of each field.
    pieces: tuple[str | Component, ...] = field(repr=False, compare=False)
    #: The most bytes that the attribute can have.
    limit: int = field(repr=False, compare=False)
    #: The attribute's value for these fields; KeyValueError.
    encode: Callable[[Values], AttributeValue] = field(init=False, repr=False, compare=False)
    _fits: Callable[[str], re.Match[str] | None] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        expressions = "".join(
            f"({re.escape(piece)})" if isinstance(piece, str) else f"({piece.encoder.pattern})"
            for piece in self.pieces
        )
        object.__setattr__(self, "_fits", re.compile(expressions, re.DOTALL).fullmatch)
        whole = compile_encode((self,))
        name = self.attribute.name
        object.__setattr__(self, "encode", lambda values: whole(values)[name])

    def fits(self, av: AttributeValue | None) -> bool:
        """Whether the value could have been made by the template."""
        text = None if av is None else av.get(self.attribute.type)
        return text is not None and self._fits(text) is not None

    def decode(self, av: AttributeValue) -> dict[str, object]:
        """The fields in the attribute's value; DataError if the template did not make it."""
        text = av.get(self.attribute.type)
        found = None if text is None else self._fits(text)
        if found is None:
            raise self._strange(av)
        values: dict[str, object] = {}
        for piece, part in zip(self.pieces, found.groups(), strict=True):
            if isinstance(piece, str):
                continue
            try:
                value = piece.encoder.decode(part)
            except (*_TROUBLE, ArithmeticError):
                raise self._strange(av) from None
            if values.setdefault(piece.field, value) != value:
                raise self._strange(av)
        return values

    def prefix(self, values: Values) -> str:
        """The text up to the first component whose value is not given; "" if it is no text."""
        return self.lead(values)[0] if self.attribute.type == "S" else ""

    def lead(self, values: Values) -> tuple[str, Component | None]:
        """The text up to the first component without a value, and that component."""
        texts: list[str] = []
        for piece in self.pieces:
            if isinstance(piece, str):
                texts.append(piece)
            elif values.get(piece.field) is None:
                return "".join(texts), piece
            else:
                texts.append(self.encoded(piece, values[piece.field]))
        return "".join(texts), None

    def encoded(self, component: Component, value: object) -> str:
        try:
            return component.encoder.encode(value)
        except _TROUBLE as error:
            raise KeyValueError(f"{self.where}, field {component.field}: {error}") from None

    def line(self, prefix: str, component: Component) -> Line:
        """Where the values of ``component`` lie, after ``prefix``."""
        if self.attribute.type == "N":
            return NumberLine(whole=not component.encoder.fractions)
        if self.attribute.type == "B":
            return BinaryLine()
        return TextLine(prefix, component.follow)

    def explain(self, values: Values) -> TablewrightError | None:
        """Why ``values`` have no key, if it is for this part."""
        for piece in self.pieces:
            if isinstance(piece, str):
                continue
            if values.get(piece.field) is None:
                said = "is None" if piece.field in values else "is not given"
                return KeyValueError(
                    f"{self.where}: field {piece.field} {said}, and the key attribute "
                    f"{self.attribute.name} ({self.template.text}) is made of it"
                )
            try:
                self.encoded(piece, values[piece.field])
            except KeyValueError as error:
                return error
        return None

    def measure(self, text: str) -> None:
        """KeyValueError if ``text`` is too long for the attribute."""
        size = len(text.encode())
        if size > self.limit:
            raise KeyValueError(
                f"{self.where}: the key attribute {self.attribute.name} ({self.template.text}) "
                f"would have {size} bytes; {self.limit} is the most that DynamoDB allows"
            )

    def _strange(self, av: AttributeValue) -> DataError:
        return DataError(
            f"{self.where}: the key attribute {self.attribute.name} holds {av}, which does not "
            f"fit its template {self.template.text!r}"
        )


def make_part(
    attribute: KeyAttribute,
    text: str,
    fields: Mapping[str, FieldDef],
    delimiter: str,
    *,
    raw: bool,
    sort: bool,
    where: str,
) -> KeyPart:
    """Compile one template for one key attribute."""
    at = f"{where}, attribute {attribute.name}"
    template = parse_template(text, at)
    slot = template.single
    known = None if slot is None else fields.get(slot.field)
    plain = known is not None and known.attribute == attribute.name
    pieces: tuple[str | Component, ...]
    if slot is not None and (plain or attribute.type != "S"):
        pieces = (stored_component(slot, fields, attribute.type, at),)
    elif attribute.type != "S":
        raise ModelError(
            f"{at}: an attribute of type {attribute.type} holds one field and nothing else, such "
            f"as {{{next(iter(fields), 'field')}}}; {text!r} is more"
        )
    else:
        pieces = components(template, fields, delimiter, raw, at)
    limit = MAX_SORT_BYTES if sort else MAX_PARTITION_BYTES
    return KeyPart(attribute, template, template.fields, plain, where, pieces, limit)


# --- compiling ---------------------------------------------------------------------------


def compile_encode(parts: Sequence[KeyPart]) -> Callable[[Values], Item]:
    """A function that gives all attributes of these parts."""
    names: dict[str, Any] = {"_TROUBLE": _TROUBLE, "_explained": _explained, "_parts": parts}
    texts, checks, attributes = [], [], []
    for number, part in enumerate(parts):
        text = f"t{number}"
        texts.append(f"{text} = {_source(part, names)}")
        if part.fields and part.attribute.type == "S":
            names[f"m{number}"] = part.measure
            # A character has at most four bytes.
            checks.append(f"if len({text}) > {part.limit // 4}: m{number}({text})")
        attributes.append(f"{part.attribute.name!r}: {{{part.attribute.type!r}: {text}}}")
    lines = [
        "def encode(values):",
        "    try:",
        *(f"        {line}" for line in texts),
        "    except _TROUBLE as error:",
        "        raise _explained(_parts, values, error) from error",
        *(f"    {line}" for line in checks),
        f"    return {{{', '.join(attributes)}}}",
    ]
    exec("\n".join(lines), names)
    encode: Callable[[Values], Item] = names["encode"]
    return encode


def _source(part: KeyPart, names: dict[str, Any]) -> str:
    """The expression for the text of one part: literals and f-strings, which Python joins."""
    pieces = []
    for piece in part.pieces:
        if isinstance(piece, str):
            pieces.append(repr(piece))
        else:
            name = f"e{len(names)}"
            names[name] = piece.encoder.encode
            pieces.append(f"f'{{{name}(values[\"{piece.field}\"])}}'")
    return " ".join(pieces)


def _explained(parts: Sequence[KeyPart], values: Values, error: Exception) -> Exception:
    for part in parts:
        if (reason := part.explain(values)) is not None:
            return reason
    return error
