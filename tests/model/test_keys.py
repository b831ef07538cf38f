from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError
from tests.model.key_samples import TABLE, bound, fields_of, sort_text, texts

from tablewright.model.errors import DataError, KeyValueError, ModelError, RequestError
from tablewright.model.fields import field_defs
from tablewright.model.keys import BoundKey, Bounds, Key, KeyCondition, bind
from tablewright.model.table import Binary, Index, Number, Table
from tablewright.model.types import Attribute, EpochMillis, EpochSeconds, IsoSeconds, Shaped, Ulid

JANUARY = datetime(2026, 1, 1, tzinfo=UTC)
ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ORDER = fields_of(
    customer_id=str,
    placed_at=IsoSeconds,
    order_id=Ulid,
    status=Literal["new", "paid", "done"],
    flag=bool,
    note=str | None,
)


def order_key(pk: str, sk: str | None = None, **options: Any) -> BoundKey:
    return bind("own", Key(pk, sk, **options), TABLE, ORDER, "Order")


# --- no forging --------------------------------------------------------------------------


def test_a_delimiter_in_a_value_cannot_forge_another_key() -> None:
    key = bound("ORG#{x}#U#{y}", x=str, y=str)
    assert sort_text(key, x="a#U#b", y="c") == "ORG#a$23U$23b#U#c"
    assert sort_text(key, x="a", y="b#U#c") == "ORG#a#U#b$23U$23c"


pieces = st.lists(st.sampled_from(["#", "$", "U", "23", "$23", "a", "\0", "é"]), min_size=1)
parts = st.one_of(texts, pieces.map("".join))
WHOLE = bound("ORG#{x}#U#{y}", x=str, y=str)
SHORT = bound("ORG#{x}", x=str)
THREE = bound("{x}#{y}#{z}", x=str, y=str, z=str)


@given(parts, parts, parts, parts)
def test_two_values_never_have_one_text(a: str, b: str, c: str, d: str) -> None:
    same = sort_text(WHOLE, x=a, y=b) == sort_text(WHOLE, x=c, y=d)
    assert same == ((a, b) == (c, d))
    assert sort_text(SHORT, x=a) != sort_text(WHOLE, x=c, y=d)
    item = WHOLE.encode({"x": a, "y": b})
    assert not SHORT.matches(item)
    assert not WHOLE.matches(SHORT.encode({"x": a}))


@given(st.tuples(parts, parts, parts), st.tuples(parts, parts, parts))
def test_three_components(a: tuple[str, str, str], b: tuple[str, str, str]) -> None:
    first, second = (sort_text(THREE, **dict(zip("xyz", each, strict=True))) for each in (a, b))
    assert (a < b) == (first.encode() < second.encode())
    assert (a == b) == (first == second)


# --- encoding and decoding ---------------------------------------------------------------


def test_a_key_of_two_attributes() -> None:
    key = order_key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")
    values = {"customer_id": "c 1", "placed_at": JANUARY, "order_id": ULID}
    item = key.encode(values)
    assert item == {
        "PK": {"S": "CUST#c 1"},
        "SK": {"S": f"ORDER#2026-01-01T00:00:00Z#{ULID}"},
    }
    assert key.decode({**item, "other": {"N": "1"}}) == values
    assert key.fields == ("customer_id", "placed_at", "order_id")
    assert [part.attribute.name for part in key.parts] == ["PK", "SK"]


def test_each_part_stands_alone() -> None:
    key = order_key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")
    (sort,) = key.sort
    assert sort.encode({"placed_at": JANUARY, "order_id": ULID})["S"].endswith(ULID)
    assert sort.decode({"S": f"ORDER#2026-01-01T00:00:00Z#{ULID}"})["order_id"] == ULID
    assert sort.prefix({}) == "ORDER#"
    assert sort.prefix({"placed_at": JANUARY}) == "ORDER#2026-01-01T00:00:00Z#"
    assert not sort.plain


def test_literals_may_hold_anything() -> None:
    key = bound("it's \"{{}}\" \\n #{x}' {y}", x=Ulid, y=str)
    assert sort_text(key, x=ULID, y="b") == f"it's \"{{}}\" \\n #{ULID}' b"
    assert key.decode(key.encode({"x": ULID, "y": "b"})) == {"x": ULID, "y": "b"}


