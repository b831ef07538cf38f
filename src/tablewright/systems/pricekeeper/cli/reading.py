"""What is typed or lies in a file, as bodies: amounts of money, settings, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.typed import STDIN, file_name

if TYPE_CHECKING:
    from tablewright.service.commands import Desk

#: No document that is read as a whole is larger.
_MOST_BYTES = 16 * 1024 * 1024
_REMOVED = object()


def limits(option: str, texts: Sequence[str] | None, stored: Mapping[str, int | None]) -> object:
    """Limits as they will be: ``premium=25.50`` in dollars, ``=none`` unlimited, ``=`` removed."""
    found: dict[str, object] = dict(stored)
    for text in texts or ():
        label, equals, amount = text.partition("=")
        if not equals or not label:
            raise invalid(FieldError(option, f"{text!r} is not LABEL=DOLLARS, such as premium=25"))
        found[label] = _REMOVED if not amount else _limit(option, amount)
    return {label: each for label, each in found.items() if each is not _REMOVED}


def _limit(option: str, text: str) -> int | None:
    return None if text.lower() in ("none", "unlimited") else micros(option, text)


def micros(option: str, text: str, *, signed: bool = False) -> int:
    """Parse dollars as millionths of one, exactly."""
    from tablewright.service.amounts import AmountError, parse_amount

    try:
        return int(parse_amount(text, decimals=6, currency="USD", signed=signed).scaleb(6))
    except AmountError as error:
        raise invalid(FieldError(option, f"{text!r}: {error}")) from None


def settings(option: str, texts: Sequence[str] | None) -> dict[str, object]:
    """``late_window_hours=72``: a value is JSON, or else a text."""
    found: dict[str, object] = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise invalid(FieldError(option, f"{text!r} is not NAME=VALUE"))
        try:
            found[name.replace("-", "_")] = orjson.loads(value)
        except orjson.JSONDecodeError:
            found[name.replace("-", "_")] = value
    return found


def names(text: str) -> list[str]:
    """``premium,standard`` as a list."""
    return [each for each in (part.strip() for part in text.split(",")) if each]


def document(file: Path, desk: Desk) -> object:
    """The JSON document in a file, or on standard input for ``-``."""
    raw = whole(file, desk)
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise Problem(
            400, "MALFORMED", f"{file_name(file)} is no JSON document: {error}."
        ) from None


def mapping(file: Path, desk: Desk) -> dict[str, object]:
    """The same, of one that has to be an object."""
    found = document(file, desk)
    if not isinstance(found, dict):
        raise Problem(400, "MALFORMED", f"{file_name(file)} is no JSON object.")
    return found


def whole(file: Path, desk: Desk) -> bytes:
    """All of a file that is not meant to be large."""
    if file == STDIN:
        raw = desk.stdin.read(_MOST_BYTES + 1)
    else:
        with file.open("rb") as opened:
            raw = opened.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise Problem(413, "TOO_LARGE", f"{file_name(file)} has more than {_MOST_BYTES} bytes.")
    return raw


def day(option: str, text: str | None) -> str | None:
    """``2026-11-15`` as days are stored."""
    from tablewright.systems.pricekeeper.rules.periods import read_day

    if text is None:
        return None
    found = read_day(text)
    if found is None:
        raise invalid(FieldError(option, f"{text!r} is not a day such as 2026-11-15"))
    return found


def days(first: str | None, last: str | None) -> tuple[str | None, str | None]:
    """Both ends of a range of days; an end that is not given is open."""
    found = day("--from", first), day("--to", last)
    if found[0] and found[1] and found[0] > found[1]:
        raise invalid(FieldError("--from", "lies after --to"))
    return found
