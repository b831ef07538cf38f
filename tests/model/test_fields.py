"""Fields: what is read from a model's declarations."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, NewType

import pytest
from annotated_types import Ge, Le
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from tablewright.model.errors import ModelError
from tablewright.model.fields import FieldDef, field_defs
from tablewright.model.types import (
    Attribute,
    EpochSeconds,
    Stored,
    Ulid,
    UlidMark,
    Version,
    VersionMark,
)

UserId = NewType("UserId", str)


class Mark:
    pass


MARK = Mark()


class Order(BaseModel):
    order_id: Ulid
    user_id: UserId
    note: Annotated[str, MARK] | None = None
    ends: EpochSeconds | None = Field(default=None)
    amount: Annotated[int, Attribute("amt"), Field(ge=0, le=99)] = 1
    names: list[str] = Field(default_factory=list)
    kind: Literal["a", None]
    version: Version = 0
    both: int | str | None
    anything: Any
    json_: JsonValue = "x"


DEFS = field_defs(Order, None)


def marks(field: FieldDef, kind: type) -> list[object]:
    return [mark for mark in field.metadata if isinstance(mark, kind)]


def test_order_names_and_attributes() -> None:
    assert list(DEFS) == list(Order.model_fields)
    assert all(name == field.name for name, field in DEFS.items())
    assert DEFS["amount"].attribute == "amt"
    assert DEFS["names"].attribute == "names"


def test_naming_and_the_marker_that_wins_over_it() -> None:
    named = field_defs(Order, lambda name: name.upper())
    assert named["order_id"].attribute == "ORDER_ID"
    assert named["amount"].attribute == "amt"


def test_annotations_are_bare() -> None:
    assert DEFS["order_id"].annotation is str
    assert DEFS["user_id"].annotation is str
    assert DEFS["note"].annotation is str
    assert DEFS["ends"].annotation is datetime
    assert DEFS["names"].annotation == list[str]
    assert DEFS["kind"].annotation == Literal["a"]
    assert DEFS["both"].annotation == int | str


def test_metadata_comes_from_every_level() -> None:
    assert marks(DEFS["order_id"], UlidMark)
    assert marks(DEFS["note"], Mark) == [MARK]
    assert marks(DEFS["ends"], Stored) == [Stored("epoch_seconds")]
    assert marks(DEFS["version"], VersionMark)
    assert marks(DEFS["version"], Ge) == [Ge(0)]
    assert marks(DEFS["amount"], Ge) == [Ge(0)]
    assert marks(DEFS["amount"], Le) == [Le(99)]


def test_optional_and_default_are_two_things() -> None:
    optional = {name for name, field in DEFS.items() if field.optional}
    assert optional == {"note", "ends", "kind", "both", "anything", "json_"}
    required = {name for name, field in DEFS.items() if not field.has_default}
    assert required == {"order_id", "user_id", "kind", "both", "anything"}


def test_storage_is_of_the_bare_type() -> None:
    kinds = {name: field.storage.kind for name, field in DEFS.items()}
    assert kinds == {
        "order_id": "S",
        "user_id": "S",
        "note": "S",
        "ends": "N",
        "amount": "N",
        "names": "L",
        "kind": "S",
        "version": "N",
        "both": "ANY",
        "anything": "ANY",
        "json_": "ANY",
    }
    assert DEFS["note"].storage.where == "Order.note"


def test_inherited_fields_are_fields_of_the_heir() -> None:
    class Gift(Order):
        text: str

    defs = field_defs(Gift, None)
    assert list(defs) == [*Order.model_fields, "text"]
    assert defs["order_id"].storage.where == "Gift.order_id"


def test_two_fields_in_one_attribute() -> None:
    class Twice(BaseModel):
        a: int
        b: Annotated[int, Attribute("a")]

    with pytest.raises(ModelError, match=r"^Twice\.b: attribute 'a' already holds a"):
        field_defs(Twice, None)


def test_an_empty_attribute_name() -> None:
    with pytest.raises(ModelError, match=r"^Order\.order_id: its attribute name is empty"):
        field_defs(Order, lambda name: "")


def test_enum_values_hide_the_enum() -> None:
    class Hidden(BaseModel):
        model_config = ConfigDict(use_enum_values=True)
        n: int

    with pytest.raises(ModelError, match=r"^Hidden: use_enum_values"):
        field_defs(Hidden, None)


def test_a_type_that_cannot_be_stored_is_named_with_its_field() -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        z: slice

    with pytest.raises(ModelError, match=r"^Odd\.z: slice cannot be stored; use str"):
        field_defs(Odd, None)