def test_a_field_may_stand_in_several_places() -> None:
    key = order_key("CUST#{customer_id}", "C#{customer_id}#{note}")
    item = key.encode({"customer_id": "c", "note": "n"})
    assert key.fields == ("customer_id", "note")
    assert key.decode(item) == {"customer_id": "c", "note": "n"}
    with pytest.raises(DataError, match="disagree on customer_id: 'x' and 'c'"):
        key.decode({**item, "PK": {"S": "CUST#x"}})


@pytest.mark.parametrize(
    "text", ["ORDER#", "OTHER#a", "ORDER#a#b", "ORDER#a$", "ORDER#a$41", "ORDER#\U0010ffff", ""]
)
def test_text_that_no_value_gives_is_refused(text: str) -> None:
    key = bound("ORDER#{x}", x=str)
    item = {"PK": {"S": "P"}, "SK": {"S": text}}
    assert not key.matches(item)
    with pytest.raises(DataError, match=r"SK holds .* does not fit its template 'ORDER#{x}'"):
        key.decode(item)


def test_values_of_the_right_shape_that_do_not_exist() -> None:
    key = bound("D#{x}", x=IsoSeconds)
    with pytest.raises(DataError, match="does not fit"):
        key.decode({"PK": {"S": "P"}, "SK": {"S": "D#2026-13-01T00:00:00Z"}})


def test_items_without_the_attribute_or_of_another_type() -> None:
    key = bound("ORDER#{x}", x=str)
    assert not key.matches({"PK": {"S": "P"}})
    assert not key.matches({"PK": {"S": "P"}, "SK": {"N": "1"}})
    with pytest.raises(DataError, match="the item has no key attribute SK"):
        key.decode({"PK": {"S": "P"}})
    with pytest.raises(DataError, match="does not fit"):
        key.decode({"PK": {"S": "P"}, "SK": {"N": "1"}})


def test_missing_and_absent_values_are_named() -> None:
    key = order_key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")
    with pytest.raises(KeyValueError, match="Order, key 'own': field placed_at is not given"):
        key.encode({"customer_id": "c"})
    with pytest.raises(KeyValueError, match="field placed_at is None"):
        key.encode({"customer_id": "c", "placed_at": None})


@pytest.mark.parametrize(("text", "size"), [("x" * 1023, 1025), ("é" * 600, 1202)])
def test_keys_that_are_too_long(text: str, size: int) -> None:
    key = bound("A#{x}", x=str)
    with pytest.raises(KeyValueError, match=f"SK .* would have {size} bytes; 1024 is the most"):
        key.encode({"x": text})
    assert key.encode({"x": "x" * 1022})
    partition = order_key("{note}", "A", on="GSI1")
    assert partition.encode({"note": "x" * 2048})
    with pytest.raises(KeyValueError, match="2048 is the most"):
        partition.encode({"note": "x" * 2049})


# --- plain, numeric and binary attributes ------------------------------------------------

USERS = Table("Users", pk="userId", sk=Number("createdAt"))
USER = fields_of(
    user_id=Annotated[str, Attribute("userId")],
    created_at=Annotated[EpochMillis, Attribute("createdAt")],
    score=Decimal,
    level=int,
    digest=bytes,
)


def test_plain_attributes_are_the_fields_themselves() -> None:
    key = bind("primary", Key("{user_id}", "{created_at}"), USERS, USER, "User")
    values = {"user_id": "a#b $", "created_at": JANUARY}
    item = key.encode(values)
    assert item == {"userId": {"S": "a#b $"}, "createdAt": {"N": "1767225600000"}}
    for name, part in zip(values, key.parts, strict=True):
        assert part.plain
        assert item[part.attribute.name] == USER[name].storage.encode(values[name])
    assert key.decode(item) == values
    assert key.matches(item)


@pytest.mark.parametrize("value", ["", 5, "a\U0010ffff", None])
def test_plain_texts_are_checked_too(value: object) -> None:
    key = bind("primary", Key("{user_id}", "{created_at}"), USERS, USER, "User")
    with pytest.raises(KeyValueError, match="field user_id"):
        key.encode({"user_id": value, "created_at": JANUARY})


