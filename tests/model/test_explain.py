"""Ops are inert, equal if they ask for the same, and show what they would send."""

from __future__ import annotations

import pickle

import orjson
import pytest
from tests.client import world
from tests.client.world import Board, Doc, Guest, Person, Task, new_task

from tablewright.model import Batch, Op, Transaction, attr, check, delete, put, update


def body(op: Op[object]) -> tuple[str, list[tuple[str, dict[str, object]]]]:
    """The first line, and each operation with its body."""
    title, *rest = op.explain().split("\n")
    found: list[tuple[str, dict[str, object]]] = []
    text = ""
    for line in rest:
        text += line
        if line == "}":
            operation, _, json = text.partition(" ")
            found.append((operation, orjson.loads(json)))
            text = ""
    return title, found


def test_a_query() -> None:
    title, [(operation, sent)] = body(world.tasks("L", since=world.NOON, status="new"))
    assert title == "tasks: Query"
    assert operation == "Query"
    assert sent == {
        "TableName": "World",
        "KeyConditionExpression": "#n0 = :v0 AND #n1 BETWEEN :v1 AND :v2",
        "FilterExpression": "#n2 = :v3",
        "ConsistentRead": True,
        "ExpressionAttributeNames": {"#n0": "PK", "#n1": "SK", "#n2": "status"},
        "ExpressionAttributeValues": {
            ":v0": {"S": "LIST#L"},
            ":v1": {"S": "TASK#2026-01-01T12:00:00Z"},
            ":v2": {"S": "TASK#\U0010ffff"},
            ":v3": {"S": "new"},
        },
    }


@pytest.mark.parametrize(
    ("op", "operations"),
    [
        (world.doc("1"), ["GetItem"]),
        (world.all_tasks(), ["Scan"]),
        (world.task_count("L"), ["Query"]),
        (world.board_view("L"), ["Query"]),
        (world.hits("home"), ["BatchGetItem"]),
        (put(Board(list_id="L")), ["PutItem"]),
        (update(Doc, "1").do(attr(Doc.hits).add(1)), ["UpdateItem"]),
        (update(Doc, "1").do(attr(Doc.hits).add(1)).exactly_once(), ["TransactWriteItems"]),
        (delete(Doc, "1"), ["DeleteItem"]),
        (put(Person(person_id="a", email="x")), ["TransactWriteItems"]),
        (put(Guest(guest_id="1", badge="7")), ["GetItem", "TransactWriteItems"]),
        (Transaction[object]((world.doc("1"), world.doc("2"))), ["TransactGetItems"]),
        (
            Transaction[object]((check(Doc, "1"), put(Board(list_id="L")))),
            ["TransactWriteItems"],
        ),
        (Batch[object]((world.doc("1"), world.doc("2"))), ["BatchGetItem"]),
        (Batch[object]((world.doc("1"), world.title("2"))), ["BatchGetItem", "BatchGetItem"]),
        (Batch[object]((put(Board(list_id="L")), delete(Board, "M"))), ["BatchWriteItem"]),
    ],
)
def test_what_would_be_sent(op: Op[object], operations: list[str]) -> None:
    assert [operation for operation, _ in body(op)[1]] == operations


def test_ops_are_equal_if_they_ask_for_the_same() -> None:
    assert world.doc("1") == world.doc("1")
    assert world.doc("1") != world.doc("2")
    assert world.tasks("L", status="new") == world.tasks("L", status="new")
    assert world.tasks("L", status="new") != world.tasks("L", status="old")
    assert world.tasks("L") != world.latest_tasks("L")
    assert put(new_task(1)) == put(new_task(1))
    assert put(new_task(1)) != put(new_task(1)).new()
    change = update(Task, "L", world.NOON, "1").do(attr(Task.text).set("x"))
    assert change == update(Task, "L", world.NOON, "1").do(attr(Task.text).set("x"))
    assert change != change.when(attr(Task.text) == "y")
    assert change != change.given(owner="ann")
    assert delete(Doc, "1") == delete(Doc, doc_id="1")


def test_making_an_op_changes_no_other() -> None:
    plain = update(Doc, "1").do(attr(Doc.hits).add(1))
    before = plain.explain()
    plain.when(attr(Doc.hits) == 1).at_version(3).upsert()
    assert plain.explain() == before


def test_entities_can_be_pickled() -> None:
    task = new_task(1, owner="ann")
    assert pickle.loads(pickle.dumps(task)) == task
