"""What the bodies of all subjects share: numbers and texts.

Scores and money are decimal. Answers have them as JSON numbers, scores with two decimals and money
with nine; requests may have them as numbers or as strings, which say exactly what is meant.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    Strict,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo

from tablewright.service.bodies import LINES, PLAIN

_TEXT = r"^-?[0-9]{1,12}(\.[0-9]{1,12})?$"
_NUMBER = re.compile(_TEXT.removesuffix("$") + r"\Z", re.ASCII)
_SCORE, _MONEY = Decimal("0.01"), Decimal("0.000000001")


def _exact(value: object) -> Decimal:
    """The number that is meant: 0.1 is a tenth, however it is written."""
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError("must be a number, or a string with one")
    text = value if isinstance(value, str) else _plain(value)
    if not _NUMBER.match(text):
        raise ValueError("must be a number of at most 12 digits, and 12 after the point")
    return Decimal(text)


def _plain(value: float) -> str:
    """Without an exponent, and without what binary fractions add at their end."""
    if isinstance(value, int) or value != value or abs(value) >= 1e12:
        return str(value)
    return f"{value:.12f}".rstrip("0").removesuffix(".")


def _rounded(step: Decimal) -> PlainSerializer:
    def number(value: Decimal) -> float:
        return float(value.quantize(step, ROUND_HALF_UP))

    return PlainSerializer(number, return_type=float, when_used="json")


#: A number in a request. Limits are put on it with ``Annotated[DecimalIn, Field(ge=0)]``.
DecimalIn: TypeAlias = Annotated[
    Decimal,
    Strict(False),
    BeforeValidator(_exact),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "string", "pattern": _TEXT}]}),
]
#: 0 to 100, 0 to 10, or a share: two decimals.
ScoreOut: TypeAlias = Annotated[Decimal, _rounded(_SCORE), WithJsonSchema({"type": "number"})]
#: US dollars: nine decimals.
UsdOut: TypeAlias = Annotated[Decimal, _rounded(_MONEY), WithJsonSchema({"type": "number"})]
#: A number as it is: weights.
NumberOut: TypeAlias = Annotated[
    Decimal,
    PlainSerializer(float, return_type=float, when_used="json"),
    WithJsonSchema({"type": "number"}),
]


# --- texts ---------------------------------------------------------------------------------------


def _said(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def spoken(least: int, most: int) -> tuple[FieldInfo, AfterValidator]:
    """What somebody says in lines of their own: ``Annotated[str, *spoken(1, 2000)]``.

    Spaces around it are neither kept nor counted.
    """

    def enough(text: str) -> str:
        if len(text.strip()) < least:
            raise ValueError(f"must have at least {least} characters")
        return text.strip()

    return Field(min_length=least, max_length=most, pattern=LINES), AfterValidator(enough)


#: Of people, organisations and things: one line that says something.
Line: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=100, pattern=PLAIN), AfterValidator(_said)
]
