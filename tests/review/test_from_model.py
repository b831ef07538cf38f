"""Typed models as designs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from tablewright.model import (
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Model,
    Number,
    Personal,
    Projection,
    Provisioned,
    Put,
    Range,
    Rate,
    Shaped,
    Table,
    Ttl,
    Ulid,
    Unique,
    Update,
    Version,
    attr,
    get,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.model.demo import Demo
from tablewright.review import Suppression, review
from tablewright.review.design import Begins, Between
from tablewright.review.from_model import design_of

app = Table(
    "Shop",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("total", "ends")),
        Index("ByPrice", sk=Number("total"), local=True),
    ],
    ttl="ends",
    billing=Provisioned(5, 6),
    pitr=7,
)


class Order(
    Entity,
    table=app,
    keys={
        "primary": Key("USER#{user}", "ORDER#{placed_at}#{order_id}"),
        "by_state": Key("STATE#{state}", "{placed_at}", on="GSI1", when={"state": {"new", "paid"}}),
        "by_price": Key("{total}", on="ByPrice"),
    },
):
    user: Annotated[str, Shaped("[a-z]+")]
    order_id: Ulid
    placed_at: IsoSeconds
    state: Literal["new", "paid", "sent"] = "new"
    total: int = Field(default=0, ge=0)
    email: Annotated[str | None, Unique("order-email"), Personal()] = None
    tags: set[str] = Field(default_factory=set, max_length=20)
    ends: Ttl | None = None
    version: Version = 0


class Line(Projection, of=Order):
    order_id: Ulid
    total: int


@get(Order)
def order(user: str, placed_at: datetime, order_id: Ulid) -> None:
    """One order."""


@query(Order, range=Range("placed_at", ge="since"), descending=True, rate=Rate(3, peak=9), expect=5)
def orders(user: str, *, since: datetime | None = None) -> None:
    """Orders of a user."""


@query(Order, key="by_state", into=Line)
def orders_in_state(state: Literal["new", "paid"]) -> None:
    """What is to be done."""


@write(component="checkout")
def pay(order: Order) -> Update[Order]:
    """Mark it as paid."""
    return update(order).do(attr(Order.state).set("paid"))


@transaction()
def place(order: Order) -> tuple[Put[Order]]:
    """A new order."""
    return (put(order).new(),)


model = Model("shop", __name__)
SAMPLE = Order(
    user="ada",
    order_id="01ARZ3NDEKTSV4RRFFQ69G5FAV",
    placed_at=datetime(2026, 11, 1, tzinfo=UTC),
    email="ada@example.com",
)
DEMO = Demo([SAMPLE], {"pay": pay(SAMPLE), "place": place(SAMPLE)})
DESIGN = design_of(model, DEMO)
(ORDER,) = DESIGN.entities
PATTERNS = {each.name: each for each in DESIGN.patterns}


def test_tables() -> None:
    (table,) = DESIGN.tables
    assert [each.name for each in (*table.partition, *table.sort)] == ["PK", "SK"]
    assert (table.billing, table.read_units, table.write_units) == ("provisioned", 5, 6)
    assert (table.ttl, table.pitr) == ("ends", 7)
    index, local = table.indexes
    assert index.projection == ("total", "ends", "entity_type")
    assert (local.local, local.pk, local.sort[0].type) == (True, None, "N")


def test_keys() -> None:
    primary, by_state, by_price = ORDER.keys
    assert primary.templates == ("USER#{user}", "ORDER#{placed_at}#{order_id}")
    assert by_state.on == "GSI1"
    assert sorted(by_state.when["state"]) == ["new", "paid"]  # type: ignore[call-overload]
    assert by_price.templates == ("{total}",)
    assert all(key.escaped for key in ORDER.keys)


def test_attributes() -> None:
    known = {each.name: each for each in ORDER.attributes}
    assert known["order_id"].format == "ulid"
    assert known["user"].pattern == "[a-z]+"
    assert known["placed_at"].format == "iso_seconds"
    assert known["state"].values == ("new", "paid", "sent")
    assert (known["state"].required, known["state"].default) == (False, True)
    assert (known["tags"].type, known["tags"].max_items, known["tags"].required) == (
        "SS",
        20,
        False,
    )
    assert known["email"].personal
    assert ORDER.unique[0].lock is not None
    assert (ORDER.version, ORDER.ttl) == ("version", "ends")


def test_reads() -> None:
    one = PATTERNS["order"].key
    assert one == {"PK": "USER#{user}", "SK": "ORDER#{placed_at}#{order_id}"}
    many = PATTERNS["orders"]
    assert many.key == {"PK": "USER#{user}", "SK": Between("ORDER#", "ORDER#")}
    assert (many.rate, many.peak, many.expect, many.descending) == (3, 9, 5, True)
    listed = PATTERNS["orders_in_state"]
    assert (listed.index, listed.key["GSI1PK"]) == ("GSI1", "STATE#{state}")
    assert listed.reads == ("order_id", "total")


def test_a_prefix_is_seen() -> None:
    bare = design_of(model)
    (pattern,) = (each for each in bare.patterns if each.name == "orders_in_state")
    assert "GSI1SK" not in pattern.key or isinstance(pattern.key["GSI1SK"], Begins)


def test_writes_are_what_the_sample_calls_would_send() -> None:
    paid = PATTERNS["pay"]
    assert paid.kind == "update"
    assert paid.update is not None
    assert paid.condition is not None
    assert paid.component == "checkout"
    assert "GSI1PK" in paid.names.values(), "index keys follow"
    (member,) = PATTERNS["place"].members
    assert (member.kind, member.entity, member.new) == ("put", "Order", True)
    assert "attribute_not_exists" in (member.condition or "")


def test_writes_that_no_made_up_arguments_fit_are_not_judged() -> None:
    """Nobody can guess a user of this shape."""
    bare = {each.name: each for each in design_of(model).patterns}
    assert bare["pay"].opaque
    assert [member.opaque for member in bare["place"].members] == [True]


def test_samples_and_suppressions() -> None:
    (sample,) = DESIGN.samples
    assert sample.entity == "Order"
    accepted = [Suppression("X01", "*", "shown to nobody")]
    assert design_of(model, DEMO, accepted).suppressions == tuple(accepted)


def test_nothing_grave_is_found() -> None:
    assert [
        f"{f.code} {f.place}: {f.message}" for f in review(DESIGN).findings if f.severity == "error"
    ] == []
