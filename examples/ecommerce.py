"""An online shop: customers with their addresses, orders with their items.

A customer's partition holds the orders and, behind them, the customer: read backwards, it begins
with the customer and the latest orders. The index holds an order together with its items. The
addresses, of which nobody has many, are a map inside the customer.

Access patterns:

============================  ==============================================================
create a customer             ``register``: user name and e-mail address are unique
sign in by address            ``customer_with_email``
keep addresses                ``save_address``, ``remove_address``: at most 20
view a customer               ``customer``
a customer's start page       ``customer_with_orders``: the customer and the latest ten orders
recent orders of a customer   ``orders_of_customer``, page by page, the latest first
place an order                ``place_order``: order and items, or nothing
change an order's status      ``move_order``: only along the allowed ways
view an order with its items  ``order_with_items``
orders to be packed           ``orders_to_pack``, the oldest first, for all customers
============================  ==============================================================
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Check,
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Model,
    Put,
    Range,
    Rate,
    Table,
    Ulid,
    Unique,
    Update,
    attr,
    check,
    collect,
    find,
    get,
    new_ulid,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.model.errors import ConditionFailed, UniqueViolation

MAX_ADDRESSES = 20
LATEST_ORDERS = 10

table = Table(
    "Shop",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK"),
        Index("GSI2", pk="GSI2PK", sk="GSI2SK"),
    ],
)

Status = Literal["accepted", "packed", "shipped", "delivered", "cancelled"]
#: What an order may have been before.
BEFORE: dict[Status, tuple[Status, ...]] = {
    "accepted": (),
    "packed": ("accepted",),
    "shipped": ("packed",),
    "delivered": ("shipped",),
    "cancelled": ("accepted", "packed"),
}


class Address(BaseModel):
    street: str
    city: str
    country: str


class Customer(
    Entity,
    table=table,
    keys={
        # After ORDER#..., so that what is read backwards begins with it.
        "primary": Key("CUSTOMER#{user_name}", "PROFILE"),
        "by_email": Key("EMAIL#{email}", "PROFILE", on="GSI1"),
    },
):
    user_name: str
    email: Annotated[str, Unique("customer-email")]
    name: str
    addresses: dict[str, Address] = Field(default_factory=dict)


class Order(
    Entity,
    table=table,
    keys={
        "primary": Key("CUSTOMER#{user_name}", "ORDER#{order_id}"),
        "with_items": Key("ORDER#{order_id}", "ORDER", on="GSI1"),
        "to_pack": Key("TO_PACK", "{order_id}", on="GSI2", when={"status": "accepted"}),
    },
):
    user_name: str
    #: A ULID sorts by the time it was made: the orders of a customer are in their order.
    order_id: Ulid = Field(default_factory=new_ulid)
    placed_at: IsoSeconds
    status: Status = "accepted"
    ship_to: Address
    total: Decimal


class OrderItem(
    Entity,
    table=table,
    keys={
        "primary": Key("ORDER#{order_id}", "ITEM#{position}"),
        "with_items": Key("ORDER#{order_id}", "ITEM#{position}", on="GSI1"),
    },
):
    order_id: Ulid
    position: int = Field(ge=1, le=98)
    product: str
    price: Decimal
    quantity: int = Field(ge=1)


@dataclass(frozen=True)
class CustomerWithOrders:
    customer: Customer
    orders: tuple[Order, ...]


@dataclass(frozen=True)
class OrderWithItems:
    order: Order
    items: tuple[OrderItem, ...]


# --- customers -----------------------------------------------------------------------------------


@write(component="accounts", rate=Rate(2))
def register(customer: Customer) -> Put[Customer]:
    """A new customer: neither the user name nor the address is taken."""
    return put(customer).new()


@get(Customer, rate=Rate(200, peak=600))
def customer(user_name: str) -> None:
    """One customer, with all addresses."""


@find(Customer, key="by_email", rate=Rate(20))
def customer_with_email(email: str) -> None:
    """Whose e-mail address this is, if it is anybody's."""


@collect(CustomerWithOrders, descending=True, limit=1 + LATEST_ORDERS, rate=Rate(100), expect=11)
def customer_with_orders(user_name: str) -> None:
    """A customer and the latest orders, by one request."""


