"""Uses of entities and projections that both type checkers have to refuse, line by line.

What stands in the head of a class (``table=``, ``keys=``) is not here: neither checker looks at it
where a class is made like a dataclass. It is checked when the class is created.
"""

# ruff: noqa: B018
from __future__ import annotations

from datetime import UTC, datetime

from shop_ok import Balance, Customer, OpenOrder, Order, Views

from tablewright.model import (
    Condition,
    attr,
    check,
    definition,
    delete,
    increment,
    put,
    some,
    update,
)

now = datetime.now(UTC)

# Constructors.
Customer()  # E: "email"
Customer(email=3)  # E: "email" | "Literal[3]"
Customer(email="a@b.example", credits="x")  # E: "credits" | "str"
Customer(email="a@b.example", credit=3)  # E: "credit"
Customer("a@b.example")  # E: positional
Order(customer_id="x", placed_at="2026")  # E: "placed_at" | "str"
Order(customer_id="x")  # E: "placed_at"
Order(customer_id="x", placed_at=now, status="lost")  # E: "status"

customer = Customer(email="a@b.example")
order = Order(customer_id="x", placed_at=now)
line = OpenOrder(order_id="x", placed_at=now, status="new")

# Fields of instances and classes.
customer.credit  # E: "credit"
customer.credits = "x"  # E: "int"
order.status = "lost"  # E: lost
customer.address.city  # E: "city"
Customer.credit  # E: "credit"
line.price  # E: "price"
Balance(credits=1).email  # E: "email"
OpenOrder(order_id="x", placed_at=now)  # E: "status"

# Conditions and changes.
attr(Customer.credit)  # E: "credit"
attr(Customer.address.city)  # E: "city"
attr(some(Customer.address).town)  # E: "town"
attr(Customer.email).add(1)  # E: add
put(order).when(attr(Customer.credits) == "x")  # E: "bool"
put(order).when(order.price == 3)  # E: "bool"
update(order).do(attr(Order.price).set("x"))  # E: "set"
update(order).do(attr(Order.price) > 3)  # E: "Condition"
update(order).when(attr(Order.price).add(1))  # E: "Condition"
condition: Condition = attr(Order.price) >= "x"  # E: Attr[int]

# Verbs.
put(Order)  # E: "put"
put("x")  # E: "put"
put(line)  # E: "put"
put(order).nwe()  # E: "nwe"
update(order, "x")  # E: "update"
update("x")  # E: "update"
delete(line)  # E: "delete"
check(order)  # E: "check"
check("x")  # E: "check"
update(order).at_version("x")  # E: "at_version"
increment(Order, lane="x", price=1)  # E: "increment"
increment(Views, page="home", views=1)  # E: "lane"
definition("x")  # E: "definition"