def test_numbers_and_bytes_in_attributes_of_their_type() -> None:
    table = Table("Things", pk=Binary("B"), sk=Number("N"))
    key = bind("primary", Key("{digest}", "{score}"), table, USER, "User")
    values = {"digest": b"\0\xff", "score": Decimal("-1.50")}
    item = key.encode(values)
    assert item == {"B": {"B": "AP8="}, "N": {"N": "-1.5"}}
    assert key.decode(item) == values
    assert not any(part.plain for part in key.parts)
    assert key.condition({"digest": b"a", "score": Decimal(2)}).equal[1] == ("N", {"N": "2"})
    assert key.condition({"digest": b"a"}).sort is None


@pytest.mark.parametrize(
    ("attribute", "template", "why"),
    [
        (Number("K"), "A#{level}", "holds one field and nothing else"),
        (Number("K"), "{user_id}", "declared as N, but user_id is stored as S"),
        (Number("K"), "{level:03d}", "needs a composed text attribute"),
        (Binary("K"), "{level}", "declared as B, but level is stored as N"),
        ("createdAt", "{created_at}", "declared as S, but created_at is stored as N"),
    ],
)
def test_templates_that_do_not_fit_the_attribute(attribute: Any, template: str, why: str) -> None:
    with pytest.raises(ModelError, match=f"User, key 'primary', attribute .*{why}"):
        bind("primary", Key(template), Table("Things", pk=attribute), USER, "User")


# --- conditions --------------------------------------------------------------------------


def test_conditions_by_what_is_given() -> None:
    key = order_key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")
    partition = ("PK", {"S": "CUST#c"})
    values: dict[str, object] = {"customer_id": "c", "placed_at": None, "unrelated": 1}
    assert key.condition(values) == KeyCondition(
        (partition,),
        ("SK", "begins_with", ({"S": "ORDER#"},)),  # type: ignore[arg-type]
    )
    values["placed_at"] = JANUARY
    started = key.condition(values).sort
    assert started == ("SK", "begins_with", ({"S": "ORDER#2026-01-01T00:00:00Z#"},))
    values["order_id"] = ULID
    full = {"S": f"ORDER#2026-01-01T00:00:00Z#{ULID}"}
    assert key.condition(values) == KeyCondition((partition, ("SK", full)))


def test_a_constant_sort_key_is_given_in_full() -> None:
    key = order_key("CUST#{customer_id}", "PROFILE")
    expected = (("PK", {"S": "CUST#c"}), ("SK", {"S": "PROFILE"}))
    assert key.condition({"customer_id": "c"}) == KeyCondition(expected)


def test_a_sort_key_without_a_prefix_needs_no_term() -> None:
    key = order_key("OPEN", "{placed_at}#{order_id}", on="GSI1")
    assert key.condition({}) == KeyCondition((("GSI1PK", {"S": "OPEN"}),))


def test_conditions_that_cannot_be() -> None:
    key = order_key("CUST#{customer_id}#{note}", "ORDER#{placed_at}#{order_id}")
    with pytest.raises(RequestError, match=r"Order, key 'own': .*; customer_id, note are missing"):
        key.condition({"customer_id": None})
    given_values = {"customer_id": "c", "note": "n", "order_id": ULID}
    with pytest.raises(RequestError, match="order_id is given without placed_at"):
        key.condition(given_values)
    with pytest.raises(KeyValueError, match="field placed_at: a datetime is expected"):
        key.condition({"customer_id": "c", "note": "n", "placed_at": "today"})


def test_a_field_of_the_partition_may_come_again_in_the_sort_key() -> None:
    key = order_key("CUST#{customer_id}", "ORDER#{placed_at}#{customer_id}")
    term = key.condition({"customer_id": "c"}).sort
    assert term == ("SK", "begins_with", ({"S": "ORDER#"},))


