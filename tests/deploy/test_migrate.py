"""Migrations on a database: items filled while others write, indexes built, steps repeated."""

from __future__ import annotations

import threading
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.deploy import shop_v1, shop_v2

from tablewright.client import Db, RequestEvent
from tablewright.deploy.checkpoints import Counts
from tablewright.deploy.looking import look
from tablewright.deploy.planning import plan
from tablewright.deploy.problems import DeployError
from tablewright.deploy.running import Runner
from tablewright.deploy.setup import set_up
from tablewright.deploy.verify import verify
from tablewright.model import Model, Table, attr, definition, delete, put, update
from tablewright.model.errors import NotFound, OutcomeUnknown
from tablewright.testing import Backend

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
ITEMS = 240


def old_order(number: int, **fields: Any) -> shop_v1.Order:
    status = ("new", "paid", "sent")[number % 3]
    given: dict[str, Any] = {"status": status, **fields}
    return shop_v1.Order(
        customer=f"c{number % 20}",
        order_id=f"{number:05d}",
        placed_at=NOON + timedelta(seconds=number),
        **given,
    )


def new_order(old: shop_v1.Order) -> shop_v2.Order:
    return shop_v2.Order(**old.model_dump())


@pytest.fixture
def deployed(db: Db, send: Any) -> None:
    db.drive(set_up(db.context, list(shop_v1.model.tables.values())))
    encode = definition(shop_v1.Order).encode
    puts = [{"PutRequest": {"Item": encode(old_order(number))}} for number in range(ITEMS)]
    for start in range(0, ITEMS, 25):
        send("BatchWriteItem", RequestItems={db.context.physical("Orders"): puts[start:][:25]})


def migrate(db: Db, model: Model = shop_v2.model, **options: Any) -> list[Counts]:
    """Plan and run everything; what the backfills counted."""
    rebuild, backfill = options.pop("rebuild", False), options.pop("backfill", ())
    counted = []
    runner = Runner(db, **options)
    for table in model.tables.values():
        found = db.drive(look(db.context, table))
        physical = db.context.physical(table.name)
        for step in plan(table, physical, found, rebuild=rebuild, backfill=backfill).steps:
            counts = runner.run(step)
            if counts is not None:
                counted.append(counts)
    return counted


def ids_in_index(db: Db, region: str = "north") -> list[str]:
    return [each.order_id for each in db.iterate(shop_v2.open_orders(region))]


def items(db: Db, send: Any) -> dict[str, dict[str, Any]]:
    """All orders as they are stored, by id."""
    found: dict[str, dict[str, Any]] = {}
    start: dict[str, Any] = {}
    while True:
        page = send("Scan", "Orders", ConsistentRead=True, **start)
        found |= {each["order_id"]["S"]: each for each in page["Items"]}
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


