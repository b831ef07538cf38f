"""What bodies of requests have in common: texts, times, and how examples are given."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, ConfigDict, Field, Strict

#: What one line must not have: signs that steer terminals, or end the line.
PLAIN = r"^[^\x00-\x1f\x7f-\x9f]*$"
#: The same for texts of several lines.
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"


def shown(**example: Any) -> ConfigDict:
    """The settings of a request's body: nothing unknown, nothing guessed, and one example.

    What is refused is not repeated in the answer: it may be a person's.
    """
    return ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        hide_input_in_errors=True,
        json_schema_extra={"examples": [example]},
    )


# --- texts ---------------------------------------------------------------------------------------


def _trimmed(text: object) -> object:
    return " ".join(unicodedata.normalize("NFC", text).split()) if isinstance(text, str) else text


def _visible(text: str) -> str:
    """Signs that cannot be seen make two names of one, or turn a line around."""
    if any(
        unicodedata.category(each) in ("Cf", "Cs", "Co") and each not in "\u200c\u200d"
        for each in text
    ):
        raise ValueError("must not have signs that cannot be seen")
    return text


def line(least: int, most: int) -> tuple[BeforeValidator, Any, AfterValidator]:
    """One line, with single spaces: ``Annotated[str, *line(1, 60)]``."""
    return (
        BeforeValidator(_trimmed),
        Field(min_length=least, max_length=most, pattern=PLAIN),
        AfterValidator(_visible),
    )


# --- times ---------------------------------------------------------------------------------------


# A number would be a time too, also in a text: of seconds or milliseconds, as it happens.
_BEGINS_WITH_A_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def _time(value: object) -> object:
    if isinstance(value, datetime) or (isinstance(value, str) and _BEGINS_WITH_A_DAY.match(value)):
        return value
    raise ValueError("must be a time with its zone, such as 2026-12-04T17:00:00Z")


def _day(value: object) -> object:
    # A datetime is a date, and was not meant.
    if type(value) is date or (isinstance(value, str) and _BEGINS_WITH_A_DAY.fullmatch(value)):
        return value
    raise ValueError("must be a day, such as 2026-12-04")


def _in_steps(micros: int) -> Callable[[datetime], datetime]:
    def kept(moment: datetime) -> datetime:
        if not 1970 <= moment.year <= 9000:
            raise ValueError("must be between the years 1970 and 9000")
        found = moment.astimezone(UTC)
        return found.replace(microsecond=found.microsecond // micros * micros)

    return kept


#: With its zone; kept in UTC and in whole seconds.
Seconds: TypeAlias = Annotated[
    AwareDatetime, Strict(False), BeforeValidator(_time), AfterValidator(_in_steps(1_000_000))
]
#: The same in whole milliseconds.
Millis: TypeAlias = Annotated[
    AwareDatetime, Strict(False), BeforeValidator(_time), AfterValidator(_in_steps(1000))
]
#: A day, by whichever calendar the reader has.
Day: TypeAlias = Annotated[date, Strict(False), BeforeValidator(_day)]
