"""Codecs: whatever a model can hold comes back equal, and what cannot is named."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    PrivateAttr,
    create_model,
    model_validator,
)
from tests.sampling import many

from tablewright.model.codec import Codec, compile_codec
from tablewright.model.errors import DataError, RequestError
from tablewright.model.fields import field_defs
from tablewright.model.storage.records import ModelRecord
from tablewright.model.storage.source import compile_functions
from tablewright.model.types import Attribute, EpochMillis, EpochSeconds, IsoMillis, IsoSeconds
from tablewright.values import normalize_item


def codec_of(model: type[BaseModel]) -> Codec[Any]:
    return compile_codec(model, field_defs(model, None))


# --- every type, in every place ----------------------------------------------------------


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 20


class Plain(Enum):
    A = "a"
    B = "b"


class Point(BaseModel):
    x: int
    label: str | None = None
    tags: set[str] = set()


@dataclass
class Span:
    start: int
    end: int | None = None
    marks: list[str] = field(default_factory=list)


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog", "wolf"] = "dog"
    name: str


class Tree(BaseModel):
    name: str
    children: list[Tree] = []
    best: Tree | None = None


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
#: Keys of dicts: DynamoDB refuses empty names.
NAME = TEXT.filter(bool)
WHOLE = st.integers(-(10**38) + 1, 10**38 - 1) | st.integers(-1000, 1000)
DECIMAL = st.builds(
    # As text, because arithmetic would round to 28 digits.
    lambda digits, exponent: Decimal(f"{digits}E{exponent}"),
    WHOLE,
    st.integers(-80, 80),
)
FLOAT = st.floats(-1e120, 1e120, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-120)
MOMENT = st.datetimes(
    datetime(1, 1, 2),
    datetime(9999, 12, 30),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5))]),
)

SCALARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, TEXT),
    (int, WHOLE),
    (Decimal, DECIMAL),
    (float, FLOAT),
    (bool, st.booleans()),
    (bytes, st.binary(max_size=12)),
    (datetime, MOMENT),
    (IsoSeconds, MOMENT),
    (IsoMillis, MOMENT),
    (EpochSeconds, MOMENT),
    (EpochMillis, MOMENT),
    (date, st.dates()),
    (time, st.times()),
    (timedelta, st.timedeltas()),
    (UUID, st.uuids()),
    (Colour, st.sampled_from(Colour)),
    (Level, st.sampled_from(Level)),
    (Plain, st.sampled_from(Plain)),
    (Literal["x", "y"], st.sampled_from(["x", "y"])),
    (Literal[1, 2], st.sampled_from([1, 2])),
    (Literal["x", 1], st.sampled_from(["x", 1])),
]
NOT_IN_SETS = (bool, Literal["x", 1])
POINT = st.builds(Point, x=WHOLE, label=st.none() | TEXT, tags=st.sets(TEXT, max_size=3))
SPAN = st.builds(Span, start=WHOLE, end=st.none() | WHOLE, marks=st.lists(TEXT, max_size=2))
PET = st.builds(Cat, lives=WHOLE) | st.builds(Dog, kind=st.sampled_from(["dog", "wolf"]), name=TEXT)
TREE = st.recursive(
    st.builds(Tree, name=TEXT),
    lambda inner: st.builds(
        Tree, name=TEXT, children=st.lists(inner, max_size=2), best=st.none() | inner
    ),
    max_leaves=6,
)
OTHERS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Point, POINT),
    (Span, SPAN),
    (Cat | Dog, PET),
    (Cat | Dog | str, PET | TEXT),
    (Tree, TREE),
    (str | int, TEXT | WHOLE),
    (int | float, st.integers(-100, 100) | FLOAT),
    (tuple[int, str | None, Point], st.tuples(WHOLE, st.none() | TEXT, POINT)),
]

Typed = tuple[Any, st.SearchStrategy[Any]]


def _lists(inner: Typed) -> Typed:
    return list[inner[0]], st.lists(inner[1], max_size=3)  # type: ignore[name-defined]


def _optional_lists(inner: Typed) -> Typed:
    return list[inner[0] | None], st.lists(st.none() | inner[1], max_size=3)  # type: ignore[name-defined]


def _tuples(inner: Typed) -> Typed:
    return tuple[inner[0], ...], st.lists(inner[1], max_size=3).map(tuple)  # type: ignore[name-defined]


def _dicts(inner: Typed) -> Typed:
    return dict[str, inner[0]], st.dictionaries(NAME, inner[1], max_size=3)  # type: ignore[name-defined]


def _optional_dicts(inner: Typed) -> Typed:
    keys = st.sampled_from(Colour)
    return dict[Colour, inner[0] | None], st.dictionaries(keys, st.none() | inner[1])  # type: ignore[name-defined]


CONTAINERS: list[Callable[[Typed], Typed]] = [
    _lists,
    _optional_lists,
    _tuples,
    _dicts,
    _optional_dicts,
]
JSON = st.recursive(
    st.none() | st.booleans() | WHOLE | FLOAT | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAME, inner, max_size=3),
    max_leaves=8,
)
ANY = st.recursive(
    st.none() | st.booleans() | WHOLE | DECIMAL | TEXT | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAME, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def types(draw: st.DrawFn) -> Typed:
    """A type that can be stored, and the strategy of its values."""
    inner: Typed = draw(st.sampled_from(SCALARS + OTHERS))
    for _ in range(draw(st.integers(0, 2))):
        inner = draw(st.sampled_from(CONTAINERS))(inner)
    return inner


@st.composite
def sets(draw: st.DrawFn) -> Typed:
    annotation, values = draw(st.sampled_from([s for s in SCALARS if s[0] not in NOT_IN_SETS]))
    kind, strategy = draw(st.sampled_from([(set, st.sets), (frozenset, st.frozensets)]))
    return kind[annotation], strategy(values, max_size=4)


@st.composite
def models(draw: st.DrawFn) -> BaseModel:
    """An instance of a model that nobody has seen before."""
    declared: dict[str, Any] = {}
    values: dict[str, Any] = {}
    for number in range(draw(st.integers(1, 5))):
        name = f"f{number}"
        annotation, strategy = draw(
            types() | sets() | st.sampled_from([(JsonValue, JSON), (Any, ANY)])
        )
        form = draw(st.sampled_from(["required", "optional", "default", "renamed"]))
        value = draw(strategy)
        if form == "optional" and value not in (set(), frozenset()):
            # The default may not come back in place of None.
            declared[name] = (annotation | None if annotation is not Any else Any, value)
            value = draw(st.sampled_from([None, value]))
        elif form == "default":
            declared[name] = (annotation, draw(strategy))
        elif form == "renamed":
            declared[name] = (Annotated[annotation, Attribute(f"attribute-{number}'\"\\")], ...)
        else:
            declared[name] = (annotation, ...)
        values[name] = value
    return create_model("Random", **declared)(**values)


@settings(max_examples=many(300), deadline=None)
@given(models())
def test_what_is_encoded_reads_back_equal(model: BaseModel) -> None:
    codec = codec_of(type(model))
    item = codec.encode(model)
    assert codec.decode(item) == model
    assert codec.decode(orjson.loads(orjson.dumps(item))) == model
    assert codec.strict_decode(item) == model
    # DynamoDB would take it, and it is canonical already.
    assert normalize_item(item)[0] == item
    assert item.keys() <= codec.attributes


@settings(max_examples=many(200), deadline=None)
@given(models())
def test_both_ways_do_the_same(model: BaseModel) -> None:
    """The compiled way never needs the careful one, and differs from it in nothing."""
    fields = field_defs(type(model), None)
    quick = compile_functions(type(model), fields)
    careful = ModelRecord(type(model), fields)
    item = quick.encode(model)
    assert item == careful.pack(model)
    one, other = quick.decode(item), careful.unpack(item)
    assert one == other
    assert list(one.__dict__) == list(type(model).model_fields)
    assert one.model_fields_set == other.model_fields_set  # type: ignore[attr-defined]
    assert [type(value) for value in one.__dict__.values()] == [
        type(value) for value in other.__dict__.values()
    ]


@given(MOMENT)
def test_times_are_written_alike_both_ways(moment: datetime) -> None:
    class Times(BaseModel):
        a: datetime
        b: IsoSeconds
        c: IsoMillis

    for each in (moment, moment.replace(microsecond=0), moment.replace(microsecond=5)):
        at = each.astimezone(UTC)
        item = codec_of(Times).encode(Times(a=at, b=at, c=at))
        plain = at.replace(tzinfo=None)
        assert item == {
            "a": {"S": plain.isoformat(timespec="microseconds") + "Z"},
            "b": {"S": plain.isoformat(timespec="seconds") + "Z"},
            "c": {"S": plain.isoformat(timespec="milliseconds") + "Z"},
        }


# --- forms -------------------------------------------------------------------------------


def test_forms_of_an_item() -> None:
    class Everything(BaseModel):
        text: str
        number: int
        exact: Decimal
        ratio: float
        flag: bool
        raw: bytes
        ends: EpochSeconds
        colour: Colour
        level: Level
        tags: set[str]
        sizes: set[int]
        waits: timedelta
        names: list[str | None]
        point: Point
        note: str | None

    moment = datetime(2026, 1, 31, 12, tzinfo=UTC)
    model = Everything(
        text="x",
        number=9007199254740993,
        exact=Decimal("12345678901234567890.123456789012345678"),
        ratio=1e22,
        flag=False,
        raw=b"\x00\xff",
        ends=moment,
        colour=Colour.RED,
        level=Level.HIGH,
        tags={"b", "a"},
        sizes={3},
        waits=timedelta(seconds=1, microseconds=500_000),
        names=["a", None],
        point=Point(x=1),
        note=None,
    )
    codec = codec_of(Everything)
    item = codec.encode(model)
    assert item == {
        "text": {"S": "x"},
        "number": {"N": "9007199254740993"},
        "exact": {"N": "12345678901234567890.123456789012345678"},
        "ratio": {"N": "10000000000000000000000"},
        "flag": {"BOOL": False},
        "raw": {"B": "AP8="},
        "ends": {"N": "1769860800"},
        "colour": {"S": "red"},
        "level": {"N": "20"},
        "tags": {"SS": ["a", "b"]},
        "sizes": {"NS": ["3"]},
        "waits": {"N": "1.5"},
        "names": {"L": [{"S": "a"}, {"NULL": True}]},
        "point": {"M": {"x": {"N": "1"}}},
    }
    back = codec.decode(item)
    assert back == model
    assert type(back.number) is int
    assert type(back.exact) is Decimal
    assert back.colour is Colour.RED
    assert back.ends.tzinfo is UTC


@pytest.mark.parametrize(
    "number", [9007199254740993, 10**38 - 1, -(10**38) + 1, 10**125, 0, -1, 10**18, -(10**18)]
)
def test_whole_numbers_are_exact(number: int) -> None:
    class Counted(BaseModel):
        n: int

    codec = codec_of(Counted)
    assert codec.decode(orjson.loads(orjson.dumps(codec.encode(Counted(n=number))))).n == number


@pytest.mark.parametrize(
    "text",
    [
        "0.12345678901234567890123456789012345678",
        "-99999999999999999999999999999999999999",
        "1E-130",
        "9.9999999999999999999999999999999999999E+125",
        "1.50",
        "-0.0",
        "1E+5",
    ],
)
def test_decimals_are_exact(text: str) -> None:
    class Priced(BaseModel):
        price: Decimal

    codec = codec_of(Priced)
    item = codec.encode(Priced(price=Decimal(text)))
    assert codec.decode(item).price == Decimal(text)
    assert "E" not in item["price"]["N"]


@pytest.mark.parametrize(
    ("annotation", "value", "part"),
    [
        (int, 10**126, "overflow"),
        (int, 10**38 + 1, "38 significant digits"),
        (Decimal, Decimal("1E-131"), "underflow"),
        (Decimal, Decimal("NaN"), "a decimal number is expected"),
        (Decimal, 0.1, "a decimal number is expected"),
        (float, float("nan"), "a finite number is expected, not nan"),
        (float, float("-inf"), "a finite number is expected, not -inf"),
        (float, 1e200, "overflow"),
        (int, True, "a whole number is expected, not True (bool)"),
        (int, 1.0, "a whole number is expected, not 1.0 (float)"),
        (str, 5, "a text is expected, not 5 (int)"),
        (str, None, "it may not be None"),
        (set[str], None, "it may not be None"),
        (set[str], ["a"], "a set is expected, not ['a'] (list)"),
        (set[str], {1}, "a text is expected, not 1 (int)"),
        (list[int], "ab", "a list is expected, not 'ab' (str)"),
        (dict[str, int], [1], "a dict is expected, not [1] (list)"),
        (bool, 1, "a boolean is expected, not 1 (int)"),
        (bytes, "x", "bytes is expected, not 'x' (str)"),
        (datetime, datetime(2026, 1, 1), "a time needs a zone"),
        (EpochSeconds, datetime(2026, 1, 1), "a time needs a zone"),
        (date, datetime(2026, 1, 1), "a date in ISO 8601 is expected"),
        (Colour, "green", "a member of Colour is expected"),
        (Literal["a", "b"], "c", "one of 'a', 'b' is expected, not 'c'"),
        (Point, Cat(), "a Point is expected, not Cat("),
        (Cat | Dog, Point(x=1), "one of Cat, Dog is expected, not Point("),
        (str | int, b"", "one of str, int is expected, not b''"),
        (Any, datetime(2026, 1, 1), "declare the field with its type"),
    ],
)
def test_values_that_cannot_be_stored(annotation: Any, value: Any, part: str) -> None:
    model = create_model("Order", thing=(annotation, ...))
    with pytest.raises(RequestError) as caught:
        codec_of(model).encode(model.model_construct(thing=value))
    assert str(caught.value).startswith("Order.thing: ")
    assert part in str(caught.value)


def test_the_path_to_a_wrong_value() -> None:
    class Order(BaseModel):
        lines: list[dict[str, Point]]

    order = Order.model_construct(lines=[{}, {"a": Point.model_construct(x="1", tags=set())}])
    with pytest.raises(RequestError, match=r"^Order\.lines\[1\]\['a'\]\.x: a whole number"):
        codec_of(Order).encode(order)


def test_another_class_is_refused() -> None:
    with pytest.raises(RequestError, match=r"^Cat: a Cat is expected, not Dog"):
        codec_of(Cat).encode(Dog(name="rex"))


def test_values_of_subclasses_are_stored_plainly() -> None:
    class Loud(str):
        def __str__(self) -> str:
            return "loud"

    class Order(BaseModel):
        text: str
        number: int
        colour: Colour

    order = Order.model_construct(text=Loud("x"), number=Level.HIGH, colour="red")
    item = codec_of(Order).encode(order)
    assert item == {"text": {"S": "x"}, "number": {"N": "20"}, "colour": {"S": "red"}}
    assert type(item["text"]["S"]) is str


# --- absent, NULL, empty -----------------------------------------------------------------


class Holder(BaseModel):
    tags: set[str]
    ids: frozenset[int] = frozenset({1})
    maybe: set[str] | None = None
    ends: int | None = 5
    count: int = 7
    names: list[str] = Field(default_factory=lambda: ["new"])


def test_empty_sets_and_none_are_no_attributes() -> None:
    codec = codec_of(Holder)
    holder = Holder(tags=set(), ids=frozenset(), ends=None)
    assert codec.encode(holder) == {"count": {"N": "7"}, "names": {"L": [{"S": "new"}]}}
    # Neither the default of ids nor that of ends comes back.
    assert codec.decode(codec.encode(holder)) == holder
    assert codec.strict_decode(codec.encode(holder)) == holder


def test_absent_attributes() -> None:
    codec = codec_of(Holder)
    for decode in (codec.decode, codec.strict_decode):
        holder = decode({})
        assert holder.__dict__ == {
            "tags": set(),
            "ids": frozenset(),
            "maybe": None,
            "ends": None,
            "count": 7,
            "names": ["new"],
        }
    assert codec.decode({}).model_fields_set == set()
    assert codec.decode({}).names is not codec.decode({}).names
    assert codec.decode({"count": {"N": "1"}}).model_fields_set == {"count"}


def test_null_is_read_as_absent() -> None:
    codec = codec_of(Holder)
    null = {"NULL": True}
    assert codec.decode(dict.fromkeys(codec.attributes, null)) == codec.decode({})


def test_none_at_each_depth() -> None:
    class Deep(BaseModel):
        points: dict[str, list[Point | None] | None]
        point: Point | None = None

    deep = Deep(points={"a": None, "b": [None, Point(x=1, label=None)]}, point=Point(x=2))
    item = codec_of(Deep).encode(deep)
    assert item == {
        "points": {
            "M": {
                "a": {"NULL": True},
                "b": {"L": [{"NULL": True}, {"M": {"x": {"N": "1"}}}]},
            }
        },
        "point": {"M": {"x": {"N": "2"}}},
    }
    assert codec_of(Deep).decode(item) == deep


def test_mutable_defaults_are_not_shared() -> None:
    class Listed(BaseModel):
        names: list[str] = []

    codec = codec_of(Listed)
    codec.decode({}).names.append("x")
    assert codec.decode({}).names == []


def test_defaults_are_as_in_what_is_made() -> None:
    class Priced(BaseModel, validate_default=True):
        colour: Colour = Field(default="red")
        price: Decimal = Field(default=0)
        numbers: list[int] = Field(default=["1"])
        lower: Annotated[str, AfterValidator(str.lower)] = "LOW"

    class Followed(Priced):
        """Read the careful way."""

        twice: Decimal = Field(default_factory=lambda values: values["price"] * 2)

    for model in (Priced, Followed):
        codec = codec_of(model)
        for decode in (codec.decode, codec.strict_decode):
            found = decode({})
            assert found.__dict__ == model().__dict__
            assert (type(found.colour), type(found.price)) == (Colour, Decimal)
            found.numbers.append(2)
        assert codec.decode({}).numbers == [1]


def test_defaults_that_others_check_are_as_declared() -> None:
    class Checked(BaseModel, validate_default=True):
        first: int
        second: int = 5

        @model_validator(mode="after")
        def ordered(self) -> Self:
            assert self.first < self.second
            return self

    assert codec_of(Checked).decode({"first": {"N": "1"}}) == Checked(first=1)


@pytest.mark.parametrize("annotation", [list[set[str]], dict[str, set[str]], list[set[str] | None]])
def test_empty_sets_inside_are_refused(annotation: Any) -> None:
    model = create_model("Order", thing=(annotation, ...))
    inside = {"k": set()} if "dict" in str(annotation) else [{"a"}, set()]
    with pytest.raises(RequestError, match=r"^Order\.thing\[.*\]: an empty set"):
        codec_of(model).encode(model(thing=inside))


@pytest.mark.parametrize("annotation", [dict[str, int], JsonValue, Any])
def test_empty_key_of_a_dict_is_refused(annotation: Any) -> None:
    model = create_model("Order", thing=(annotation, ...))
    with pytest.raises(RequestError, match=r"^Order\.thing: a dict cannot have an empty text"):
        codec_of(model).encode(model(thing={"a": 1, "": 2}))


def test_empty_key_of_an_inner_dict_is_refused_with_its_place() -> None:
    model = create_model("Order", thing=(dict[str, list[dict[str, int]]], ...))
    with pytest.raises(RequestError, match=r"^Order\.thing\['a'\]\[1\]: a dict cannot have"):
        codec_of(model).encode(model(thing={"a": [{"b": 1}, {"": 2}]}))


def test_members_of_sets_are_encoded_in_the_order_of_their_values() -> None:
    model = create_model("Order", numbers=(set[int], ...), binaries=(set[bytes], ...))
    numbers, binaries = {10, 9, -1, -2, 0}, {b"\xff", b"\x00", b"i"}
    item = codec_of(model).encode(model(numbers=numbers, binaries=binaries))
    assert item["numbers"]["NS"] == [str(number) for number in sorted(numbers)]
    assert [b64decode(text) for text in item["binaries"]["BS"]] == sorted(binaries)


def test_a_default_from_other_fields() -> None:
    class Named(BaseModel):
        name: str
        title: str = Field(default_factory=lambda values: values["name"].title())

    assert codec_of(Named).decode({"name": {"S": "ada"}}) == Named(name="ada")


# --- wrong data --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotation", "av", "part"),
    [
        (str, {"N": "5"}, "a text (S) is expected, but the item holds the number '5' (N)"),
        (int, {"S": "5"}, "a whole number (N) is expected, but the item holds the text '5' (S)"),
        (int, {"N": "1.5"}, "a whole number is expected, but the item holds the number '1.5'"),
        (Decimal, {"BOOL": True}, "a decimal number (N) is expected"),
        (float, {"L": []}, "a finite number (N) is expected, but the item holds the list []"),
        (bool, {"S": "true"}, "a boolean (BOOL) is expected"),
        (bytes, {"B": "!"}, "bytes is expected, but the item holds the binary '!'"),
        (datetime, {"S": "yesterday"}, "a time in ISO 8601 is expected"),
        (datetime, {"S": "2026-01-31T12:00:00"}, "it has no zone"),
        (EpochSeconds, {"S": "2026-01-31T12:00:00Z"}, "whole seconds since 1970 (N) is expected"),
        (EpochMillis, {"N": "99999999999999999999"}, "whole milliseconds since 1970 is expected"),
        (date, {"S": "31.1.2026"}, "a date in ISO 8601 is expected"),
        (UUID, {"S": "x"}, "a UUID is expected"),
        (
            Colour,
            {"S": "green"},
            "a member of Colour is expected, but the item holds the text 'green'",
        ),
        (Literal["a"], {"S": "b"}, "one of 'a' is expected, but the item holds the text 'b'"),
        (set[str], {"L": [{"S": "a"}]}, "a set (SS) is expected, but the item holds the list"),
        (set[int], {"NS": ["1.5"]}, "a whole number is expected"),
        (list[int], {"SS": ["a"]}, "a list (L) is expected, but the item holds the set of texts"),
        (dict[str, int], {"S": "x"}, "a map (M) is expected, but the item holds the text 'x'"),
        (tuple[int, int], {"L": [{"N": "1"}]}, "a list of 2 is expected"),
        (Point, {"S": "x"}, "a map (M) for Point is expected"),
        (Cat | Dog, {"M": {}}, "one of Cat, Dog is expected"),
        (Cat | Dog, {"M": {"kind": {"S": "cow"}}}, "'kind' is the text 'cow' (S)"),
        (str | int, {"BOOL": True}, "a value of kind S or N is expected"),
        (
            str,
            {"NULL": True},
            "the item has NULL in attribute 'thing', and the field has no default",
        ),
        (str, None, "the item has no attribute 'thing', and the field has no default"),
    ],
)
def test_wrong_data_is_named(annotation: Any, av: Any, part: str) -> None:
    codec = codec_of(create_model("Order", thing=(annotation, ...)))
    for decode in (codec.decode, codec.strict_decode):
        with pytest.raises(DataError) as caught:
            decode({} if av is None else {"thing": av})
        assert str(caught.value).startswith("Order.thing: ")
        assert part in str(caught.value)


def test_the_path_to_wrong_data() -> None:
    class Order(BaseModel):
        lines: dict[str, list[Point]]

    item = {"lines": {"M": {"a": {"L": [{"M": {"x": {"N": "1"}}}, {"M": {"x": {"S": "1"}}}]}}}}
    with pytest.raises(DataError, match=r"^Order\.lines\['a'\]\[1\]\.x: a whole number \(N\)"):
        codec_of(Order).decode(item)
    item["lines"]["M"]["a"]["L"][1]["M"].clear()
    with pytest.raises(DataError, match=r"^Order\.lines\['a'\]\[1\]\.x: the item has no attribute"):
        codec_of(Order).decode(item)


def test_deep_mistakes_are_found_in_no_time() -> None:
    """Each level goes the careful way once, not once for each level above it."""
    tree = Tree.model_construct(name=5, children=[], best=None)
    for _ in range(60):
        tree = Tree(name="x", children=[tree])
    with pytest.raises(RequestError, match=r"\]\.name: a text is expected, not 5"):
        codec_of(Tree).encode(tree)


def test_numbers_as_others_write_them() -> None:
    class Counted(BaseModel):
        n: int

    assert codec_of(Counted).decode({"n": {"N": "1E2"}}).n == 100


def test_times_in_other_zones_are_moved() -> None:
    class Timed(BaseModel):
        at: datetime

    at = codec_of(Timed).decode({"at": {"S": "2026-01-31T14:00:00+02:00"}}).at
    assert at == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert at.tzinfo is UTC


# --- what Pydantic adds ------------------------------------------------------------------


def test_decoding_does_not_validate_and_strict_decoding_does() -> None:
    class Bounded(BaseModel):
        n: int = Field(ge=0)

    codec = codec_of(Bounded)
    assert codec.decode({"n": {"N": "-1"}}).n == -1
    with pytest.raises(DataError, match=r"^Bounded: the stored item is not valid: (.|\n)*\bn\b"):
        codec.strict_decode({"n": {"N": "-1"}})


def test_aliases_do_not_matter() -> None:
    class Aliased(BaseModel):
        one: int = Field(alias="eins")
        two: int = Field(validation_alias=AliasChoices("zwei", "deux"))

    codec = codec_of(Aliased)
    model = Aliased(eins=1, zwei=2)
    assert codec.encode(model) == {"one": {"N": "1"}, "two": {"N": "2"}}
    assert codec.decode(codec.encode(model)) == model
    assert codec.strict_decode(codec.encode(model)) == model


def test_private_attributes_and_post_init() -> None:
    class Secretive(BaseModel):
        n: int
        _seen: list[int] = PrivateAttr(default_factory=list)

        def model_post_init(self, context: object) -> None:
            self._seen.append(self.n)

    class Outer(BaseModel):
        inner: Secretive

    codec = codec_of(Outer)
    outer = codec.decode(codec.encode(Outer(inner=Secretive(n=3))))
    assert outer.inner._seen == [3]
    assert codec_of(Secretive).decode({"n": {"N": "4"}})._seen == [4]


def test_what_post_init_raises_comes_through() -> None:
    class Picky(BaseModel):
        n: int

        def model_post_init(self, context: object) -> None:
            raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        codec_of(Picky).decode({"n": {"N": "4"}})


def test_decoded_models_are_whole() -> None:
    class Open(BaseModel):
        model_config = ConfigDict(extra="allow", frozen=True)
        n: int

    model = codec_of(Open).decode({"n": {"N": "1"}, "other": {"S": "ignored"}})
    assert model == Open(n=1)
    assert model.model_extra == {}
    assert hash(model) == hash(Open(n=1))
    assert model.model_copy(update={"n": 2}).n == 2
    assert model.model_dump_json() == '{"n":1}'
    assert codec_of(Point).decode({"x": {"N": "1"}}).model_extra is None


def test_computed_values_of_subclasses_are_left_out() -> None:
    class Wider(Point):
        more: int = 1

    class Order(BaseModel):
        point: Point

    order = Order(point=Wider(x=1))
    assert codec_of(Order).encode(order) == {"point": {"M": {"x": {"N": "1"}}}}