@pytest.mark.usefixtures("deployed")
def test_an_index_is_added_to_a_table_with_items(db: Db) -> None:
    (counts,) = migrate(db)
    assert (counts.scanned, counts.changed, counts.unreadable) == (ITEMS, ITEMS * 2 // 3, 0)
    expected = [f"{number:05d}" for number in range(ITEMS) if number % 3 != 2]
    assert ids_in_index(db) == expected
    assert all(
        each.ok for each in db.drive(verify(db.context, list(shop_v2.model.tables.values())))
    )
    assert migrate(db) == []
    (again,) = migrate(db, backfill=["Open"])
    assert (again.scanned, again.changed) == (ITEMS, 0)


@pytest.mark.usefixtures("deployed")
def test_versions_and_everything_else_stay(db: Db, send: Any) -> None:
    before = items(db, send)
    migrate(db)
    after = items(db, send)
    written = {"region", "open_in", "open_since"}
    for order_id, item in after.items():
        assert {name: item[name] for name in item.keys() - written} == before[order_id]


@pytest.mark.usefixtures("deployed")
def test_a_dry_run_counts_and_changes_nothing(db: Db, send: Any) -> None:
    before = items(db, send)
    (counts,) = migrate(db, dry_run=True)
    assert (counts.scanned, counts.changed, counts.write_units) == (ITEMS, ITEMS * 2 // 3, 0)
    assert items(db, send) == before
    described = send("DescribeTable", "Orders")["Table"]
    assert [each["IndexName"] for each in described["GlobalSecondaryIndexes"]] == ["GSI1"]


@pytest.mark.usefixtures("deployed")
def test_concurrent_writers_are_never_overwritten(
    db: Db, send: Any, tablewright_backend: Backend
) -> None:
    """Status, region and existence change all the time; each order ends as its last writer said."""
    writers = 4
    last: dict[str, tuple[str, str] | None] = {}
    started = threading.Barrier(writers + 1)
    done = threading.Event()
    errors: list[BaseException] = []

    def write(number: int) -> None:
        own = tablewright_backend.db()
        mine = [old_order(each) for each in range(number, ITEMS, writers)]
        started.wait()
        turn = 0
        try:
            while not done.is_set() or turn < len(mine):
                order = mine[turn % len(mine)]
                last[order.order_id] = _change(own, new_order(order), turn)
                turn += 1
        except BaseException as error:
            errors.append(error)
            raise

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    started.wait()
    try:
        (counts,) = migrate(db, segments=3)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert errors == []
    assert counts.unreadable == 0
    stored = items(db, send)
    for order_id, ending in last.items():
        if ending is None:
            assert order_id not in stored
            continue
        item = stored[order_id]
        assert (item["status"]["S"], item["region"]["S"]) == ending
        open_in = item.get("open_in", {}).get("S")
        assert open_in == (None if ending[0] == "sent" else f"OPEN#{ending[1]}")
    regions = Counter(
        each["open_in"]["S"].removeprefix("OPEN#") for each in stored.values() if "open_in" in each
    )
    for region, number in regions.items():
        assert len(ids_in_index(db, region)) == number


def _change(db: Db, order: shop_v2.Order, turn: int) -> tuple[str, str] | None:
    """One write of the new code; what the order is afterwards."""
    try:
        return _write(db, order, turn)
    except OutcomeUnknown:
        # DynamoDB Local fails now and then while it builds an index.
        found = db.run(shop_v2.order(order.customer, order.placed_at, order.order_id))
        return None if found is None else (found.status, found.region)


def _write(db: Db, order: shop_v2.Order, turn: int) -> tuple[str, str] | None:
    region, status = f"r{turn % 5}", ("new", "sent", "paid")[turn % 3]
    if turn % 7 == 0:
        db.run(delete(shop_v2.Order, order.customer, order.placed_at, order.order_id))
        return None
    key = (order.customer, order.placed_at, order.order_id)
    changes = (attr(shop_v2.Order.region).set(region), attr(shop_v2.Order.status).set(status))
    try:
        db.run(update(shop_v2.Order, *key).do(*changes).given(order_id=order.order_id))
    except NotFound:
        fresh = order.model_copy(update={"region": region, "status": status, "version": 0})
        db.run(put(fresh))
    return status, region


@pytest.mark.usefixtures("deployed")
def test_a_conflict_is_looked_at_again(db: Db, tablewright_backend: Backend) -> None:
    """Between reading an order and repairing it, somebody pays for it, and somebody deletes one."""
    paid, gone = new_order(old_order(0)), old_order(3)
    other = tablewright_backend.db()
    meddled = threading.Event()

    def meddle(event: RequestEvent) -> None:
        if event.operation == "Scan" and not meddled.is_set():
            meddled.set()
            change = attr(shop_v2.Order.region).set("south")
            key = (paid.customer, paid.placed_at, paid.order_id)
            known = {"status": "new", "order_id": paid.order_id, "placed_at": paid.placed_at}
            other.run(update(shop_v2.Order, *key).do(change).given(**known))
            other.run(delete(gone))

    watched = tablewright_backend.db(hook=meddle)
    (counts,) = migrate(watched, segments=1)
    assert meddled.is_set()
    assert ids_in_index(db, "south") == [paid.order_id]
    assert gone.order_id not in ids_in_index(db)
    assert len(ids_in_index(db)) == ITEMS * 2 // 3 - 2
    assert counts.changed <= ITEMS * 2 // 3


@pytest.mark.usefixtures("deployed")
def test_unreadable_items_stop_it_before_the_index_is_made(db: Db, send: Any) -> None:
    bad = next(iter(items(db, send).values()))
    send("PutItem", "Orders", Item={**bad, "placed_at": {"S": "never"}, "status": {"S": "new"}})
    with pytest.raises(DeployError) as caught:
        migrate(db)
    (example,) = caught.value.problem.details["examples"]
    assert example["key"] == {"PK": bad["PK"], "SK": bad["SK"]}
    names = [each.name for each in _indexes(db)]
    assert "Open" not in names
    migrate(db, skip_unreadable=True)
    assert "Open" in [each.name for each in _indexes(db)]


def _indexes(db: Db) -> list[Any]:
    found = db.drive(look(db.context, shop_v2.orders))
    assert found is not None
    return list(found.indexes.values())


@pytest.mark.usefixtures("deployed")
def test_indexes_are_dropped(db: Db) -> None:
    migrate(db)
    migrate(db, shop_v1.model)
    assert {each.name for each in _indexes(db)} == {"GSI1", "ByTotal"}
    assert all(
        each.ok for each in db.drive(verify(db.context, list(shop_v1.model.tables.values())))
    )


@pytest.mark.usefixtures("deployed")
def test_an_index_is_rebuilt_under_its_name(db: Db, send: Any) -> None:
    migrate(db)
    table = Table(
        "Orders",
        pk="PK",
        sk="SK",
        ttl="expires_at",
        stream="NEW_AND_OLD_IMAGES",
        pitr=7,
        tags=shop_v2.orders.tags,
        indexes=[
            *(each for each in shop_v2.orders.indexes.values() if each.name == "GSI1"),
            *_local(),
            _keys_only(),
        ],
    )
    found = db.drive(look(db.context, table))
    physical = db.context.physical("Orders")
    assert [each.indexes for each in plan(table, physical, found).refused] == [("Open",)]
    for step in plan(table, physical, found, rebuild=True).steps:
        Runner(db).run(step)
    (report,) = db.drive(verify(db.context, [table]))
    assert report.ok


def _local() -> list[Any]:
    from tablewright.model import Index, Number

    return [Index("ByTotal", sk=Number("total"), local=True)]


def _keys_only() -> Any:
    from tablewright.model import Index

    return Index("Open", pk="open_in", sk="open_since", keys_only=True)


@pytest.mark.usefixtures("deployed")
def test_every_setting_is_brought_back(db: Db, send: Any, tablewright_backend: Backend) -> None:
    local = tablewright_backend.name == "local"
    tables = list(shop_v1.model.tables.values())
    _spoil(db, send, local)
    spoiled = {each.name: each for each in db.drive(verify(db.context, tables))}
    places = {each.place for report in spoiled.values() for each in report.differences}
    expected = {"billing", "index ByUser units", "ttl", "stream"}
    if not local:
        expected |= {"point-in-time recovery", "class", "tag team"}
    assert places == expected
    migrate(db, shop_v1.model)
    assert [each.differences for each in db.drive(verify(db.context, tables))] == [[], []]


def _spoil(db: Db, send: Any, local: bool) -> None:
    def units(number: int) -> dict[str, Any]:
        return {"ReadCapacityUnits": number, "WriteCapacityUnits": number}

    index = {"IndexName": "GSI1", "ProvisionedThroughput": units(2)}
    send(
        "UpdateTable",
        "Orders",
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(2),
        GlobalSecondaryIndexUpdates=[{"Update": index}],
    )
    send("UpdateTable", "Sessions", ProvisionedThroughput=units(9))
    index = {"IndexName": "ByUser", "ProvisionedThroughput": units(9)}
    send("UpdateTable", "Sessions", GlobalSecondaryIndexUpdates=[{"Update": index}])
    send("UpdateTable", "Orders", StreamSpecification={"StreamEnabled": False})
    view = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    send("UpdateTable", "Orders", StreamSpecification=view)
    off = {"AttributeName": "expires_at", "Enabled": False}
    send("UpdateTimeToLive", "Orders", TimeToLiveSpecification=off)
    send(
        "UpdateTimeToLive",
        "Orders",
        TimeToLiveSpecification={"AttributeName": "other", "Enabled": True},
    )
    if local:
        return
    recovery = {"PointInTimeRecoveryEnabled": False}
    send("UpdateContinuousBackups", "Orders", PointInTimeRecoverySpecification=recovery)
    send("UpdateTable", "Orders", TableClass="STANDARD_INFREQUENT_ACCESS")
    found = db.drive(look(db.context, shop_v1.orders))
    assert found is not None
    send("TagResource", ResourceArn=found.arn, Tags=[{"Key": "team", "Value": "x"}])


@pytest.mark.usefixtures("deployed")
def test_a_checkpoint_is_gone_on_from(db: Db, tmp_path: Path) -> None:
    path = tmp_path / "checkpoint.json"
    seen = 0

    def interrupted(table: Table, counts: Counts, total: int) -> None:
        nonlocal seen
        seen = counts.scanned
        assert path.exists()
        if counts.scanned >= 100:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(db, segments=1, progress=interrupted, checkpoint=lambda table: path)
    assert 100 <= seen < ITEMS
    scans: list[RequestEvent] = []
    told: list[str] = []
    (counts,) = migrate(
        db, segments=1, checkpoint=lambda table: path, tell=told.append,
        progress=lambda table, counts, total: scans.append(counts),  # type: ignore[arg-type]
    )  # fmt: skip
    assert (counts.scanned, counts.changed) == (ITEMS, ITEMS * 2 // 3)
    assert f"Orders: going on after {seen} items" in told
    assert len(ids_in_index(db)) == ITEMS * 2 // 3
    assert not path.exists()