def test_several_attributes_on_each_side() -> None:
    table = Table(
        "Things",
        pk="PK",
        indexes=[Index("many", pk=["a", "b"], sk=["customer_id", Number("n"), "c"])],
    )
    fields = fields_of(customer_id=str, placed_at=EpochSeconds, order_id=Ulid, status=str)
    declared = Key(("A#{status}", "B"), ("{customer_id}", "{placed_at}", "C#{order_id}"), on="many")
    key = bind("many", declared, table, fields, "Order")
    values = {"customer_id": "c#", "placed_at": JANUARY, "order_id": ULID, "status": "new"}
    item = key.encode(values)
    assert item == {
        "a": {"S": "A#new"},
        "b": {"S": "B"},
        "customer_id": {"S": "c#"},
        "n": {"N": "1767225600"},
        "c": {"S": f"C#{ULID}"},
    }
    assert key.decode(item) == values
    assert [part.plain for part in key.parts] == [False, False, True, False, False]
    condition = key.condition(
        {"status": "new", "customer_id": "c#"}, Bounds("placed_at", ge=JANUARY)
    )
    assert [name for name, _ in condition.equal] == ["a", "b", "customer_id"]
    assert condition.sort == ("n", ">=", ({"N": "1767225600"},))
    some = key.condition({"status": "new", "customer_id": "c#", "placed_at": JANUARY})
    assert some.sort == ("c", "begins_with", ({"S": "C#"},))
    with pytest.raises(RequestError, match="order_id is given without customer_id"):
        key.condition({"status": "new", "order_id": ULID})


# --- sparse indexes ----------------------------------------------------------------------


class Color(Enum):
    RED = "red"
    BLUE = "blue"


def test_an_item_is_in_an_index_when_nothing_is_none_and_the_condition_holds() -> None:
    key = order_key(
        "OPEN", "{placed_at}#{note}", on="GSI1", when={"status": {"new", "paid"}, "flag": True}
    )
    values = {"placed_at": JANUARY, "note": "n", "status": "new", "flag": True}
    assert key.present(values)
    assert key.when == {"status": frozenset({"new", "paid"}), "flag": frozenset({True})}
    for name, value in [("note", None), ("status", "done"), ("flag", False), ("status", None)]:
        assert not key.present({**values, name: value})
    assert not key.present({"placed_at": JANUARY, "status": "new", "flag": True})


def test_enumerations_and_none_in_when() -> None:
    fields = fields_of(x=str, color=Color, gone_at=str | None)
    when = {"color": ("red", Color.BLUE), "gone_at": None}
    key = bind("i", Key("A", "{x}", on="GSI1", when=when), TABLE, fields, "Thing")
    assert key.when["color"] == frozenset(Color)
    assert key.present({"x": "1", "color": Color.RED, "gone_at": None})
    assert not key.present({"x": "1", "color": Color.RED, "gone_at": "now"})


@pytest.mark.parametrize(
    ("when", "why"),
    [
        ({"stat": "new"}, "names stat, which is no field"),
        ({"status": "old"}, "status is never 'old'"),
        ({"flag": 1}, "flag is never 1"),
        ({"status": set()}, "gives no value for status"),
        ({"placed_at": JANUARY}, "placed_at is not of a type with values to list"),
    ],
)
def test_conditions_that_can_never_hold(when: dict[str, object], why: str) -> None:
    with pytest.raises(ModelError, match=f"Order, key 'own'.*{why}"):
        order_key("OPEN", "{placed_at}", on="GSI1", when=when)


def test_the_table_itself_is_never_sparse() -> None:
    with pytest.raises(ModelError, match="when= is for index keys"):
        order_key("OPEN", "{placed_at}", when={"flag": True})


# --- binding -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (Key("A", "{nothing}"), "attribute SK: there is no field nothing; the fields are"),
        (Key("A"), "give sk=, the template of SK"),
        (Key(("A", "B"), "C"), "pk has 2 templates, one is needed for each of its attributes: PK"),
        (Key("A", "B", on="GSI9"), "table Things has no index GSI9; its indexes: GSI1"),
        (Key("A", "{"), "attribute SK: .* brace"),
    ],
)
def test_declarations_that_cannot_be(key: Key, why: str) -> None:
    with pytest.raises(ModelError, match=f"Order, key 'own'.*{why}"):
        bind("own", key, TABLE, ORDER, "Order")


