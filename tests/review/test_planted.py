"""Anti-patterns in typed models: each is found, and its nearly equal neighbour is not."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest

from tablewright.model import (
    CopyOf,
    CountOf,
    Entity,
    Field,
    Index,
    IsoMillis,
    Key,
    Model,
    Put,
    Rate,
    RefersTo,
    Secret,
    Table,
    Ulid,
    Unique,
    Update,
    Uuid,
    Version,
    attr,
    find,
    get,
    param,
    put,
    query,
    transaction,
    update,
    write,
)
from tablewright.model.demo import Demo
from tablewright.model.errors import ModelError
from tablewright.review import review
from tablewright.review.design import Flow, Limit
from tablewright.review.from_model import design_of

ULID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

shop = Table(
    "Shop",
    pk="PK",
    sk="SK",
    indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK"), Index("GSI2", pk="GSI2-PK", sk="GSI2-SK")],
)


class Customer(
    Entity,
    table=shop,
    keys={
        "primary": Key("CUSTOMER#{customer_id}", "PROFILE"),
        "by_email": Key("EMAIL#{email}", "CUSTOMER", on="GSI1"),
    },
):
    customer_id: Uuid
    email: str
    name: str
    city: str
    password: str


class Guarded(
    Entity,
    table=shop,
    keys={
        "primary": Key("GUARDED#{customer_id}", "PROFILE"),
        "by_email": Key("GUARDED-EMAIL#{email}", "CUSTOMER", on="GSI1"),
    },
):
    customer_id: Uuid
    email: Annotated[str, Unique("guarded-email")]
    name: str
    city: str
    password: Annotated[str, Secret("hash")]
    version: Version = 0


class Order(
    Entity,
    table=shop,
    keys={"primary": Key("CUSTOMER#{customer_id}", "ORDER#{order_id}")},
    per_partition=5000,
):
    customer_id: Uuid
    order_id: Uuid
    customer_name: str
    guarded_name: Annotated[str, CopyOf("Guarded.name", snapshot=True)]
    status: Literal["open", "done"] = "open"
    placed_at: IsoMillis


class Account(Entity, table=shop, keys={"primary": Key("ACCOUNT#{account_id}", "ACCOUNT")}):
    account_id: Ulid
    balance: float = 0.0
    score: float = 0.0
    visits: int = 0


class Click(Entity, table=shop, keys={"primary": Key("CLICK#{click_id}", "CLICK")}):
    click_id: Ulid


class Sequence(Entity, table=shop, keys={"primary": Key("SEQUENCE", "ORDERS")}):
    last: int = 0


class Payment(
    Entity,
    table=shop,
    keys={"primary": Key("PAYMENT#{payment_id}", "PAYMENT")},
    append_only=True,
    retention_days=30,
):
    payment_id: Ulid
    amount: int


class Job(
    Entity,
    table=shop,
    keys={
        "primary": Key("JOB#{job_id}", "JOB"),
        "by_team": Key("TEAM#{team}", "JOB#{job_id}", on="GSI2"),
    },
):
    job_id: Ulid
    team: str
    created_at: IsoMillis


@get(Customer)
def customer(customer_id: str) -> None: ...


@find(Customer, key="by_email")
def customer_with_email(email: str) -> None: ...


@write()
def sign_up(customer: Customer) -> Put[Customer]:
    return put(customer).new()


@write()
def save_customer(customer: Customer) -> Put[Customer]:
    return put(customer)


@write()
def rename(customer_id: str, name: str) -> Update[Customer]:
    return update(Customer, customer_id).do(attr(Customer.name).set(name))


@get(Guarded)
def guarded(customer_id: str) -> None: ...


@find(Guarded, key="by_email")
def guarded_with_email(email: str) -> None: ...


@write()
def sign_up_guarded(customer: Guarded) -> Put[Guarded]:
    return put(customer).new()


@write()
def save_guarded(customer: Guarded) -> Put[Guarded]:
    return put(customer)


@write()
def rename_guarded(customer_id: str, name: str) -> Update[Guarded]:
    return update(Guarded, customer_id).do(attr(Guarded.name).set(name))


@query(Order, filter=attr(Order.status) == param("status"), expect=20)
def orders_with_status(customer_id: str, status: str) -> None: ...


@query(Order, descending=True, limit=10)
def latest_orders(customer_id: str) -> None: ...


@query(Order, order="placed_at")
def orders_by_time(customer_id: str) -> None: ...


@write()
def place(order: Order) -> Put[Order]:
    return put(order).new()


@write(rate=Rate(2000))
def click(event: Click) -> Put[Click]:
    return put(event)


@transaction(rate=Rate(3000))
def next_number(order: Order) -> tuple[Update[Sequence], Put[Order]]:
    return update(Sequence).do(attr(Sequence.last).add(1)).upsert(), put(order).new()


@write()
def pay(payment: Payment) -> Put[Payment]:
    return put(payment)


@get(Payment)
def payment(payment_id: str) -> None: ...


@write()
def deposit(account_id: str, amount: float) -> Update[Account]:
    return update(Account, account_id).do(attr(Account.balance).add(amount))


@write(idempotent=True)
def record(account_id: str) -> Update[Account]:
    return update(Account, account_id).do(attr(Account.visits).add(1))


@query(Job, key="by_team", order="created_at")
def jobs_by_time(team: str) -> None: ...


@write()
def start(job: Job) -> Put[Job]:
    return put(job).new()


@find(Job, key="by_team")
def next_job(team: str) -> None: ...


@get(Click, fresh=True)
def one_click(click_id: str) -> None: ...


model = Model("shop", __name__)
DESIGN = design_of(model, Demo((), calls={"click": click(Click(click_id=ULID))}))


def _found(code: str) -> list[str]:
    return [str(each.place) for each in review(DESIGN).findings if each.code == code]


def test_a_filter_that_keeps_twenty_of_five_thousand_is_found() -> None:
    assert _found("P08") == ["pattern orders_with_status"]


def test_a_filter_reaches_the_design_with_its_parameters() -> None:
    orders = next(each for each in DESIGN.patterns if each.name == "orders_with_status")
    assert orders.filter == "#n0 = :status"
    assert orders.names == {"#n0": "status"}


def test_a_put_of_a_whole_item_without_a_version_is_found_and_with_one_is_not() -> None:
    assert _found("W11") == ["pattern save_customer"]


def test_a_copy_that_a_rename_leaves_behind_is_found_and_a_snapshot_is_not() -> None:
    assert _found("W12") == ["attribute Order.customer_name"]


def test_a_descending_read_over_random_ids_is_found() -> None:
    assert "pattern latest_orders" in _found("P12")


def test_an_order_that_the_key_does_not_have_is_found() -> None:
    assert "pattern orders_by_time" in _found("P12")


def test_a_sequence_in_a_transaction_is_hot_and_a_key_of_random_ids_is_not() -> None:
    assert _found("H01") == ["pattern next_number"]


def test_the_order_of_ulids_is_the_order_of_time() -> None:
    assert "pattern jobs_by_time" not in _found("P12")


def test_a_count_that_may_arrive_twice_is_found() -> None:
    assert _found("W09") == ["pattern record"]


def test_a_password_in_clear_is_found_and_a_hash_is_not() -> None:
    assert _found("X02") == ["attribute Customer.password"]


def test_a_look_up_by_what_nothing_keeps_unique_is_found() -> None:
    assert set(_found("W04")) == {"pattern sign_up", "pattern save_customer"}


def test_a_ledger_that_can_be_overwritten_is_found() -> None:
    assert _found("W02") == ["pattern pay"]


def test_a_ledger_without_recovery_is_found() -> None:
    assert _found("X04") == ["table Shop"]


def test_a_sum_of_floats_is_found_and_a_float_that_is_only_stored_is_not() -> None:
    assert _found("C08") == ["attribute Account.balance"]


def test_the_advice_on_local_indexes_can_be_followed() -> None:
    def codes(**facts: float) -> list[str]:
        table = Table("Log", pk="PK", sk="SK", indexes=[Index("ByLevel", sk="level", local=True)])

        class Line(
            Entity,
            table=table,
            keys={"primary": Key("APP#{app}", "{at}"), "level": Key("{level}", on="ByLevel")},
            **facts,  # type: ignore[arg-type]
        ):
            app: str
            at: IsoMillis
            level: str

        module = type(__import__("sys"))("log")
        Line.__module__ = module.__name__
        module.Line = Line  # type: ignore[attr-defined]
        findings = review(design_of(Model("log", module))).findings
        return [each.code for each in findings if each.code == "I06"]

    assert codes() == ["I06"]
    assert codes(per_partition=1000) == []


def test_a_write_without_a_sample_call_is_judged_by_a_made_up_one() -> None:
    bare = {each.name: each for each in design_of(model).patterns}
    assert not bare["save_customer"].opaque
    assert not any(member.opaque for member in bare["next_number"].members)
    assert bare["sign_up"].new


def test_a_retention_without_a_time_to_live_is_found() -> None:
    assert _found("T01") == ["entity Payment"]


def test_a_read_that_must_be_current_and_is_not_consistent_is_found() -> None:
    assert _found("P07") == ["pattern one_click"]


def test_index_attributes_with_hyphens_are_components_and_not_constants() -> None:
    class Parcel(
        Entity,
        table=Table(
            "Parcels", pk="id", indexes=[Index("by_depot", pk="depot-id")], discriminator=None
        ),
        keys={"primary": Key("{id}"), "by_depot": Key("{depot}", on="by_depot")},
        naming=lambda name: "depot-id" if name == "depot" else name,
    ):
        id: Ulid
        depot: str

    module = type(__import__("sys"))("parcels")
    Parcel.__module__ = module.__name__
    module.Parcel = Parcel  # type: ignore[attr-defined]
    report = review(design_of(Model("parcels", module)))
    assert [each.code for each in report.findings if each.code == "H02"] == []


def test_facts_beside_the_model_reach_the_rules() -> None:
    stated = design_of(
        model,
        facts=[
            Limit("max_orders", "Order"),
            Flow("order", steps=["place"], needs=["Customer"], stated_operations=1),
        ],
    )
    codes = {each.code for each in review(stated).findings}
    assert {"C03", "U08"} <= codes


def test_facts_that_cannot_be_are_refused() -> None:
    with pytest.raises(ModelError, match="per_partition=0"):

        class Nothing(Entity, table=shop, keys={"primary": Key("N", "N")}, per_partition=0):
            pass

    with pytest.raises(ModelError, match="name an entity and a field"):
        CopyOf("Customer")
    with pytest.raises(ModelError, match="filter_keeps= needs a filter"):

        @query(Order, filter_keeps=0.5)
        def unfiltered(customer_id: str) -> None: ...

    with pytest.raises(ModelError, match="no field of Order"):

        @query(Order, order="nonsense")
        def ordered(customer_id: str) -> None: ...


def test_marks_reach_the_design() -> None:
    table = Table("Marks", pk="id")

    class Marked(Entity, table=table, keys={"primary": Key("{id}")}):
        id: Ulid
        customer_id: Annotated[str, RefersTo("Customer.customer_id")]
        orders: Annotated[int, CountOf("Order")] = 0
        size: int = Field(default=1, ge=1, le=4)

    module = type(__import__("sys"))("marks")
    Marked.__module__ = module.__name__
    module.Marked = Marked  # type: ignore[attr-defined]
    (entity,) = design_of(Model("marks", module)).entities
    known = {each.name: each for each in entity.attributes}
    assert known["customer_id"].refers == "Customer.customer_id"
    assert known["orders"].counts == "Order"
    assert known["size"].distinct == 4
