"""Every figure of the plan is what the engine consumes: per table and index, for every pattern."""

from __future__ import annotations

import importlib
import importlib.util
import random
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any

import pytest
from tests.client import world
from tests.client.raw import items
from tests.client.world import Board, Doc, Guest, Hits, Person, Task
from tests.plan import demos
from tests.plan.lockstep import NOW, Lockstep, difference

from examples import ecommerce, github
from tablewright.model import (
    Batch,
    Get,
    Model,
    Op,
    Transaction,
    attr,
    check,
    delete,
    increment,
    put,
    update,
)
from tablewright.model.demo import Demo
from tablewright.systems import NAMES

EXAMPLES: dict[str, tuple[Model, Callable[[], Demo]]] = {
    "ecommerce": (ecommerce.model, demos.shop),
    "github": (github.model, demos.code_host),
}


@cache
def demo_of(name: str) -> tuple[Model, Demo]:
    if name in EXAMPLES:
        model, make = EXAMPLES[name]
        return model, make()
    base = f"tablewright.systems.{name}"
    for module in (base, f"{base}.model", f"{base}.demo"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not there")
    model = importlib.import_module(f"{base}.model").model
    made: Demo = importlib.import_module(f"{base}.demo").demo()
    return model, made


@pytest.mark.parametrize("name", [*EXAMPLES, *NAMES])
def test_every_pattern_uses_what_the_plan_says(name: str) -> None:
    model, demo = demo_of(name)
    now = NOW if demo.now is None else demo.now.timestamp()
    side_by_side = Lockstep(model, tuple(demo.items), now)
    wrong = {}
    for pattern, op in demo.calls.items():
        used, planned, refusal = side_by_side.step(op)
        assert refusal is None, f"{pattern}: {refusal}"
        if difference(used, planned.units):
            wrong[pattern] = difference(used, planned.units)
    assert wrong == {}
    assert demo.calls.keys() == model.patterns.keys()


# --- whatever may happen -------------------------------------------------------------------------


def _random_op(chance: random.Random) -> Op[Any]:
    makers: list[Callable[[random.Random], Op[Any]]] = [
        _put_task,
        _put_task,
        _put_person,
        _change_task,
        _change_text,
        _delete_something,
        _transaction,
        _count_up,
        _batch,
        _read,
        _read,
    ]
    return chance.choice(makers)(chance)


def _task(chance: random.Random) -> Task:
    return Task(
        list_id=chance.choice("ab"),
        task_id=str(chance.randrange(4)),
        status=chance.choice(["new", "doing", "done"]),
        owner=chance.choice([None, "ada", "bo"]),
        priority=chance.randrange(3),
        text="x" * chance.choice([0, 10, 1000, 2500, 9000]),
        tags=set(chance.choice(["", "a", "abc"])),
        ends=chance.choice([None, world.later(days=1), world.later(days=-1)]),
    )


def _put_task(chance: random.Random) -> Op[Any]:
    op = put(_task(chance))
    return chance.choice([op, op, op.new(), op.replace()])


def _put_person(chance: random.Random) -> Op[Any]:
    name = chance.choice("pqr")
    guest = Guest(
        guest_id=name,
        badge=chance.choice([None, "1", "2"]),
        note="y" * chance.choice([1, 1500]),
    )
    person = Person(person_id=name, email=f"{chance.choice('pqr')}@x", room="1", seat=1)
    return chance.choice([put(guest), put(guest).new(), put(person)])


def _change_task(chance: random.Random) -> Op[Any]:
    task = _task(chance)
    changes = [
        attr(Task.status).set(chance.choice(["new", "doing", "done"])),
        attr(Task.priority).set(chance.randrange(3)),
        attr(Task.owner).set(chance.choice([None, "ada"])),
        attr(Task.text).set("z" * chance.choice([1, 3000])),
        attr(Task.tags).add_members({"t"}),
    ]
    op = update(task).do(*chance.sample(changes, chance.randint(1, 3)))
    return chance.choice([op, op.exactly_once()])


def _change_text(chance: random.Random) -> Op[Any]:
    task = _task(chance)
    by_key = update(Task, task.list_id, task.made_at, task.task_id)
    doc = update(Doc, chance.choice("de")).upsert().do(attr(Doc.hits).add(1))
    guest = update(Guest, chance.choice("pqr")).do(attr(Guest.badge).set(chance.choice("12")))
    return chance.choice([by_key.do(attr(Task.text).set("")), doc, guest, guest])


def _delete_something(chance: random.Random) -> Op[Any]:
    task = _task(chance)
    return chance.choice(
        [
            delete(task),
            delete(task).existing(),
            delete(Guest, chance.choice("pqr")),
            delete(Person, chance.choice("pqr")),
        ]
    )


def _transaction(chance: random.Random) -> Op[Any]:
    board = Board(list_id=chance.choice("ab"), title="t" * chance.choice([1, 5000]))
    task = _task(chance).model_copy(update={"task_id": "in transaction"})
    guest = Guest(guest_id=chance.choice("pqr"), badge=chance.choice("34"))
    members = [put(board), put(task), put(guest), check(Doc, "d")]
    reads = [world.person("p"), world.guest("q"), world.title("a")]
    return chance.choice(
        [Transaction(tuple(members[: chance.randint(1, 4)])), Transaction(tuple(reads))]
    )


def _count_up(chance: random.Random) -> Op[Any]:
    lane = str(chance.randrange(9))
    return chance.choice([increment(Hits, lane=lane, page="home", hits=1), world.hits("home")])


def _batch(chance: random.Random) -> Op[Any]:
    board = Board(list_id="c", title="t" * chance.choice([1, 5000]))
    gets = [world.title(each) for each in "aba"]
    assert all(isinstance(each, Get) for each in gets)
    deleted = delete(Board, list_id="b")
    return chance.choice([Batch(tuple(gets)), Batch((put(board), deleted))])


def _read(chance: random.Random) -> Op[Any]:
    owner, status, place = chance.choice(["ada", "bo"]), chance.choice(["new", "done"]), "a"
    return chance.choice(
        [
            world.tasks(place, status=chance.choice([None, status])),
            world.latest_tasks(place),
            world.open_tasks(owner),
            world.status_lines(status),
            world.by_status(status),
            world.owned_lines(owner, least=chance.choice([None, 1])),
            world.owned(owner),
            world.by_priority(place),
            world.title(place),
            world.person_by_email("p@x"),
            world.task_count(place),
            world.small_view(place),
            world.all_tasks(status=chance.choice([None, status])),
        ]
    )


@pytest.mark.parametrize("seed", range(12))
def test_random_calls_use_what_the_plan_says(seed: int) -> None:
    chance = random.Random(seed)
    side_by_side = Lockstep(world.model, now=world.NOON.timestamp())
    refused = 0
    for number in range(250):
        op = _random_op(chance)
        used, planned, refusal = side_by_side.step(op)
        where = f"step {number}: {op.explain()[:2000]}"
        assert planned.refused == (refusal is not None), f"{refusal}\n{where}"
        if refusal is None:
            assert difference(used, planned.units) == "", where
        refused += planned.refused
        if number % 50 == 49:
            side_by_side.clock.advance(timedelta(hours=8).total_seconds())
    assert 0 < refused < 200
    # The contents stayed in step too, item by item.
    stored = [*side_by_side.contents.items(world.app.name)]
    assert sorted(map(_sorted, stored)) == sorted(map(_sorted, items(side_by_side.db, world.app)))


def _sorted(item: dict[str, Any]) -> str:
    return str(sorted(item.items()))
