"""What is proposed for tables of many kinds, and that it gives back what is stored."""

from __future__ import annotations

from typing import Any

import pytest
from tests.adopt.tables import GSI1, item, keys, proposed, strays, table, types

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Index, Number
from tablewright.model.definition import entity_of
from tablewright.values import Item

ULID = "01KJH6F0000000000000000{:03d}"
DAYS = [f"2026-03-{day:02d}T09:00:00Z" for day in range(1, 29)]


def customers(number: int = 6, **more: Any) -> list[Item]:
    return [
        item(PK=f"CUST#{n}", SK="PROFILE", customer_id=str(n), email=f"p{n}@example.com", **more)
        for n in range(number)
    ]


def orders(number: int = 12) -> list[Item]:
    return [
        item(
            PK=f"CUST#{n % 3}",
            SK=f"ORDER#{DAYS[n]}#{ULID.format(n)}",
            customer_id=str(n % 3),
            placed_at=DAYS[n],
            order_id=ULID.format(n),
            total=n + 0.5,
        )
        for n in range(number)
    ]


# --- entities and keys ---------------------------------------------------------------------------


def test_entities_are_told_by_their_keys() -> None:
    found = proposed(customers() + orders())
    assert keys(found) == {
        "Order": ("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}"),
        "Cust": ("CUST#{customer_id}", "PROFILE"),
    }
    assert strays(found) == []
    assert found.model.tables["Legacy"].discriminator is None


def test_an_attribute_that_tells_them_apart_is_used() -> None:
    tagged = [{**each, "type": {"S": "customer"}} for each in customers()]
    tagged += [{**each, "type": {"S": "order"}} for each in orders()]
    found = proposed(tagged)
    assert found.model.tables["Legacy"].discriminator == "type"
    assert set(keys(found)) == {"Customer", "Order"}
    assert strays(found) == []


def test_a_kind_of_product_tells_nothing_apart() -> None:
    books = [item(PK=f"P#{n}", SK="PRODUCT", id=str(n), type="book") for n in range(5)]
    discs = [item(PK=f"P#{n}", SK="PRODUCT", id=str(n), type="disc") for n in range(5, 9)]
    found = proposed(books + discs)
    assert found.model.tables["Legacy"].discriminator is None
    assert keys(found) == {"Product": ("P#{id}", "PRODUCT")}


@pytest.mark.parametrize("sign", ["|", ":", "/", "_"])
def test_other_delimiters(sign: str) -> None:
    items = [
        item(PK=f"user{sign}{n}", SK=f"login{sign}{1700000000 + n}", id=n, at=1700000000 + n)
        for n in range(8)
    ]
    found = proposed(items)
    assert found.model.tables["Legacy"].delimiter == sign
    assert keys(found) == {"Login": (f"user{sign}{{id}}", f"login{sign}{{at}}")}
    assert types(found, "Login") == {"id": "int", "at": "EpochSeconds"}
    assert strays(found) == []


def test_numbers_with_leading_zeros_have_a_width() -> None:
    items = [item(PK=f"SHELF#{n:04d}", SK="SHELF", shelf=n) for n in range(1, 30, 4)]
    assert keys(proposed(items)) == {"Shelf": ("SHELF#{shelf:04d}", "SHELF")}


def test_labels_before_values_are_literal() -> None:
    items = [
        item(pk=f"$shop#user_{ULID.format(n)}", sk="$user_1", user=ULID.format(n), __edb_e__="user")
        for n in range(4)
    ]
    found = proposed(items, table(pk="pk", sk="sk"))
    assert keys(found)["User"] == ("$shop#user_{user}", "$user_1")
    assert strays(found) == []


def test_a_value_at_the_end_may_hold_the_delimiter() -> None:
    items = [item(PK=f"PAGE#{n}", SK=f"PATH#a#{n}#c", n=n, path=f"a#{n}#c") for n in range(5)]
    found = proposed(items)
    assert keys(found) == {"Path": ("PAGE#{n}", "PATH#{path}")}
    assert strays(found) == []


def test_keys_whose_values_stand_nowhere_else_are_fields_of_a_shape() -> None:
    items = [item(PK=f"USER#{n}", SK="PROFILE", age=n + 30) for n in range(4)]
    items += [item(PK=f"USER#{n}", SK=f"POST#{n}{k}", text="hello") for n in range(4) for k in "ab"]
    found = proposed(items)
    assert keys(found) == {"User": ("{pk}", "PROFILE"), "Post": ("{pk}", "{sk}")}
    assert 'Shaped("POST#.+")' in found.source
    assert strays(found) == []


def test_plain_tables_stay_plain() -> None:
    items = [item(user="ada", at=n, note="x") for n in range(4)]
    items += [item(user="bob", at=n, note="y") for n in range(4)]
    found = proposed(items, table("Notes", pk="user", sk=Number("at")))
    assert keys(found) == {"Notes": ("{user}", "{at}")}
    assert "ada" not in found.source


# --- fields --------------------------------------------------------------------------------------


