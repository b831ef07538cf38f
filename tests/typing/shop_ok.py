"""A model of a shop with every kind of pattern, for the other files of this folder.

It is checked itself, and `test_shop.py` runs it: what the type checkers see is what happens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel

from tablewright.model import (
    Check,
    Counter,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    IsoSeconds,
    Key,
    Model,
    Projection,
    Put,
    Range,
    Rate,
    Shard,
    Table,
    Ttl,
    Ulid,
    Unique,
    Update,
    Version,
    attr,
    batch,
    check,
    collect,
    count,
    delete,
    find,
    get,
    new_ulid,
    param,
    put,
    query,
    scan,
    total,
    transaction,
    update,
    write,
)

app = Table(
    "Orders",
    pk="PK",
    sk="SK",
    ttl="expires_at",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index("GSI2", pk="GSI2PK", sk="GSI2SK", include=("status",)),
    ],
)


class Address(BaseModel):
    city: str
    zip: str | None = None


class Customer(
    Entity,
    table=app,
    keys={
        "primary": Key("CUST#{customer_id}", "PROFILE"),
        "by_email": Key("EMAIL#{email}", "CUST#{customer_id}", on="GSI1"),
    },
):
    customer_id: Ulid = Field(default_factory=new_ulid)
    email: Annotated[str, Unique("customer-email")]
    credits: int = 0
    address: Address | None = None
    expires_at: Ttl | None = None
    version: Version = 0


class Order(
    Entity,
    table=app,
    keys={
        "primary": Key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}"),
        "open": Key("OPEN", "{placed_at}#{order_id}", on="GSI2", when={"status": {"new", "paid"}}),
    },
    unknown="refuse",
    strict_reads=True,
):
    customer_id: Ulid
    order_id: Ulid = Field(default_factory=new_ulid)
    placed_at: IsoSeconds
    status: Literal["new", "paid", "sent"] = "new"
    price: int = 0


class Refund(
    Entity,
    table=app,
    keys={"primary": Key("CUST#{customer_id}", "ORDER#{placed_at}#{order_id}")},
):
    customer_id: Ulid
    order_id: Ulid = Field(default_factory=new_ulid)
    placed_at: IsoSeconds
    amount: int


class OpenOrder(Projection, of=Order):
    order_id: Ulid
    placed_at: IsoSeconds
    status: str


class Balance(Projection, of=Customer):
    credits: int


class Views(Counter, table=app, keys={"primary": Key("VIEWS#{page}", "SHARD#{shard}")}, shards=8):
    page: str
    shard: Shard = 0
    views: int = 0


@dataclass(frozen=True)
class CustomerView:
    customer: Customer
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class LooseView:
    customer: Customer | None
    orders: list[Order]


# --- reads ---------------------------------------------------------------------------------------


@get(Customer, consistent=True, rate=Rate(400, peak=900))
def customer(customer_id: Ulid) -> None:
    """One customer."""


@get(Customer, into=Balance)
def balance(customer_id: Ulid) -> None:
    """What a customer can spend."""


@get(Order)
def order(customer_id: Ulid, placed_at: datetime, order_id: Ulid) -> None:
    """One order."""


@query(Customer, key="by_email")
def by_email(email: str) -> None:
    """The customer with an email address."""


@query(
    Order,
    range=Range("placed_at", ge="since", lt="until"),
    descending=True,
    filter=attr(Order.price) >= param("least"),
    rate=Rate(40),
    expect=20,
)
def orders_of_customer(
    customer_id: Ulid,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    least: int | None = None,
) -> None:
    """Orders of one customer, newest first."""


@query(Order, key="open", into=OpenOrder)
def open_orders() -> None:
    """Orders to be worked on, as the index holds them."""


@query(Order, key="open", hydrate=True)
def open_orders_whole() -> None:
    """Orders to be worked on, whole."""


@query(Order, Refund)
def everything_of(customer_id: Ulid) -> None:
    """Orders and refunds, in the order of their times."""


@find(Order, descending=True)
def latest_order(customer_id: Ulid) -> None:
    """The order that was placed last."""


@find(Order, key="open", into=OpenOrder)
def oldest_open() -> None:
    """The order that has waited longest."""


@collect(CustomerView)
def customer_view(customer_id: Ulid) -> None:
    """A customer with all orders."""


@collect(LooseView, others="skip")
def loose_view(customer_id: Ulid) -> None:
    """A customer with all orders, if there are any."""


@count(Order)
def order_count(customer_id: Ulid) -> None:
    """How many orders a customer has."""


@scan(Order, admin=True)
def all_orders() -> None:
    """Every order."""


@total(Views)
def views(page: str) -> None:
    """How often a page was seen."""


# --- writes --------------------------------------------------------------------------------------


@write(component="shop")
def sign_up(customer: Customer) -> Put[Customer]:
    return put(customer).new()


@write(component="shop")
def mark(order: Order, status: Literal["new", "paid", "sent"]) -> Update[Order]:
    changed = attr(Order.status).set(status)
    return update(order).do(changed).when(attr(Order.status) == order.status)


@write(component="shop")
def forget(customer_id: Ulid) -> Delete[Customer]:
    return delete(Customer, customer_id)


@transaction(component="checkout", rate=Rate(5))
def place_order(order: Order, price: int) -> tuple[Put[Order], Update[Customer]]:
    """The order, and the credits that pay for it."""
    paid = update(Customer, order.customer_id).do(attr(Customer.credits).add(-price))
    return put(order), paid.when(attr(Customer.credits) >= price)


@transaction(component="checkout")
def replace_order(old: Order, new: Order) -> tuple[Delete[Order], Put[Order], Check[Customer]]:
    """Another order in the place of one, for a customer who is still there."""
    return delete(old), put(new), check(Customer, new.customer_id)


@transaction()
def pair(first: Ulid, second: Ulid) -> tuple[Get[Customer], Get[Balance]]:
    """Two customers at one moment."""
    return customer(first), balance(second)


@transaction()
def place_all(orders: Sequence[Order]) -> list[Put[Order]]:
    """All of the orders, or none."""
    return [put(each) for each in orders]


@batch()
def customers(ids: Sequence[Ulid]) -> list[Get[Customer]]:
    """Many customers."""
    return [customer(each) for each in ids]


@batch()
def store(orders: Sequence[Order]) -> list[Put[Order]]:
    """Many orders; not atomic."""
    return [put(each) for each in orders]


model = Model("shop", __name__)
