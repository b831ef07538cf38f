"""What is counted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.service.shelf import Note, model, note, save_note

from tablewright.client import AsyncDb, Retries
from tablewright.engine import Engine, Fault
from tablewright.model import put
from tablewright.model.errors import Refused, Unavailable
from tablewright.service.exchange import Exchange
from tablewright.service.metrics import Metrics
from tablewright.service.request_metrics import RequestMetrics
from tablewright.testing import Backend, injected


def value(metrics: Metrics, name: str, **labels: str) -> float:
    found = metrics.registry.get_sample_value(name, labels)
    return 0.0 if found is None else found


def test_a_metric_is_made_once() -> None:
    metrics = Metrics(process=False)
    first = metrics.counter("flips", "How often.", ["system"])
    assert metrics.counter("flips", "How often.", ["system"]) is first
    first.labels("shelf").inc(2)
    assert value(metrics, "flips_total", system="shelf") == 2
    with pytest.raises(ValueError, match="flips is already something else"):
        metrics.gauge("flips", "How often.", ["system"])
    with pytest.raises(ValueError, match="flips is already something else"):
        metrics.counter("flips", "How often.", ["app"])


def test_two_processes_do_not_count_into_each_other() -> None:
    one, other = Metrics(), Metrics()
    one.gauge("lag", "Seconds.").set(3)
    other.gauge("lag", "Seconds.").set(4)
    assert (value(one, "lag"), value(other, "lag")) == (3, 4)
    assert b"lag 3.0" in one.text()
    one.histogram("took_seconds", "Seconds.", buckets=[1, 2]).observe(1.5)
    assert value(one, "took_seconds_bucket", le="2.0") == 1


def of(metrics: Metrics, name: str, pattern: str, operation: str) -> float:
    labels = {"system": "shelf", "pattern": pattern, "operation": operation}
    return value(metrics, f"tablewright_db_{name}_total", **labels)


def hooked(memory: Backend, metrics: Metrics, work: Any) -> None:
    async def main() -> None:
        quick = Retries(attempts=3, base=0.001)
        hook = metrics.db_hook("shelf", {"there-Shelf": "Shelf"})
        async with AsyncDb(
            memory.async_transport(), names=lambda name: f"there-{name}", hook=hook, retries=quick
        ) as db:
            await db.create_tables(model)
            await work(db)

    asyncio.run(main())


def test_units_by_pattern_and_table(memory: Backend) -> None:
    metrics = Metrics()

    async def work(db: AsyncDb) -> None:
        await db.run(save_note(Note(shelf="x", note_id="a", text="x" * 1500)))
        await db.run(note("x", "a"))
        await db.run(note("x", "b"))

    hooked(memory, metrics, work)
    labels = {"system": "shelf", "table": "Shelf", "index": ""}
    name = "tablewright_db_{}_units_total"
    assert value(metrics, name.format("write"), pattern="save_note", **labels) == 2
    assert value(metrics, name.format("read"), pattern="note", **labels) > 0
    assert of(metrics, "requests", "note", "GetItem") == 2
    assert of(metrics, "errors", "note", "GetItem") == 0


def test_conditions_conflicts_and_throttles(memory: Backend, tablewright_engine: Engine) -> None:
    metrics = Metrics()

    async def work(db: AsyncDb) -> None:
        stored = await db.run(save_note(Note(shelf="x", note_id="a")))
        with pytest.raises(Refused):
            await db.run(save_note(Note(shelf="x", note_id="a")))
        stale = put(stored.model_copy(update={"version": 9}))
        with pytest.raises(Refused):
            await db.transact(stale, put(Note(shelf="x", note_id="b")))
        conflict = Fault("PutItem", error="TransactionConflictException", times=1)
        with injected(tablewright_engine, conflict):
            await db.run(save_note(Note(shelf="x", note_id="c")))
        throttle = Fault("GetItem", error="ProvisionedThroughputExceededException", times=2)
        with injected(tablewright_engine, throttle):
            await db.run(note("x", "a"))
        broken = Fault("GetItem", error="InternalServerError")
        with injected(tablewright_engine, broken), pytest.raises(Unavailable):
            await db.run(note("x", "a"))

    hooked(memory, metrics, work)
    assert of(metrics, "condition_failures", "save_note", "PutItem") == 1
    assert of(metrics, "transaction_conflicts", "save_note", "PutItem") == 1
    assert of(metrics, "errors", "save_note", "PutItem") == 0
    assert of(metrics, "throttles", "note", "GetItem") == 2
    assert of(metrics, "retries", "note", "GetItem") == 4
    assert of(metrics, "errors", "note", "GetItem") == 1
    assert of(metrics, "condition_failures", "adhoc", "TransactWriteItems") == 1


def test_methods_that_callers_make_up_are_one() -> None:
    metrics = Metrics(process=False)
    counted = RequestMetrics(metrics)
    for method in ("GET", "GET", "BREW", "WHEN"):
        counted.begin()
        exchange = Exchange("r", method)
        exchange.status, exchange.template = 200, "/x"
        counted.end(exchange)
    name = "tablewright_http_requests_total"
    assert value(metrics, name, method="GET", route="/x", status="200") == 2
    assert value(metrics, name, method="other", route="/x", status="200") == 2
    assert value(metrics, "tablewright_http_in_flight") == 0
