from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from examples.ecommerce import (
    LATEST_ORDERS,
    MAX_ADDRESSES,
    Address,
    Customer,
    CustomerWithOrders,
    Order,
    OrderWithItems,
    Status,
    customer,
    customer_with_email,
    customer_with_orders,
    model,
    move_order,
    new_order,
    order_with_items,
    orders_of_customer,
    orders_to_pack,
    place_order,
    register,
    remove_address,
    save_address,
)
from tests.examples.coverage import never_called

from tablewright.client import Db
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    Incomplete,
    NotFound,
    TransactionCancelled,
    UniqueViolation,
)

NOW = datetime(2026, 3, 2, tzinfo=UTC)
HOME = Address(street="1 Home", city="London", country="GB")
ADA = Customer(user_name="ada", email="ada@x", name="Ada")


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(model)
    db.run(register(ADA))
    return db


def order(db: Db) -> Order:
    new, items = new_order("ada", HOME, NOW, ("tea", "4.50", 2), ("milk", "1.25", 1))
    db.run(place_order(new, items))
    return new


def test_every_pattern_is_run() -> None:
    assert never_called(model, __file__) == []


# --- customers -----------------------------------------------------------------------------------


def test_a_customer(db: Db) -> None:
    assert db.run(customer("ada")) == ADA
    assert db.run(customer_with_email("ada@x")) == ADA
    assert db.run(customer_with_email("bo@x")) is None
    assert db.run(customer("bo")) is None


def test_names_and_addresses_are_unique(db: Db) -> None:
    with pytest.raises(AlreadyExists):
        db.run(register(Customer(user_name="ada", email="other@x", name="Ada")))
    with pytest.raises(UniqueViolation):
        db.run(register(Customer(user_name="other", email="ada@x", name="Ada")))


def test_addresses(db: Db) -> None:
    work = Address(street="2 Work", city="Paris", country="FR")
    db.run(save_address("ada", "home", HOME))
    assert db.run(save_address("ada", "work", HOME)).addresses == {"home": HOME, "work": HOME}
    assert db.run(save_address("ada", "work", work)).addresses == {"home": HOME, "work": work}
    assert db.run(remove_address("ada", "home")).addresses == {"work": work}
    with pytest.raises(NotFound):
        db.run(save_address("bo", "home", HOME))


def test_there_is_an_end_to_addresses(db: Db) -> None:
    for number in range(MAX_ADDRESSES):
        db.run(save_address("ada", f"home {number}", HOME))
    with pytest.raises(ConditionFailed):
        db.run(save_address("ada", "one more", HOME))
    db.run(save_address("ada", "home 3", HOME))


# --- orders --------------------------------------------------------------------------------------


def test_an_order_with_its_items(db: Db) -> None:
    new, items = new_order("ada", HOME, NOW, ("tea", "4.50", 2), ("milk", "1.25", 1))
    db.run(place_order(new, items))
    found = db.run(order_with_items(new.order_id))
    assert found == OrderWithItems(new, tuple(items))
    assert found.order.total == Decimal("10.25")
    with pytest.raises(TransactionCancelled):
        db.run(place_order(new, items))


def test_an_order_of_nobody_is_not_placed(db: Db) -> None:
    new, items = new_order("bo", HOME, NOW, ("tea", "4.50", 2))
    with pytest.raises(TransactionCancelled) as caught:
        db.run(place_order(new, items))
    assert [(each.position, type(each.error)) for each in caught.value.failures] == [(0, NotFound)]
    with pytest.raises(Incomplete):
        db.run(order_with_items(new.order_id))


def test_orders_page_by_page(db: Db) -> None:
    placed = [order(db).order_id for _ in range(25)]
    found: list[str] = []
    page = db.run(orders_of_customer("ada"))
    assert len(page) == 10
    while True:
        found += (each.order_id for each in page)
        if page.cursor is None:
            break
        page = db.run(orders_of_customer("ada"), cursor=page.cursor)
    assert found == placed[::-1]
    before = db.run(orders_of_customer("ada", before=placed[2]))
    assert [each.order_id for each in before] == [placed[1], placed[0]]


def test_a_customer_with_the_latest_orders(db: Db) -> None:
    assert db.run(customer_with_orders("ada")) == CustomerWithOrders(ADA, ())
    placed = [order(db) for _ in range(LATEST_ORDERS + 2)]
    found = db.run(customer_with_orders("ada"))
    assert found == CustomerWithOrders(ADA, tuple(placed[:1:-1]))
    rest = db.run(orders_of_customer("ada", before=found.orders[-1].order_id))
    assert list(rest) == [placed[1], placed[0]]
    with pytest.raises(Incomplete):
        db.run(customer_with_orders("bo"))


def test_packing(db: Db) -> None:
    first, second = order(db), order(db)
    assert list(db.run(orders_to_pack())) == [first, second]
    packed = db.run(move_order(first, "packed"))
    assert list(db.run(orders_to_pack())) == [second]
    assert db.run(order_with_items(first.order_id)).order == packed


@pytest.mark.parametrize(
    ("steps", "refused"),
    [
        ((), "shipped"),
        ((), "accepted"),
        (("packed", "shipped"), "cancelled"),
        (("cancelled",), "packed"),
    ],
)
def test_ways_that_are_not_allowed(db: Db, steps: tuple[Status, ...], refused: Status) -> None:
    moved = order(db)
    for step in steps:
        moved = db.run(move_order(moved, step))
    with pytest.raises(ConditionFailed):
        db.run(move_order(moved, refused))
