"""What bodies of requests have in common: texts, times, and how examples are given."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
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


def _text(value: object) -> object:
    """A time is a text; a number would be one too, of seconds or milliseconds as it happens."""
    if not isinstance(value, str | datetime):
        raise ValueError("must be a time with its zone, such as 2026-12-04T17:00:00Z")
    return value


def _in_steps(micros: int) -> Callable[[datetime], datetime]:
    def kept(moment: datetime) -> datetime:
        if not 1970 <= moment.year <= 9000:
            raise ValueError("must be between the years 1970 and 9000")
        found = moment.astimezone(UTC)
        return found.replace(microsecond=found.microsecond // micros * micros)

    return kept


#: With its zone; kept in UTC and in whole seconds.
Seconds: TypeAlias = Annotated[
    AwareDatetime, Strict(False), BeforeValidator(_text), AfterValidator(_in_steps(1_000_000))
]
#: The same in whole milliseconds.
Millis: TypeAlias = Annotated[
    AwareDatetime, Strict(False), BeforeValidator(_text), AfterValidator(_in_steps(1000))
]
