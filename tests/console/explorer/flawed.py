"""A made-up model in which the review finds something at every kind of place; it has no demo."""

from __future__ import annotations

from typing import Annotated

from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Personal,
    Put,
    Table,
    Unique,
    put,
    query,
    scan,
    write,
)
from tablewright.service.system import Parts, System

shop = Table(
    "Flawed",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("status",)),
        Index("GSI2", pk="GSI2PK"),
    ],
)


class Customer(
    Entity,
    table=shop,
    keys={
        "primary": Key("CUSTOMER#{email}", "PROFILE"),
        "by_status": Key("STATUS#{status}", "CUSTOMER#{email}", on="GSI1"),
    },
):
    """Who buys. `email` is personal, and in the key."""

    email: Annotated[str, Personal()]
    name: Annotated[str, Unique("customer-name")]
    status: str = "active"
    price: float = 0


class Order(Entity, table=shop, keys={"primary": Key("CUSTOMER#{email}", "ORDER#{number}")}):
    """What they bought."""

    email: Annotated[str, Personal()]
    number: int


@query(Customer, key="by_status", hydrate=True)
def customers_with_status(status: str) -> None:
    """Customers, by what they are."""


@scan(Order, admin=True)
def all_orders() -> None:
    """Every order there is."""


@write(component="shop")
def add_customer(customer: Customer) -> Put[Customer]:
    """A customer."""
    return put(customer)


model = Model("flawed", __name__)
system = System(
    name="flawed",
    title="Flawed",
    about="A shop in which much is wrong.",
    model=model,
    build=lambda runtime: Parts(routers=()),
)
