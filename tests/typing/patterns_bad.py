"""Patterns that both type checkers have to refuse, and calls of good ones, line by line."""

# ruff: noqa: B018
from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from shop_ok import (
    Address,
    Balance,
    Customer,
    CustomerView,
    OpenOrder,
    Order,
    Views,
    all_orders,
    customer,
    customers,
    mark,
    order,
    orders_of_customer,
    place_order,
    store,
)

from tablewright.model import (
    Check,
    Delete,
    Get,
    Put,
    Range,
    Rate,
    Update,
    attr,
    batch,
    check,
    collect,
    count,
    delete,
    find,
    get,
    put,
    query,
    scan,
    total,
    transaction,
    update,
    write,
)

now = datetime.now(UTC)
something = Order(customer_id="x", placed_at=now)

# Calls.
customer()  # E: "customer_id" | Too few
customer(3)  # E: "int" | Literal[3]
customer("x", "y")  # E: Too many | positional
customer(customer="x")  # E: "customer"
order("x", "2026", "y")  # E: "str" | datetime
order("x", now)  # E: "order_id" | Too few
orders_of_customer("x", now)  # E: Too many | positional
orders_of_customer("x", since="2026")  # E: "since"
orders_of_customer("x", limit=3)  # E: "limit"
all_orders("x")  # E: Too many | positional
mark(something)  # E: "status" | Too few
mark(something, "lost")  # E: lost
mark(Customer(email="x"), "paid")  # E: "Order"
place_order(something, "x")  # E: "price" | "int"
customers("x", "y")  # E: Too many | positional
store([Customer(email="x")])  # E: "Order"
customer.consistnt  # E: "consistnt"
customer("x").when(attr(Customer.credits) == 0)  # E: "when"
mark(something, "paid").opt()  # E: "opt"


# What decorators take.
@get(Address)  # E: "get" | "Address"
def no_entity(city: str) -> None: ...


@get(Customer, into=Order)  # E: "get" | "Order"
def no_projection(customer_id: str) -> None: ...


@get(Customer, consistant=True)  # E: "consistant" | No overload
def misspelt(customer_id: str) -> None: ...


@query(Order, limit="x")  # E: "limit" | No overload
def no_limit(customer_id: str) -> None: ...


@query(Order, range="placed_at")  # E: "range" | No overload
def no_range(customer_id: str) -> None: ...


@query(Order, filter=attr(Order.price) == "x")  # E: "filter" | No overload
def no_filter(customer_id: str) -> None: ...


@query(Order, into=OpenOrder, hydrate=True)  # E: "hydrate" | No overload
def half_and_whole() -> None: ...


@find(Order, into=OpenOrder, hydrate=True)  # E: "hydrate" | No overload
def one_half() -> None: ...


@query(Customer, Order, into=OpenOrder)  # E: "into" | No overload
def several_halves(customer_id: str) -> None: ...


@query(Order, range=Range("placed_at", min="since"))  # E: "min"
def no_operator(customer_id: str, since: datetime) -> None: ...


@query(Order, rate=3)  # E: "rate" | No overload
def no_rate(customer_id: str) -> None: ...


@query(Order, rate=Rate("x"))  # E: "Rate" | "average"
def no_number(customer_id: str) -> None: ...


@count(Order, descending=True)  # E: "descending"
def no_order(customer_id: str) -> None: ...


@scan(Order)  # E: "admin"
def everything() -> None: ...


@total(Order)  # E: "total" | "Order"
def no_counter(customer_id: str) -> None: ...


@collect(CustomerView, others="drop")  # E: "others"
def no_policy(customer_id: str) -> None: ...


# A stub has no body, so it returns nothing.
@get(Customer)  # E: str
def answers(customer_id: str) -> str:
    return customer_id


# What the bodies of writes return.
@write()  # E: "write" | "decorate" | "Pattern" | Check
def no_write(customer_id: str) -> Check[Customer]:
    return check(Customer, customer_id)


@write()  # E: Get
def a_read(customer_id: str) -> Get[Customer]:
    return customer(customer_id)


@write()  # E: None
def nothing(customer_id: str) -> None: ...


@write()
def other_entity(customer_id: str) -> Update[Order]:
    return update(Customer, customer_id)  # E: Customer


@write()
def other_verb(order: Order) -> Put[Order]:
    return delete(order)  # E: Delete[Order]


@write(rat=Rate(3))  # E: "rat"
def misspelt_write(order: Order) -> Put[Order]:
    return put(order)


@transaction()
def other_member(order: Order) -> tuple[Put[Order], Update[Customer]]:
    return put(order), delete(Customer, order.customer_id)  # E: Delete[Customer]


@transaction()  # E: __call__ | overload
def no_members(order: Order) -> Order:
    return order


@transaction()  # E: __call__ | overload
def a_page(customer_id: str) -> tuple[object, object]:
    return orders_of_customer(customer_id), customer(customer_id)


@batch()  # E: Check
def checks(ids: Sequence[str]) -> list[Check[Customer]]:
    return [check(Customer, each) for each in ids]


@batch()
def other_batch(orders: Sequence[Order]) -> list[Delete[Order]]:
    return [put(each) for each in orders]  # E: Put[Order]


# Fields of results are those of the entity, the projection or the view.
def fields(view: CustomerView, line: OpenOrder, sums: Views, spent: Balance) -> None:
    view.customers  # E: "customers"
    view.orders.price  # E: "price"
    view.orders[0].cost  # E: "cost"
    line.price  # E: "price"
    sums.view  # E: "view"
    spent.email  # E: "email"
