"""What an attribute holds, judged by its values: the narrowest type that gives each back exactly.

A type is only taken if all values have its one form, since another form would be rewritten when an
entity is stored again: ``2026-01-31T12:00:00+00:00`` stays a text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal

from tablewright.adopt.drafts import Kind
from tablewright.values import AttributeValue

_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}").fullmatch
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}").fullmatch
#: Code words: all small or all capital letters. Names of people and places are neither.
_WORD = re.compile(r"[a-z][a-z0-9_-]{0,31}|[A-Z][A-Z0-9_-]{0,31}").fullmatch
_TIMELY = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:at|on|time|timestamp|ts|date|when|since|until|expires|expiry|ttl|"
    r"created|updated|modified|started|ended|epoch)(?:$|_|[A-Z])",
    re.IGNORECASE,
).search
_PERSONAL = re.compile(
    r"mail|phone|mobile|(?:^|_|first|last|full|sur|given|family|user|display|nick)_?name$|"
    r"address|street|city|postcode|zip|country|birth|gender|sex$|religion|nationality|passport|"
    r"(?:^|_)ssn$|(?:^|_)ip(?:_|$)",
    re.IGNORECASE,
).search

#: An enumeration has so many members at most, each so often on average, among so many values.
_MEMBERS, _OFTEN, _VALUES = 12, 5, 20
#: Whole numbers that are moments between 2001 and 2100.
_SECONDS = range(1_000_000_000, 4_102_444_800)
_MILLIS = range(1_000_000_000_000, 4_102_444_800_000)

_TEXT = Kind("str")
_FLAT = {"BOOL": "bool", "B": "bytes", "SS": "set[str]", "BS": "set[bytes]"}


def is_personal(name: str) -> bool:
    """Whether an attribute of this name holds personal data, as far as a name tells."""
    return _PERSONAL(name) is not None


def kind_of(name: str, values: Sequence[AttributeValue], *, ends: bool = False) -> Kind | None:
    """The type of an attribute; None if no type gives all values back.

    ``ends`` is for the table's time to live, of which the service wants whole seconds.
    """
    kinds = {kind for value in values for kind in value}
    if "NULL" in kinds or not kinds:
        # A None is an absent attribute, so NULL would be gone after the next put.
        return None
    if ends:
        return _ending(values) if kinds == {"N"} else None
    if len(kinds) > 1:
        return Kind("Any", in_keys=False)
    (kind,) = kinds
    stored = [value[kind] for value in values]
    if kind == "S":
        return _text(name, stored)
    if kind == "N":
        return _number(name, stored)
    if kind == "NS":
        return Kind(f"set[{_digits(each for many in stored for each in many)}]", in_keys=False)
    if kind in _FLAT:
        return Kind(_FLAT[kind], in_keys=kind == "B")
    return _container(kind, stored)


def _container(kind: str, stored: Sequence[object]) -> Kind:
    inside = "Any"
    held: list[AttributeValue] = []
    for each in stored:
        held += each if isinstance(each, list) else each.values() if isinstance(each, dict) else ()
    if {tag for each in held for tag in each} == {"S"}:
        inside = "str"
    elif {tag for each in held for tag in each} == {"N"}:
        inside = _digits(each["N"] for each in held)
    return Kind(f"list[{inside}]" if kind == "L" else f"dict[str, {inside}]", in_keys=False)


# --- texts ---------------------------------------------------------------------------------------


def _iso(timespec: str) -> Callable[[str], object]:
    def is_form(text: str) -> bool:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return False
        return moment.tzinfo is UTC and f"{moment.isoformat('T', timespec)[:-6]}Z" == text

    return is_form


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


_FORMS: tuple[tuple[str, Callable[[str], object]], ...] = (
    ("Ulid", _ULID),
    ("Uuid", _UUID),
    ("IsoSeconds", _iso("seconds")),
    ("IsoMillis", _iso("milliseconds")),
    ("datetime", _iso("microseconds")),
    ("date", _is_day),
)


def _text(name: str, stored: Sequence[str]) -> Kind:
    for annotation, is_form in _FORMS:
        if all(map(is_form, stored)):
            return Kind(annotation)
    members = Counter(stored)
    few = len(members) <= min(_MEMBERS, len(stored) // _OFTEN) and len(members) > 1
    if few and len(stored) >= _VALUES and all(map(_WORD, members)) and not is_personal(name):
        return Kind("Literal", members=tuple(sorted(members)))
    return _TEXT


# --- numbers -------------------------------------------------------------------------------------


def _digits(stored: Iterable[str]) -> str:
    return "int" if all(_is_whole(each) for each in stored) else "Decimal"


def _is_whole(text: str) -> bool:
    return Decimal(text) == Decimal(text).to_integral_value()


def _number(name: str, stored: Sequence[str]) -> Kind:
    if not all(map(_is_whole, stored)):
        return Kind("Decimal")
    numbers = [int(Decimal(each)) for each in stored]
    if _TIMELY(name):
        if all(number in _SECONDS for number in numbers):
            return Kind("EpochSeconds")
        if all(number in _MILLIS for number in numbers):
            return Kind("EpochMillis")
    return Kind("int")


def _ending(values: Sequence[AttributeValue]) -> Kind | None:
    stored = [value["N"] for value in values]
    if not all(map(_is_whole, stored)):
        return None
    return Kind("Ttl" if all(int(Decimal(each)) in _SECONDS for each in stored) else "int")
