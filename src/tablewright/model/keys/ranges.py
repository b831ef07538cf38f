"""Ranges of values as ranges of key text.

A query can put one condition on a sort attribute, and the only one with two ends, BETWEEN, takes
both ends in. A range of values is often neither: it has to stay inside the prefix of its kind of
item (``ORDER#``), an end may be excluded, and a component may have others after it
(``ORDER#{placed_at}#{order_id}``). So each end is moved to a text which no key of the template can
be, and which lies exactly between the keys wanted and those not wanted. With ``t`` the text of the
component and ``#`` what follows it:

===========  =====================================  ===========================================
end          component is the last                  something follows
===========  =====================================  ===========================================
``ge``       ``t``                                  ``t``
``gt``       ``t`` and U+0000                       ``t$``: ``$`` is next after ``#``
``le``       ``t``                                  ``t$``
``lt``       ``t`` with its last character lowered by one, and U+10FFFF, which no key holds
open         the prefix alone; the prefix and U+10FFFF
===========  =====================================  ===========================================

This is exact because the encoders keep the order of values, and because no text of a component,
continued by what follows, passes the next text (:func:`components._checked` sees to that).
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, NamedTuple, Protocol, TypeAlias

from tablewright.model.errors import KeyValueError, RequestError
from tablewright.model.keys.digits import next_above, next_below
from tablewright.model.keys.encoders import Encoder, Outside
from tablewright.model.keys.escapes import LAST_CHARACTER
from tablewright.values import MAX_MAGNITUDE, AttributeValue, compare, format_number

Operator: TypeAlias = Literal["begins_with", "between", "<", "<=", ">", ">="]

MAX_SORT_BYTES = 1024


@dataclass(frozen=True)
class Bounds:
    """A range of one component's values; what is None is open."""

    field: str
    ge: object = None
    gt: object = None
    le: object = None
    lt: object = None
    begins_with: str | None = None


class SortTerm(NamedTuple):
    """The condition on one sort attribute."""

    attribute: str
    operator: Operator
    values: tuple[AttributeValue, ...]


class Line(Protocol):
    """The order of one sort attribute, along which the texts of a component lie."""

    #: The lowest and the highest value that a key of the template may have; None if any.
    floor: AttributeValue | None
    ceiling: AttributeValue | None
    #: Whether a key ends with the component's text.
    ends: bool

    def at(self, text: str) -> AttributeValue:
        """The lowest key with ``text``."""

    def through(self, text: str) -> AttributeValue:
        """Not below any key with ``text``, and below all higher ones."""

    def after(self, text: str) -> AttributeValue | None:
        """Above all keys with ``text``, and not above any higher one."""

    def before(self, text: str) -> AttributeValue | None:
        """Below all keys with ``text``, and not below any lower one; None if there is none."""


class TextLine:
    """A text attribute: ``prefix``, the component, and what follows it (None: nothing)."""

    def __init__(self, prefix: str, follow: str | None) -> None:
        self._prefix = prefix
        self.ends = follow is None
        self._next = "" if follow is None else _raised(follow[0]) if follow else LAST_CHARACTER
        self.floor: AttributeValue | None = {"S": prefix} if prefix else None
        self.ceiling: AttributeValue | None = {"S": prefix + LAST_CHARACTER} if prefix else None

    def at(self, text: str) -> AttributeValue:
        return {"S": self._prefix + text}

    def through(self, text: str) -> AttributeValue:
        return {"S": self._prefix + text + self._next}

    def after(self, text: str) -> AttributeValue:
        return {"S": self._prefix + text + (self._next or "\0")}

    def before(self, text: str) -> AttributeValue | None:
        start, last = text[:-1], text[-1]
        if last == "\0":
            # Only what `text` goes on from is lower and begins the same.
            return {"S": self._prefix + start} if start else None
        return {"S": self._prefix + start + _lowered(last) + LAST_CHARACTER}


class NumberLine:
    """A number attribute; the texts are numbers."""

    floor: AttributeValue | None = None
    ceiling: AttributeValue | None = None
    ends = True

    def __init__(self, whole: bool) -> None:
        self._whole = whole

    def at(self, text: str) -> AttributeValue:
        return {"N": text}

    def through(self, text: str) -> AttributeValue:
        return {"N": text}

    def after(self, text: str) -> AttributeValue | None:
        return _number(int(text) + 1 if self._whole else next_above(Decimal(text)))

    def before(self, text: str) -> AttributeValue | None:
        return _number(int(text) - 1 if self._whole else next_below(Decimal(text)))


class BinaryLine:
    """A binary attribute; the texts are base64."""

    floor: AttributeValue | None = None
    ceiling: AttributeValue | None = None
    ends = True

    def at(self, text: str) -> AttributeValue:
        return {"B": text}

    def through(self, text: str) -> AttributeValue:
        return {"B": text}

    def after(self, text: str) -> AttributeValue:
        return _binary(b64decode(text) + b"\0")

    def before(self, text: str) -> AttributeValue | None:
        *start, last = b64decode(text)
        if last:
            return _binary(bytes((*start, last - 1)).ljust(MAX_SORT_BYTES, b"\xff"))
        return _binary(bytes(start)) if start else None