def test_what_an_index_key_leaves_out_comes_from_the_primary() -> None:
    table = Table("Things", pk="PK", sk="SK", indexes=[Index("turned", pk="G", sk="PK")])
    primary = bind("primary", Key("C#{customer_id}", "O#{order_id}"), table, ORDER, "Order")
    key = bind("turned", Key("N#{note}", on="turned"), table, ORDER, "Order", primary)
    assert key.encode({"note": "n", "customer_id": "c"}) == {
        "G": {"S": "N#n"},
        "PK": {"S": "C#c"},
    }
    with pytest.raises(ModelError, match="give sk=, the template of PK"):
        bind("turned", Key("N#{note}", on="turned"), table, ORDER, "Order")


def test_local_indexes_have_the_partition_of_the_table() -> None:
    table = Table("Things", pk="PK", sk="SK", indexes=[Index("local", sk="L", local=True)])
    key = bind("l", Key("C#{customer_id}", "{placed_at}", on="local"), table, ORDER, "Order")
    assert list(key.encode({"customer_id": "c", "placed_at": JANUARY})) == ["PK", "L"]


def test_bound_keys_compare_by_what_was_declared() -> None:
    assert order_key("A", "{note}") == order_key("A", "{note}")
    assert order_key("A", "{note}") != order_key("B", "{note}")


# --- raw keys ----------------------------------------------------------------------------


def test_raw_keys_hold_values_as_they_are_stored() -> None:
    kinds = {"x": str, "n": int, "when": EpochSeconds}
    key = bound("V#{n}#{when}#{x}", raw=True, **kinds)
    values = {"n": -5, "when": JANUARY, "x": "a #$ b"}
    assert sort_text(key, **values) == "V#-5#1767225600#a #$ b"
    assert key.decode(key.encode(values)) == values
    assert sort_text(bound("V#{n:03d}", raw=True, n=int), n=5) == "V#005"


def test_raw_values_cannot_forge_a_component() -> None:
    key = bound("{x}#{y}", raw=True, x=str, y=str)
    with pytest.raises(KeyValueError, match="field x: 'a#b' holds the delimiter '#'"):
        key.encode({"x": "a#b", "y": "c"})
    assert sort_text(key, x="a", y="b#c") == "a#b#c"
    assert key.decode(key.encode({"x": "a", "y": "b#c"})) == {"x": "a", "y": "b#c"}


def test_raw_numbers_have_no_order() -> None:
    key = bound("V#{n}", raw=True, n=int)
    with pytest.raises(RequestError, match="does not keep the order"):
        key.condition({}, Bounds("n", ge=1))
    padded = bound("V#{n:03d}", raw=True, n=int)
    assert padded.condition({}, Bounds("n", ge=1)).sort is not None
    text = bound("V#{x}:{y}", raw=True, x=str, y=str)
    assert text.condition({}, Bounds("x", begins_with="a")).sort == (
        "SK",
        "begins_with",
        ({"S": "V#a"},),
    )


# --- shaped texts ------------------------------------------------------------------------

SCOPE = r"ORG#[a-z]+(?:#APP#[a-z]+)?"


class Scoped(BaseModel):
    scope: Annotated[str, Shaped(SCOPE)]
    label: str


def scoped_key(template: str) -> BoundKey:
    fields = field_defs(Scoped, None)
    return bind("primary", Key(template), Table("Things", pk="PK"), fields, "Scoped")


@pytest.mark.parametrize("scope", ["ORG#a", "ORG#a#APP#b"])
def test_a_shaped_text_stands_in_a_key_as_it_is_and_comes_back(scope: str) -> None:
    key = scoped_key("{scope}#LABEL#{label}")
    item = key.encode({"scope": scope, "label": "x#y"})
    assert item == {"PK": {"S": f"{scope}#LABEL#x$23y"}}
    assert key.decode(item) == {"scope": scope, "label": "x#y"}


@pytest.mark.parametrize("scope", ["ORG#A", "ORG#a#LABEL#b", "", "ORG#a#APP#", "ORG#a\n"])
def test_a_text_of_another_shape_is_refused_in_key_and_model(scope: str) -> None:
    with pytest.raises(KeyValueError, match="shape"):
        scoped_key("{scope}#LABEL#{label}").encode({"scope": scope, "label": "x"})
    with pytest.raises(ValidationError, match="shape"):
        Scoped(scope=scope, label="x")


def test_a_shape_has_no_capturing_groups() -> None:
    with pytest.raises(ModelError, match=r"\(\?:"):
        Shaped("(a|b)")
