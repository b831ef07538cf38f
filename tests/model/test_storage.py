"""Storages: which types have which form, what they hold inside, and which are refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, localcontext
from enum import Enum, IntFlag, StrEnum
from ipaddress import IPv4Address
from pathlib import PurePosixPath
from typing import Annotated, Any, Generic, Literal, TypeVar
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, HttpUrl, JsonValue, RootModel, SecretStr

from tablewright.model.errors import DataError, ModelError, RequestError
from tablewright.model.storage import storage_of
from tablewright.model.types import (
    Attribute,
    EpochMillis,
    EpochSeconds,
    IsoMillis,
    IsoSeconds,
    Ulid,
    Uuid,
)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Flags(IntFlag):
    A = 1
    B = 2


class Digest(Enum):
    NONE = b""
    ONE = b"\x01"


class City(BaseModel):
    name: str
    code: Annotated[int, Attribute("c")] = 0


class Address(BaseModel):
    city: City
    lines: list[str] = []


@dataclass(frozen=True)
class Pair:
    left: int
    right: City | None = None


class Cat(BaseModel):
    kind: Annotated[Literal["cat"], Attribute("k")] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Annotated[Literal["dog"], Attribute("k")] = "dog"
    name: str


MOMENT = datetime(2026, 1, 31, 12, 0, 0, 123456, tzinfo=UTC)


@pytest.mark.parametrize(
    ("annotation", "value", "av"),
    [
        (str, "", {"S": ""}),
        (Ulid, "0" * 26, {"S": "0" * 26}),
        (Uuid, "a", {"S": "a"}),
        (int, -5, {"N": "-5"}),
        (Decimal, Decimal("1.50"), {"N": "1.5"}),
        (Decimal, Decimal("-0"), {"N": "0"}),
        (float, 0.1, {"N": "0.1"}),
        (float, -0.0, {"N": "0"}),
        (float, 1e-7, {"N": "0.0000001"}),
        (float, 3.0, {"N": "3"}),
        (bool, True, {"BOOL": True}),
        (bytes, b"\x00", {"B": "AA=="}),
        (datetime, MOMENT, {"S": "2026-01-31T12:00:00.123456Z"}),
        (datetime, MOMENT.replace(microsecond=0), {"S": "2026-01-31T12:00:00.000000Z"}),
        (IsoSeconds, MOMENT.replace(microsecond=0), {"S": "2026-01-31T12:00:00Z"}),
        (IsoMillis, MOMENT.replace(microsecond=5000), {"S": "2026-01-31T12:00:00.005Z"}),
        (EpochSeconds, MOMENT.replace(microsecond=0), {"N": "1769860800"}),
        (EpochMillis, MOMENT.replace(microsecond=5000), {"N": "1769860800005"}),
        (EpochSeconds, datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC), {"N": "-1"}),
        (date, date(2026, 1, 31), {"S": "2026-01-31"}),
        (time, time(9, 30), {"S": "09:30:00"}),
        (timedelta, timedelta(days=-1, microseconds=1), {"N": "-86399.999999"}),
        (UUID, UUID(int=1), {"S": "00000000-0000-0000-0000-000000000001"}),
        (Colour, Colour.RED, {"S": "red"}),
        (Flags, Flags.A | Flags.B, {"N": "3"}),
        (Digest, Digest.ONE, {"B": "AQ=="}),
        (Literal["a", "b"], "b", {"S": "b"}),
        (Literal[True], True, {"BOOL": True}),
        (Literal[Colour.RED], Colour.RED, {"S": "red"}),
        (HttpUrl, HttpUrl("https://a.example/x"), {"S": "https://a.example/x"}),
        (IPv4Address, IPv4Address("10.0.0.1"), {"S": "10.0.0.1"}),
        (PurePosixPath, PurePosixPath("/a"), {"S": "/a"}),
        (set[str], {"b", "a"}, {"SS": ["a", "b"]}),
        (frozenset[Decimal], frozenset({Decimal("1.0")}), {"NS": ["1"]}),
        (set[bytes], {b"a"}, {"BS": ["YQ=="]}),
        (set[Colour], {Colour.RED}, {"SS": ["red"]}),
        (set[UUID], {UUID(int=0)}, {"SS": ["00000000-0000-0000-0000-000000000000"]}),
        (list, [1, None], {"L": [{"N": "1"}, {"NULL": True}]}),
        (Sequence[int], [1], {"L": [{"N": "1"}]}),
        (tuple[int, ...], (1, 2), {"L": [{"N": "1"}, {"N": "2"}]}),
        (tuple, ("a",), {"L": [{"S": "a"}]}),
        (tuple[int, str], (1, "a"), {"L": [{"N": "1"}, {"S": "a"}]}),
        (tuple[()], (), {"L": []}),
        (dict, {"a": None}, {"M": {"a": {"NULL": True}}}),
        (Mapping[Colour, int], {Colour.RED: 1}, {"M": {"red": {"N": "1"}}}),
        (City, City(name="x"), {"M": {"name": {"S": "x"}, "c": {"N": "0"}}}),
        (Pair, Pair(1), {"M": {"left": {"N": "1"}}}),
        (Cat | Dog, Dog(name="x"), {"M": {"k": {"S": "dog"}, "name": {"S": "x"}}}),
        (str | int, 1, {"N": "1"}),
        (bool | int, True, {"BOOL": True}),
        (bool | int, 1, {"N": "1"}),
        (list[int] | str, [1], {"L": [{"N": "1"}]}),
        (int | Decimal, Decimal("1.5"), {"N": "1.5"}),
        (Decimal | int, 2, {"N": "2"}),
        (int | float, 1.5, {"N": "1.5"}),
        # Not 84386041716419980, its shortest text, which would be another int.
        (int | float, 8.438604171641998e16, {"N": "84386041716419984"}),
        (int | float, 1e40, {"N": "1" + "0" * 40}),
        (Any, {"a": [b"x", {"y"}]}, {"M": {"a": {"L": [{"B": "eA=="}, {"SS": ["y"]}]}}}),
        (Any, {1, Decimal("1.5")}, {"NS": ["1", "1.5"]}),
        (JsonValue, {"a": [1.5, None]}, {"M": {"a": {"L": [{"N": "1.5"}, {"NULL": True}]}}}),
    ],
)
def test_forms(annotation: Any, value: Any, av: dict[str, Any]) -> None:
    storage = storage_of(annotation, (), "Order.x")
    assert storage.encode(value) == av
    back = storage.decode(av)
    assert back == value
    # bool and int, or Decimal and float, are equal too easily.
    assert type(back) is type(value) or isinstance(value, float)
    assert storage.kind in (*av, "ANY")


def test_untyped_numbers() -> None:
    anything = storage_of(Any)
    assert type(anything.decode({"N": "9007199254740993"})) is int
    assert anything.decode({"N": "9007199254740993"}) == 9007199254740993
    assert type(anything.decode({"N": "0.5"})) is Decimal
    assert type(storage_of(JsonValue).decode({"N": "0.5"})) is float
    assert anything.encode(0.5) == {"N": "0.5"}


def test_a_whole_number_too_large_to_stand_beside_floats() -> None:
    with pytest.raises(RequestError, match=r"^Order\.x: .*at most 38 digits"):
        storage_of(int | float, (), "Order.x").encode(10**38)
    assert storage_of(int | Decimal).encode(10**38) == {"N": "1" + "0" * 38}


@pytest.mark.parametrize("annotation", [str, set[str], City, Any, list[int] | str, str | None])
def test_none_is_no_attribute(annotation: Any) -> None:
    assert storage_of(annotation).encode(None) is None


def test_an_empty_set_is_no_attribute() -> None:
    assert storage_of(set[int]).encode(set()) is None
    assert storage_of(Any).encode(set()) is None


@pytest.mark.parametrize(
    ("annotation", "part"),
    [
        (slice, "slice cannot be stored"),
        (bytearray, "bytearray cannot be stored"),
        (deque, "deque"),
        (set, "a set of anything cannot be stored"),
        (set[bool], "a set of bool cannot be stored"),
        (set[str | int], r"a set of str \| int cannot be stored"),
        (set[str | None], r"a set of str \| None cannot be stored"),
        (set[tuple[int, int]], r"a set of tuple\[int, int\] cannot be stored"),
        (dict[int, str], "a dict with keys of int cannot be stored"),
        (str | datetime, "str and datetime are both stored as S"),
        (float | Decimal, "float and Decimal are both stored as N"),
        (Colour | str, "Colour and str are both stored as S"),
        (City | Address, "City and Address are both stored as M, .* kind: Literal"),
        (City | Pair, "both stored as M"),
        (dict[str, int] | City, "both stored as M"),
        (set[str] | int, r"set\[str\] cannot be one of several types"),
        (Enum("Mixed", {"A": "a", "B": 1}), "the values of Mixed must be all texts"),
        (Enum("Halves", {"A": 0.5}), "the values of Halves must be all texts"),
        (SecretStr, "SecretStr shows itself as stars"),
        (RootModel[int], "is a root model"),
        (TypeVar("T"), "~T is still open"),
        ("Later", "Later is not known yet"),
        (list["Later"], "Later is not known yet"),  # type: ignore[name-defined]  # noqa: F821
    ],
)
def test_types_that_cannot_be_stored(annotation: Any, part: str) -> None:
    with pytest.raises(ModelError, match=part):
        storage_of(annotation, (), "Order.x")


def test_refusals_name_the_place_inside() -> None:
    class Inner(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        z: list[slice]

    with pytest.raises(ModelError, match=r"^Order\.x: Inner\.z\[\]: slice cannot be stored"):
        storage_of(Inner, (), "Order.x")
    # And again: the failed attempt leaves nothing behind.
    with pytest.raises(ModelError, match=r"Inner\.z"):
        storage_of(Inner, (), "Order.x")


def test_members_of_models_and_dicts() -> None:
    address = storage_of(Address, (), "Order.address")
    attribute, city = address.member("city")
    assert (attribute, city.kind, city.where) == ("city", "M", "Order.address.city")
    attribute, code = city.member("code")
    assert (attribute, code.kind, code.where) == ("c", "N", "Order.address.city.code")
    with pytest.raises(RequestError, match=r"^Order\.address\.city\.code: a whole number"):
        code.encode("x")
    with pytest.raises(DataError, match=r"^Order\.address\.city\.code: a whole number"):
        code.decode({"S": "x"})
    with pytest.raises(RequestError, match=r"Address has no field 'town'; it has city, lines"):
        address.member("town")

    attribute, score = storage_of(dict[Colour, int], (), "Order.scores").member("red")
    assert (attribute, score.kind, score.where) == ("red", "N", "Order.scores['red']")
    with pytest.raises(RequestError, match="a member of Colour is expected"):
        storage_of(dict[Colour, int], (), "Order.scores").member("green")


def test_members_through_options_and_unions() -> None:
    optional = storage_of(list[City | None], (), "Order.cities").element()
    assert optional.member("code")[0] == "c"
    pet = storage_of(Cat | Dog | str, (), "Order.pet")
    assert pet.member("lives")[1].kind == "N"
    assert pet.member("name")[1].kind == "S"
    assert storage_of(Any, (), "Order.x").member("a")[1].element(0).kind == "ANY"
    assert storage_of(list[int] | str, (), "x").element().kind == "N"


def test_elements() -> None:
    assert storage_of(list[int], (), "Order.n").element(3).where == "Order.n[3]"
    assert storage_of(set[Colour]).element().encode(Colour.RED) == {"S": "red"}
    pair = storage_of(tuple[int, str], (), "Order.pair")
    assert [pair.element(0).kind, pair.element(1).kind] == ["N", "S"]
    with pytest.raises(RequestError, match=r"^Order\.pair: it is no list, so it has no element 2"):
        pair.element(2)


@pytest.mark.parametrize("annotation", [str, int, set[str], list[int], str | int])
def test_no_members(annotation: Any) -> None:
    with pytest.raises(RequestError, match=r"^Order\.x: it has no members"):
        storage_of(annotation, (), "Order.x").member("a")


@pytest.mark.parametrize("annotation", [str, int, City, dict[str, int], str | int])
def test_no_elements(annotation: Any) -> None:
    with pytest.raises(RequestError, match=r"^Order\.x: it is no list"):
        storage_of(annotation, (), "Order.x").element()


def test_optional_storages_write_null() -> None:
    storage = storage_of(list[int | None])
    assert storage.decode({"L": [{"NULL": True}, {"N": "1"}]}) == [None, 1]
    assert storage.element().decode({"NULL": True}) is None
    with pytest.raises(RequestError, match=r"\[0\]: a whole number is expected, not None"):
        storage_of(list[int]).encode([None])


def test_generic_models() -> None:
    kind = TypeVar("kind")

    class Box(BaseModel, Generic[kind]):
        content: kind

    assert storage_of(Box[int]).encode(Box[int](content=1)) == {"M": {"content": {"N": "1"}}}
    with pytest.raises(ModelError, match="still open"):
        storage_of(Box)


@given(st.timedeltas())
def test_durations_do_not_depend_on_the_context(duration: timedelta) -> None:
    storage = storage_of(timedelta)
    with localcontext() as context:
        context.prec = 3
        av = storage.encode(duration)
        assert av is not None
        assert storage.decode(av) == duration


def test_numbers_do_not_depend_on_the_context() -> None:
    value = Decimal("99999999999999999999999999999999999999")
    with localcontext() as context:
        context.prec = 3
        av = storage_of(Decimal).encode(value)
        assert av == {"N": "99999999999999999999999999999999999999"}
        assert storage_of(Decimal).decode(av) == value
        assert storage_of(int).decode({"N": "1E+20"}) == 10**20
        for annotation in (Any, JsonValue, int | float, int | Decimal):
            assert storage_of(annotation).encode(int(value)) == av
            assert storage_of(annotation).decode(av) == value


def test_long_values_are_cut_in_errors() -> None:
    with pytest.raises(DataError) as caught:
        storage_of(int, (), "Order.x").decode({"S": "y" * 1000})
    assert len(str(caught.value)) < 200
