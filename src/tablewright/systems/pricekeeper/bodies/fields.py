"""The fields that bodies are made of: which values are accepted, and how they are understood."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from tablewright.service.names import clean_text, is_blank
from tablewright.systems.pricekeeper.rules.ids import MAX_MODEL_ID, is_model_id

#: Tokens of one kind in one request. No model comes near; the cost of a row stays in its bounds.
MAX_TOKENS = 10**9
#: A million dollars for one request.
MAX_CLIENT_COST = 10**12
_LAST_SECOND = 253_370_764_799

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z").match


class In(BaseModel):
    """A body that is sent to us. What it does not know is refused: a typing error costs money.

    So is ``"8"`` or ``true`` for a number. What people type into forms is read with
    ``strict=False``.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Out(BaseModel):
    """A body that we send."""

    model_config = ConfigDict(frozen=True)


def _uuid(text: object) -> str:
    if isinstance(text, str) and _UUID(text):
        return text.lower()
    raise ValueError("is not a UUID such as 0199d5c4-9b1a-7c3e-8f00-2b7d6a1e4c55")


def _epoch(moment: object) -> int:
    """Whole seconds since 1970, of a number or of a text with a zone."""
    if isinstance(moment, str):
        return _within(_read(moment).timestamp())
    if isinstance(moment, int | float) and not isinstance(moment, bool):
        return _within(moment)
    raise ValueError("is neither a time such as 2026-11-15T12:00:00Z nor seconds since 1970")


def _read(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("is not a time such as 2026-11-15T12:00:00Z") from None
    if found.tzinfo is None:
        raise ValueError("needs a zone: 2026-11-15T12:00:00Z, or +01:00 in place of the Z")
    return found


def _within(seconds: float) -> int:
    if not 0 <= seconds <= _LAST_SECOND:  # also what is no number at all
        raise ValueError("lies outside the years 1970 to 9998")
    return int(seconds)


def _exact(model_id: str) -> str:
    if not is_model_id(model_id):
        raise ValueError("is not a model's id: letters, digits and . _ : / + - only")
    return model_id


def iso(epoch: float) -> datetime:
    """A moment, as bodies tell it."""
    return datetime.fromtimestamp(epoch, UTC)


#: Any UUID, in small letters.
UuidText: TypeAlias = Annotated[
    str, BeforeValidator(_uuid), WithJsonSchema({"type": "string", "format": "uuid"})
]
#: Whole seconds since 1970; sent as a number, or as a text with a zone.
Moment: TypeAlias = Annotated[
    int,
    BeforeValidator(_epoch),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "integer", "minimum": 0, "maximum": _LAST_SECOND},
            ],
            "examples": ["2026-11-15T12:00:00Z"],
        }
    ),
]
#: A time with a zone, as it stands in an address; a number is none.
MomentText: TypeAlias = Annotated[
    datetime,
    BeforeValidator(_read),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
TokenCount: TypeAlias = Annotated[int, Field(ge=0, le=MAX_TOKENS, strict=True)]
#: Millionths of a dollar.
MicroUsd: TypeAlias = Annotated[int, Field(ge=0, le=10**15, strict=True)]
ModelIdText: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=MAX_MODEL_ID), AfterValidator(_exact)
]


def _visible(text: str) -> str:
    if is_blank(text):
        raise ValueError("has nothing that can be seen: enter a text")
    return clean_text(text)


#: One line, for people: it stands in lists, mails and files.
LineText: TypeAlias = Annotated[
    str, Field(min_length=1, pattern=r"^[^\x00-\x1f\x7f]+$"), AfterValidator(_visible)
]
#: Any text: whether it is a label is for the directory to say, and none of another shape is one.
LabelText: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Window: TypeAlias = Literal["DAY", "WEEK", "MONTH"]
Level: TypeAlias = Literal["ORG", "APP"]
#: A day of the organisation's calendar, as bodies tell it: ``2026-11-15``.
DayText: TypeAlias = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]


def day_text(day: str) -> str:
    """``20261115`` as ``2026-11-15``."""
    return f"{day[:4]}-{day[4:6]}-{day[6:]}"