def _raised(character: str) -> str:
    # The numbers between are halves of pairs, not characters.
    return "\ue000" if character == "\ud7ff" else chr(ord(character) + 1)


def _lowered(character: str) -> str:
    return "\ud7ff" if character == "\ue000" else chr(ord(character) - 1)


def _number(value: int | Decimal) -> AttributeValue | None:
    number = Decimal(value)
    return {"N": format_number(number)} if number.adjusted() <= MAX_MAGNITUDE else None


def _binary(value: bytes) -> AttributeValue:
    return {"B": b64encode(value).decode()}


# --- from bounds to a condition ----------------------------------------------------------


class _End(NamedTuple):
    text: str
    included: bool


class EmptyRange(Exception):
    """No value is inside the bounds."""


def sort_term(
    attribute: str, line: Line, encoder: Encoder, bounds: Bounds, where: str
) -> SortTerm | None:
    """The condition that selects the values inside ``bounds``; None if all of them are.

    :class:`EmptyRange` if there can be none.
    """
    try:
        if bounds.begins_with is not None:
            return _beginning(attribute, line, encoder, bounds, where)
        if not encoder.ordered:
            raise RequestError(
                f"{where}, field {bounds.field}: the key does not keep the order of its values, so "
                "it cannot be read by range; give a width such as {n:012d}, or another delimiter"
            )
        return _between(attribute, line, _lower(encoder, bounds), _upper(encoder, bounds))
    except (ValueError, TypeError, OverflowError) as error:
        raise KeyValueError(f"{where}, range of {bounds.field}: {error}") from None


def check_bounds(bounds: Bounds, where: str) -> bool:
    """Whether there is any bound; RequestError if two of them say the same thing twice."""
    low = bounds.ge is not None and bounds.gt is not None
    high = bounds.le is not None and bounds.lt is not None
    if low or high:
        names = "ge and gt" if low else "le and lt"
        raise RequestError(f"{where}, range of {bounds.field}: {names} are both given; choose one")
    ends = [bounds.ge, bounds.gt, bounds.le, bounds.lt]
    some = any(end is not None for end in ends)
    if some and bounds.begins_with is not None:
        raise RequestError(
            f"{where}, range of {bounds.field}: begins_with cannot be mixed with other bounds"
        )
    return some or bool(bounds.begins_with)


def _beginning(
    attribute: str, line: Line, encoder: Encoder, bounds: Bounds, where: str
) -> SortTerm:
    start = bounds.begins_with or ""
    if encoder.begin is None or not isinstance(line, TextLine):
        raise RequestError(
            f"{where}, field {bounds.field}: {encoder.what} has no beginning in a key; use ge, lt"
        )
    return SortTerm(attribute, "begins_with", (line.at(encoder.begin(start)),))


def _lower(encoder: Encoder, bounds: Bounds) -> _End | None:
    value = bounds.gt if bounds.ge is None else bounds.ge
    if value is None:
        return None
    place = encoder.place(value)
    if place is Outside.BELOW:
        return None
    if place is Outside.ABOVE:
        raise EmptyRange
    assert not isinstance(place, Outside)
    # A bound between two texts is above the first of them, whether or not it is included.
    return _End(place.text, place.exact and bounds.ge is not None)


def _upper(encoder: Encoder, bounds: Bounds) -> _End | None:
    value = bounds.lt if bounds.le is None else bounds.le
    if value is None:
        return None
    place = encoder.place(value)
    if place is Outside.ABOVE:
        return None
    if place is Outside.BELOW:
        raise EmptyRange
    assert not isinstance(place, Outside)
    return _End(place.text, not place.exact or bounds.le is not None)


def _between(attribute: str, line: Line, lower: _End | None, upper: _End | None) -> SortTerm | None:
    if lower is not None and upper is None and line.ceiling is None:
        if line.ends:
            return SortTerm(attribute, ">=" if lower.included else ">", (line.at(lower.text),))
        return SortTerm(attribute, ">=", (_first(line, lower),))
    if upper is not None and lower is None and line.floor is None:
        if upper.included:
            return SortTerm(attribute, "<=", (line.through(upper.text),))
        return SortTerm(attribute, "<", (line.at(upper.text),))
    first = line.floor if lower is None else _first(line, lower)
    last = line.ceiling if upper is None else _last(line, upper)
    if first is None or last is None:
        # Every value is inside, and there is no prefix to stay in.
        return None
    if (compare(first, last) or 0) > 0:
        raise EmptyRange
    return SortTerm(attribute, "between", (first, last))


def _first(line: Line, end: _End) -> AttributeValue:
    value = line.at(end.text) if end.included else line.after(end.text)
    if value is None:
        raise EmptyRange
    return value


def _last(line: Line, end: _End) -> AttributeValue:
    value = line.through(end.text) if end.included else line.before(end.text)
    if value is None:
        raise EmptyRange
    return value