def test_types_of_fields() -> None:
    states = ["new", "paid", "sent"]
    items = [
        item(
            PK=f"O#{n}",
            SK="ORDER",
            id=f"{n}",
            whole=n,
            exact=n + 0.25,
            flag=n % 2 == 0,
            ulid=ULID.format(n),
            uuid=f"00000000-0000-4000-8000-{n:012d}",
            seconds=DAYS[n],
            millis=DAYS[n].replace("Z", ".123Z"),
            micros=DAYS[n].replace("Z", ".123456Z"),
            offset=DAYS[n].replace("Z", "+00:00"),
            day=DAYS[n][:10],
            created_at=1_700_000_000 + n,
            updatedAt=1_700_000_000_000 + n,
            state=states[n % 3],
            tags={"a", f"b{n}"},
            lines=[f"{n}"],
            mixed=[1, "x"],
            counts={"x": n},
            **({"maybe": "x y"} if n else {}),
        )
        for n in range(21)
    ]
    found = proposed(items)
    assert types(found, "Order") == {
        "id": "str",
        "whole": "int",
        "exact": "Decimal",
        "flag": "bool",
        "ulid": "Ulid",
        "uuid": "Uuid",
        "seconds": "IsoSeconds",
        "millis": "IsoMillis",
        "micros": "datetime",
        "offset": "str",
        "day": "date",
        "created_at": "EpochSeconds",
        "updatedAt": "EpochMillis",
        "state": 'Literal["new", "paid", "sent"]',
        "tags": "set[str]",
        "lines": "list[str]",
        "mixed": "list[Any]",
        "counts": "dict[str, int]",
        "maybe": "str?",
    }
    assert strays(found) == []


def test_what_no_type_gives_back_is_kept_as_it_is() -> None:
    items = customers(4)
    items[0]["gone"] = {"NULL": True}
    items[1]["gone"] = {"S": "x"}
    found = proposed(items)
    assert "gone" not in types(found, "Cust")
    assert strays(found) == []
    (adopted,) = found.tables
    assert adopted.draft.entities[0].undeclared == ("gone",)


def test_the_time_to_live_is_one() -> None:
    ends = [{**each, "ends": {"N": str(1_900_000_000 + n)}} for n, each in enumerate(customers())]
    found = proposed(ends, table(ttl="ends"))
    assert types(found, "Cust")["ends"] == "Ttl"
    del ends[0]["ends"]
    ends[1]["ends"] = {"S": "never"}
    found = proposed(ends, table(ttl="ends"))
    assert "ends" not in types(found, "Cust")
    assert strays(found) == []


# --- indexes -------------------------------------------------------------------------------------


def indexed(state_of: Any, enters: Any) -> list[Item]:
    items = []
    for number, each in enumerate(orders(24)):
        state = state_of(number)
        more = {"GSI1PK": {"S": "OPEN"}, "GSI1SK": each["placed_at"]} if enters(number) else {}
        items.append({**each, "state": {"S": state}, **more})
    return items


def test_a_sparse_index_is_explained_by_a_field() -> None:
    items = indexed(lambda n: ["new", "paid", "sent"][n % 3], lambda n: n % 3 < 2)
    found = proposed(items, table(indexes=[GSI1]))
    assert 'Key("OPEN", "{placed_at}", on="GSI1", when={"state": {"new", "paid"}}' in (
        " ".join(found.source.split()).replace("( ", "(").replace(", )", ")")
    )
    assert strays(found) == []


def test_what_nothing_explains_is_a_field() -> None:
    items = indexed(lambda n: "new", lambda n: n in (3, 7, 8))
    found = proposed(items, table(indexes=[GSI1]))
    assert types(found, "Order")["gsi1pk"] == "str?"
    assert strays(found) == []


def test_an_inverted_index() -> None:
    inverted = Index("Inverted", pk="SK", sk="PK")
    found = proposed(orders(), table(indexes=[inverted]))
    assert 'Key("ORDER#{placed_at}#{order_id}", "CUST#{customer_id}", on="Inverted"' in (
        " ".join(found.source.split()).replace("( ", "(")
    )
    assert strays(found) == []


def test_tables_and_indexes_are_exactly_as_they_are() -> None:
    from tablewright.deploy.state import declared
    from tablewright.model import OnDemand, Provisioned

    own = table(
        indexes=[
            Index("ByTotal", sk=Number("total"), local=True),
            Index("ByMail", pk="email", include=("customer_id",), billing=Provisioned(3, 4)),
            Index("Keys", pk=("a", "b"), sk=("c", Number("d")), keys_only=True),
        ],
        billing=Provisioned(7, 8),
        ttl="ends",
        stream="NEW_IMAGE",
        pitr=14,
        tags={"team": 'the "blue" one'},
        table_class="STANDARD_INFREQUENT_ACCESS",
        deletion_protection=True,
    )
    found = proposed(customers() + orders(), own)
    assert declared(found.model.tables["Legacy"], "Legacy") == declared(own, "Legacy")
    other = table(billing=OnDemand(max_read_units=50), pitr=True)
    found = proposed(customers(), other)
    assert declared(found.model.tables["Legacy"], "Legacy") == declared(other, "Legacy")


# --- junk, and nothing ---------------------------------------------------------------------------


