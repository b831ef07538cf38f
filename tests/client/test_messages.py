"""What errors say: which table, item, condition or argument, and what to do."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from tablewright.client import Db, Embedded
from tablewright.client.attempts import as_service_error
from tablewright.client.transports.wire import Failure
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Key,
    Model,
    Personal,
    Put,
    Table,
    Ulid,
    attr,
    batch,
    get,
    put,
    query,
    transaction,
    update,
)
from tablewright.model.errors import (
    ConditionFailed,
    CredentialsError,
    RequestError,
    ServiceError,
    TablewrightError,
)
from tablewright.service.handlers import install_database_errors

shop = Table("Shop", pk="PK", sk="SK")


class Order(Entity, table=shop, keys={"primary": Key("USER#{user}", "ORDER#{order_id}")}):
    user: str
    order_id: Ulid
    status: str = "new"
    note: str = ""
    phone: Annotated[str, Personal()] = "0"


@get(Order)
def order(user: str, order_id: str) -> None: ...


@query(Order)
def orders(user: str) -> None: ...


@transaction()
def place(order: Order) -> tuple[Put[Order]]:
    return (put(order).new(),)


model = Model("shop", __name__)
ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
ORDER = Order(user="ada", order_id=ID)


@pytest.fixture
def db() -> Any:
    with Engine.memory() as engine:
        made = Db(Embedded(engine))
        made.create_tables(model)
        yield made


def message(raised: pytest.ExceptionInfo[BaseException]) -> str:
    return str(raised.value)


def test_an_unknown_field_is_named_with_the_one_that_is_meant() -> None:
    with pytest.raises(AttributeError) as raised:
        Order.usr  # type: ignore[attr-defined]  # noqa: B018
    assert "Order has no field 'usr'; did you mean 'user'?" in message(raised)
    assert "order_id" in message(raised)
    assert not hasattr(Order, "__nothing__")


def test_a_missing_table_is_named() -> None:
    with Engine.memory() as engine, pytest.raises(ServiceError) as raised:
        Db(Embedded(engine)).run(order("ada", ID))
    assert raised.value.aws_code == "ResourceNotFoundException"
    assert "table Shop does not exist" in message(raised)
    assert "tables setup" in message(raised)


@batch()
def place_many(order: Order) -> list[Put[Order]]:
    return [put(order)]


@pytest.mark.parametrize("write", [put, place, place_many])
def test_an_item_that_is_too_large_is_named_with_its_key_and_size(db: Db, write: Any) -> None:
    large = ORDER.model_copy(update={"note": "x" * 500_000})
    with pytest.raises(TablewrightError) as raised:
        db.run(write(large))
    text = message(raised)
    assert f"Order (user='ada', order_id='{ID}')" in text
    assert "409,600 bytes" in text
    assert any(f"50{digit}," in text for digit in range(10)), "about 500 KB"


def test_a_condition_that_failed_is_shown_with_what_is_stored(db: Db) -> None:
    db.run(put(ORDER))
    change = update(Order, "ada", ID).do(attr(Order.status).set("sent"))
    with pytest.raises(ConditionFailed) as raised:
        db.run(change.when(attr(Order.status) == "paid"))
    assert "the condition status = 'paid' does not hold (status is 'new')" in message(raised)


def test_personal_values_stay_out_of_the_message(db: Db) -> None:
    db.run(put(ORDER))
    change = update(Order, "ada", ID).do(attr(Order.status).set("sent"))
    with pytest.raises(ConditionFailed) as raised:
        db.run(change.when(attr(Order.phone) == "555-1234"))
    assert "phone" in message(raised)
    assert "555" not in message(raised)
    assert "'0'" not in message(raised)


@pytest.mark.parametrize("code", ["ExpiredTokenException", "UnrecognizedClientException"])
def test_refused_credentials_are_a_credentials_error(code: str) -> None:
    error = as_service_error(Failure(code, "The security token included is wrong"))
    assert isinstance(error, CredentialsError)
    assert error.aws_code == code


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (orders, "orders is a pattern, not a call of it: write orders(user)"),
        (ORDER, "put(order)"),
        (Order, "Order is an entity class"),
        (5, "an object of type int is not an op"),
    ],
)
def test_what_is_no_op_is_named_and_not_printed(db: Db, given: Any, text: str) -> None:
    for run in (db.run, lambda each: db.run(each, limit=2), lambda each: list(db.iterate(each))):
        with pytest.raises(RequestError) as raised:
            run(given)
        assert text in message(raised)
        assert "pydantic" not in message(raised).lower()


class TestFastApi:
    @pytest.fixture
    def http(self, db: Db) -> TestClient:
        app = FastAPI()
        install_database_errors(app)

        @app.get("/orders/{user}/{order_id}")
        def one(user: str, order_id: str) -> Any:
            return db.require(order(user, order_id)).model_dump()

        @app.get("/orders/{user}")
        def several(user: str, cursor: str | None = None) -> Any:
            return db.run(orders(user), cursor=cursor).cursor

        @app.post("/orders/{user}/{order_id}")
        def make(user: str, order_id: str) -> None:
            db.run(put(Order(user=user, order_id=order_id)).new())

        return TestClient(app, raise_server_exceptions=False)

    def test_a_malformed_id_is_the_callers_mistake(self, http: TestClient) -> None:
        assert http.get("/orders/ada/nonsense").status_code == 400

    def test_a_bad_cursor_is_the_callers_mistake(self, http: TestClient) -> None:
        answer = http.get("/orders/ada?cursor=nonsense")
        assert (answer.status_code, answer.json()["code"]) == (400, "BAD_CURSOR")
        assert answer.headers["content-type"].startswith("application/problem+json")

    def test_absent_is_404_and_taken_is_409(self, http: TestClient) -> None:
        assert http.get(f"/orders/ada/{ID}").status_code == 404
        assert http.post(f"/orders/ada/{ID}").status_code == 200
        assert http.post(f"/orders/ada/{ID}").status_code == 409
