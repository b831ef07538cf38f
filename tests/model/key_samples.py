"""Fields, tables and values for the tests of keys."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal
from uuid import UUID

from hypothesis import strategies as st
from pydantic import Field, create_model

from tablewright.model.fields import FieldDef, field_defs
from tablewright.model.keys import BoundKey, Key, bind
from tablewright.model.table import Index, Table
from tablewright.model.types import (
    EpochMillis,
    EpochSeconds,
    IsoMillis,
    IsoSeconds,
    TimeForm,
    Ulid,
    Uuid,
    cut,
)

TABLE = Table("Things", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


def fields_of(**annotations: Any) -> dict[str, FieldDef]:
    """The fields of a model with these annotations."""
    model = create_model("Sample", **{name: (kind, ...) for name, kind in annotations.items()})
    return field_defs(model, None)


def bound(sk: str, /, *, table: Table = TABLE, raw: bool = False, **annotations: Any) -> BoundKey:
    """A primary key with the partition ``P`` and this sort template."""
    return bind("primary", Key("P", sk, raw=raw), table, fields_of(**annotations), "Sample")


def sort_text(key: BoundKey, **values: object) -> str:
    text = key.encode(values)["SK"]["S"]
    assert isinstance(text, str)
    return text


class Level(IntEnum):
    LOW = 3
    HIGH = 20
    MINUS = -7


class Status(Enum):
    NEW = "new"
    NEWER = "new er"
    PAID = "pa#id"


#: What is special to the encoding, beside all other characters.
_SPECIAL = ' !"#$%/0~\0\x7f\ud7ff\ue000\U0010fffd\U0010fffe\U0010ffffaA'
characters = st.one_of(st.sampled_from(_SPECIAL), st.characters(exclude_categories=["Cs"]))
texts = st.text(characters, min_size=1, max_size=6)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.just(UTC))
recent = st.one_of(
    st.datetimes(datetime(1971, 1, 1), datetime(2280, 1, 1), timezones=st.just(UTC)),
    st.integers(0, 3_000_000).map(
        lambda n: datetime(2026, 1, 1, 0, 0, n // 1_000_000, n % 1_000_000, UTC)
    ),
)
ulids = st.from_regex(r"\A[0-7][0-9A-HJKMNP-TV-Z]{25}\Z")
wholes = st.one_of(st.integers(-15, 15), st.integers(1 - 10**19, 10**19 - 1))


@st.composite
def decimals(draw: st.DrawFn) -> Decimal:
    """Any number that DynamoDB can hold, the small ones more often."""
    if draw(st.booleans()):
        return Decimal(draw(st.integers(-30, 30))).scaleb(draw(st.integers(-2, 2)))
    digits = Decimal(draw(st.integers(1, 10**38 - 1))).as_tuple().digits
    sign = draw(st.sampled_from((0, 1)))
    magnitude = draw(st.integers(-130, 125))
    # Put together, not reckoned: that would round to the 28 digits of the usual context.
    return Decimal((sign, digits, magnitude - len(digits) + 1))


def _cut(form: TimeForm) -> Any:
    return lambda moment: cut(moment, form)


#: name -> annotation, values
KINDS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (str, texts),
    "whole": (int, wholes),
    "padded": (Annotated[int, Field(ge=0, lt=1000)], st.integers(0, 999)),
    "decimal": (Decimal, decimals()),
    "iso_seconds": (IsoSeconds, moments.map(_cut("iso_seconds"))),
    "iso_millis": (IsoMillis, moments.map(_cut("iso_millis"))),
    "iso_micros": (datetime, moments),
    "epoch_seconds": (EpochSeconds, recent.map(_cut("epoch_seconds"))),
    "epoch_millis": (EpochMillis, recent.map(_cut("epoch_millis"))),
    "date": (date, st.dates()),
    "ulid": (Ulid, ulids),
    "uuid": (UUID, st.uuids()),
    "uuid_text": (Uuid, st.uuids().map(str)),
    "bytes": (bytes, st.binary(min_size=1, max_size=4)),
    "literal": (Literal["b", "b b", "b#b", "bb"], st.sampled_from(["b", "b b", "b#b", "bb"])),
    "int_enum": (Level, st.sampled_from(Level)),
}