def test_junk_is_listed_and_the_rest_is_found() -> None:
    junk = [
        item(PK="x9", SK="?", what=1),
        item(PK="2024-01-01", SK="-", what="else"),
    ]
    found = proposed(customers(12) + orders(24) + junk)
    assert set(keys(found)) == {"Cust", "Order"}
    assert strays(found) == junk


def test_one_broken_item_in_many_does_not_spoil_the_template() -> None:
    items = customers(30)
    items[7]["customer_id"] = {"S": "lost"}
    found = proposed(items)
    assert keys(found) == {"Cust": ("CUST#{customer_id}", "PROFILE")}
    assert strays(found) == [items[7]]
    (adopted,) = found.tables
    assert adopted.exact == {"Cust": 29}
    assert "PK" in adopted.strays[0].reason


def test_half_of_them_broken_is_no_template() -> None:
    items = customers(30)
    for each in items[::2]:
        each["customer_id"] = {"S": "lost"}
    found = proposed(items)
    assert keys(found) == {"Cust": ("{pk}", "PROFILE")}
    assert strays(found) == []


def test_an_empty_table_has_its_keys() -> None:
    found = proposed([], table("Empty", indexes=[GSI1], sk=Number("at")))
    assert keys(found) == {"Empty": ("{pk}", "{at}")}
    assert types(found, "Empty")["gsi1pk"] == "str?"
    with Engine.memory() as engine:
        Db(Embedded(engine)).create_tables(found.model)


def test_names_that_python_has_other_plans_for() -> None:
    items = [
        {
            **item(
                PK=f"VALUE#{n}",
                SK="VALUE",
                **{"class": n, "model_config": "x", "date": DAYS[n][:10]},
            ),
            **item(
                **{"with space": 1, "_et": "Table", "9": "nine", "Ünïcode": "u", 'q"uote\\': "\n"}
            ),
            **item(value=str(n), day=DAYS[n][:10], status=["on", "off"][n % 2]),
        }
        for n in range(24)
    ]
    found = proposed(items)
    assert strays(found) == []
    assert set(keys(found)) == {"Table2"}


# --- privacy -------------------------------------------------------------------------------------


def test_no_value_of_an_item_gets_into_the_module() -> None:
    people = ["ada", "bob", "eve", "joe", "sue", "tim"]
    items = [
        item(PK=f"{name}#{n}", SK=f"note#{name}", name=name, city="oslo", country="NO", text="hi")
        for name in people
        for n in range(6)
    ]
    items += [item(PK=f"USER#{name}", SK="PROFILE", owner=name, city="oslo") for name in people]
    found = proposed(items)
    for word in (*people, "oslo", '"NO"', "hi "):
        assert word not in found.source
    assert strays(found) == []


def test_names_that_look_personal_are_marked() -> None:
    source = proposed(customers()).source
    assert "email: Annotated[str, Personal()]" in source


# --- in use --------------------------------------------------------------------------------------


def test_the_patterns_find_what_is_stored() -> None:
    items = [item(PK=f"USER#{n}", SK="PROFILE", age=n + 30) for n in range(4)]
    items += [item(PK=f"USER#{n}", SK=f"POST#{n}{k}", text="hello") for n in range(4) for k in "ab"]
    items += orders()
    found = proposed(items)
    own = found.model.tables["Legacy"]
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(found.model)
        for each in items:
            engine.call("PutItem", {"TableName": "Legacy", "Item": each})
        ask = found.model.patterns
        assert db.run(ask["user"]("USER#1")).age == 31
        assert [each.sk for each in db.run(ask["posts"]("USER#2"))] == ["POST#2a", "POST#2b"]
        late = db.run(ask["orders"]("1", since=None))
        assert [each.order_id for each in late] == [ULID.format(n) for n in (1, 4, 7, 10)]
        first = late[0]
        assert db.run(ask["delete_order"](first)) == first
        assert db.run(ask["create_order"](first)) == first
        stored = engine.call("Scan", {"TableName": "Legacy"})["Items"]

    def order(each: Item) -> str:
        return f"{each['PK']} {each['SK']}"

    assert sorted(stored, key=order) == sorted(items, key=order)
    assert all(entity_of(own, each) is not None for each in stored)


@pytest.mark.parametrize("sign", ["#", "_"])
def test_no_entity_gives_back_more_items_than_it_has(sign: str) -> None:
    """Keys whose ids stand nowhere else, and that other kinds of items have too."""
    users = [
        item(PK=f"$shop{sign}u{n}", SK="$user_1", __edb_e__="user", a=str(n)) for n in range(3)
    ]
    posts = [item(PK=f"$shop{sign}u{n}", SK=f"$post_{n}", __edb_e__="post", b=n) for n in range(3)]
    rest = [item(PK=f"u{n}", SK=f"p{n}", c=n) for n in range(3)]
    for items in (users + posts, users + posts + rest, customers(3) + rest):
        found = proposed(items)
        for adopted in found.tables:
            assert sum(adopted.exact.values()) + len(adopted.strays) == len(items)
            for entity in adopted.draft.entities:
                assert adopted.exact[entity.name] <= len(entity.items)