@write(component="accounts", rate=Rate(1))
def save_address(user_name: str, label: str, address: Address) -> Update[Customer]:
    """Add an address or change it, as long as there are not too many."""
    saved = update(Customer, user_name).do(attr(Customer.addresses[label]).set(address))
    return saved.when(
        attr(Customer.addresses[label]).exists() | (attr(Customer.addresses).size() < MAX_ADDRESSES)
    )


@write(component="accounts", rate=Rate(1))
def remove_address(user_name: str, label: str) -> Update[Customer]:
    """Forget an address; orders that went there keep theirs."""
    return update(Customer, user_name).do(attr(Customer.addresses[label]).remove())


# --- orders --------------------------------------------------------------------------------------


@transaction(component="checkout", rate=Rate(10, peak=80), expect=6)
def place_order(
    order: Order, items: Sequence[OrderItem]
) -> tuple[Check[Customer], Put[Order], *tuple[Put[OrderItem], ...]]:
    """An order and its items, for a customer that is there."""
    return (
        check(Customer, order.user_name),
        put(order).new(),
        *(put(item).new() for item in items),
    )


@query(
    Order,
    range=Range("order_id", lt="before"),
    descending=True,
    limit=LATEST_ORDERS,
    rate=Rate(20),
    expect=10,
)
def orders_of_customer(user_name: str, *, before: Ulid | None = None) -> None:
    """A customer's orders, the latest first."""


@collect(OrderWithItems, key="with_items", rate=Rate(60), expect=5)
def order_with_items(order_id: Ulid) -> None:
    """One order and everything in it."""


@write(component="warehouse", rate=Rate(30))
def move_order(order: Order, status: Status) -> Update[Order]:
    """The next step of an order, from a status that allows it."""
    moved = update(order).do(attr(Order.status).set(status))
    return moved.when(attr(Order.status).is_in(BEFORE[status]))


@query(Order, key="to_pack", rate=Rate(1), expect=50)
def orders_to_pack() -> None:
    """What the warehouse has to do, the oldest first."""


model = Model("ecommerce", __name__)


def new_order(
    user_name: str, ship_to: Address, now: datetime, *wanted: tuple[str, str, int]
) -> tuple[Order, list[OrderItem]]:
    """An order for products, each with its price and quantity."""
    total = sum((Decimal(price) * quantity for _, price, quantity in wanted), Decimal(0))
    order = Order(user_name=user_name, placed_at=now, ship_to=ship_to, total=total)
    items = [
        OrderItem(
            order_id=order.order_id,
            position=position,
            product=product,
            price=Decimal(price),
            quantity=quantity,
        )
        for position, (product, price, quantity) in enumerate(wanted, 1)
    ]
    return order, items


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(model)
        db.run(register(Customer(user_name="ada", email="ada@example.com", name="Ada")))
        try:
            db.run(register(Customer(user_name="adele", email="ada@example.com", name="Adele")))
        except UniqueViolation as error:
            print("taken:", error.constraint)

        home = Address(street="12 St James's Square", city="London", country="GB")
        ada = db.run(save_address("ada", "home", home))
        print("addresses:", *ada.addresses)

        now = datetime(2026, 3, 2, tzinfo=UTC)
        for day in range(3):
            placed_at = now + timedelta(days=day)
            db.run(place_order(*new_order("ada", home, placed_at, ("tea", "4.50", day + 1))))
        first = db.run(orders_to_pack())[0]
        db.run(move_order(first, "packed"))
        print("left to pack:", len(db.run(orders_to_pack())))
        try:
            db.run(move_order(first, "delivered"))
        except ConditionFailed:
            print("not delivered before it is shipped")

        found = db.require(customer_with_email("ada@example.com"))
        start = db.run(customer_with_orders(found.user_name))
        print(start.customer.name, "has", len(start.orders), "orders")
        page = db.run(orders_of_customer("ada"), limit=2)
        print("latest orders:", *(f"{each.total:.2f}" for each in page))
        page = db.run(orders_of_customer("ada"), limit=2, cursor=page.cursor)
        print("and before:", *(f"{each.total:.2f}" for each in page))
        view = db.run(order_with_items(first.order_id))
        print(view.order.status, *(f"{each.quantity} {each.product}" for each in view.items))


if __name__ == "__main__":
    main()
