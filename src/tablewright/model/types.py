"""Types of fields that say more than Python's own: how a value is stored, and what it is for.

All are ``Annotated`` aliases, so a type checker sees the plain type (``Ulid`` is a ``str``,
``EpochSeconds`` a ``datetime``), and Pydantic validates to what can be stored and read back
unchanged: times are moved to UTC and cut to the resolution of their storage form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from tablewright.model.errors import ModelError

TimeForm: TypeAlias = Literal[
    "iso_seconds", "iso_millis", "iso_micros", "epoch_seconds", "epoch_millis"
]

#: How far a form cuts, in microseconds.
_RESOLUTION: dict[TimeForm, int] = {
    "iso_seconds": 1_000_000,
    "iso_millis": 1_000,
    "iso_micros": 1,
    "epoch_seconds": 1_000_000,
    "epoch_millis": 1_000,
}


@dataclass(frozen=True)
class Stored:
    """The storage form of a ``datetime`` field."""

    form: TimeForm


@dataclass(frozen=True)
class Attribute:
    """The name of the attribute that holds a field, where it is not the field's own."""

    name: str


@dataclass(frozen=True)
class Personal:
    """Marks personal data."""


@dataclass(frozen=True)
class VersionMark:
    """Marks the field that counts the writes of an entity."""


@dataclass(frozen=True)
class ShardMark:
    """Marks the field that numbers the shards of a counter."""


@dataclass(frozen=True)
class UlidMark:
    """Marks a text as a ULID: 26 characters of fixed width, ordered by time."""


@dataclass(frozen=True)
class UuidMark:
    """Marks a text as a UUID in its canonical lower-case form."""


@dataclass(frozen=True)
class Shaped:
    """Marks a text that stands in keys as it is, delimiters included: every value has this shape.

    ``scope: Annotated[str, Shaped(r"ORG#[0-9a-f-]{36}(?:#APP#[a-z0-9_]+)?")]``. Other texts are
    escaped, so that nobody can forge a key with them; here the regular expression sees to it.
    """

    pattern: str
    _compiled: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        compiled = re.compile(self.pattern, re.DOTALL)
        if compiled.groups:
            raise ModelError(f"Shaped({self.pattern!r}): write groups as (?:...)")
        object.__setattr__(self, "_compiled", compiled)

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.checked, handler(source))

    def checked(self, text: str) -> str:
        """``text``, or a ValueError if it has another shape."""
        if self._compiled.fullmatch(text) is None:
            raise ValueError(f"{text!r} does not have the shape {self.pattern}")
        return text


def cut(moment: datetime, form: TimeForm) -> datetime:
    """``moment`` in UTC, cut to what ``form`` can hold."""
    if moment.tzinfo is None:
        raise ValueError("a time needs a zone: use datetime.now(UTC), or .replace(tzinfo=UTC)")
    moment = moment.astimezone(UTC)
    rest = moment.microsecond % _RESOLUTION[form]
    return moment.replace(microsecond=moment.microsecond - rest) if rest else moment


def _cutter(form: TimeForm) -> Callable[[datetime], datetime]:
    return lambda moment: cut(moment, form)


_ULID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z").match
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z").match


def _ulid(text: object) -> object:
    return text.upper() if isinstance(text, str) else text


def _checked_ulid(text: str) -> str:
    if not _ULID(text):
        raise ValueError("not a ULID: 26 characters of Crockford's base 32 are expected")
    return text


def _uuid(text: object) -> object:
    # UUID objects are welcome; the text is what is stored.
    return str(text).lower()


def _checked_uuid(text: str) -> str:
    if not _UUID(text):
        raise ValueError("not a UUID: 32 hexadecimal digits in five groups are expected")
    return text


#: ``2026-01-31T12:00:00Z``
IsoSeconds: TypeAlias = Annotated[
    datetime, Stored("iso_seconds"), AfterValidator(_cutter("iso_seconds"))
]
#: ``2026-01-31T12:00:00.000Z``
IsoMillis: TypeAlias = Annotated[
    datetime, Stored("iso_millis"), AfterValidator(_cutter("iso_millis"))
]
#: The number 1769860800
EpochSeconds: TypeAlias = Annotated[
    datetime, Stored("epoch_seconds"), AfterValidator(_cutter("epoch_seconds"))
]
#: The number 1769860800000
EpochMillis: TypeAlias = Annotated[
    datetime, Stored("epoch_millis"), AfterValidator(_cutter("epoch_millis"))
]
#: When the item ends. The field's attribute is the table's ``ttl``; see :class:`Table`.
Ttl: TypeAlias = EpochSeconds

Ulid: TypeAlias = Annotated[str, UlidMark(), BeforeValidator(_ulid), AfterValidator(_checked_ulid)]
Uuid: TypeAlias = Annotated[str, UuidMark(), BeforeValidator(_uuid), AfterValidator(_checked_uuid)]

#: Optimistic locking: ``version: Version = 0``. 0 is an entity that was never stored.
Version: TypeAlias = Annotated[int, VersionMark(), Field(ge=0)]
#: The number of a counter's shard: ``shard: Shard = 0``.
Shard: TypeAlias = Annotated[int, ShardMark(), Field(ge=0, le=999)]
