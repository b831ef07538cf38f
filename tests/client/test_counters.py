"""Counters, and what several processes do to one engine at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from tests.client import raw, world
from tests.client.world import Hits

from tablewright.client import Db, HttpTransport
from tablewright.model import (
    Counter,
    Key,
    Shard,
    Table,
    Version,
    attr,
    definition,
    increment,
    put,
    shard_of,
    total,
)
from tablewright.model.errors import RequestError
from tablewright.testing import Backend, EngineProcess


def test_a_total_sums_all_shards(db: Db) -> None:
    assert db.run(world.hits("home")) == Hits(page="home")
    for number in range(40):
        db.run(increment(Hits, lane=str(number), page="home", hits=2, misses=1))
    db.run(increment(Hits, lane="x", page="other", hits=100))
    assert db.run(world.hits("home")) == Hits(page="home", hits=80, misses=40)
    shards = [item for item in raw.items(db, world.app) if item["PK"] == {"S": "HITS#home"}]
    assert len(shards) == 4


def test_an_increment_is_one_write_of_one_shard(db: Db) -> None:
    counted = db.run(increment(Hits, lane=b"a", page="home", hits=-3))
    assert counted == Hits(page="home", shard=shard_of("a", 4), hits=-3)
    stored = raw.item(db, counted)
    assert stored is not None
    assert stored.items() <= definition(Hits).encode(counted).items()


def test_what_cannot_be_counted() -> None:
    with pytest.raises(RequestError, match="lacks page"):
        increment(Hits, lane="a", hits=1)
    with pytest.raises(RequestError, match="does not count name"):
        increment(Hits, lane="a", page="home", name="x")
    with pytest.raises(RequestError, match="lane decides"):
        increment(Hits, lane="a", page="home", shard=1, hits=1)
    for amount in ("1", True, 1.5):
        with pytest.raises(RequestError, match="cannot be raised by"):
            increment(Hits, lane="a", page="home", hits=amount)


money = Table("Money", pk="PK")


class Spent(Counter, table=money, keys={"primary": Key("S#{who}#{shard}")}, shards=3):
    who: str
    shard: Shard = 0
    cents: int = 0
    exact: Decimal = Decimal(0)
    version: Version = 0


@total(Spent)
def spent(who: str) -> None:
    """What somebody spent."""


def test_sums_have_the_types_of_their_fields(tablewright_backend: Backend) -> None:
    db = tablewright_backend.db()
    db.create_tables(money)
    for number in range(10):
        amount = Decimal("0.10")
        db.run(increment(Spent, lane=str(number), who="a", cents=10, exact=amount))
    found = db.run(spent("a"))
    assert (found.cents, type(found.cents)) == (100, int)
    assert (found.exact, type(found.exact)) == (Decimal(1), Decimal)
    assert found.version == 0


def test_sums_are_exact(tablewright_backend: Backend) -> None:
    """Beyond the 28 digits of Python's own arithmetic."""
    db = tablewright_backend.db()
    db.create_tables(money)
    large, small = 10**30, Decimal("0.00000001")
    db.run(increment(Spent, lane=_lane(0), who="a", cents=large, exact=large))
    db.run(increment(Spent, lane=_lane(1), who="a", cents=1, exact=small))
    found = db.run(spent("a"))
    assert found.cents == large + 1
    assert str(found.exact) == f"{large}.00000001"


def _lane(shard: int) -> str:
    return next(str(each) for each in range(100) if shard_of(str(each), 3) == shard)


def test_an_increment_may_do_more(db: Db) -> None:
    op = increment(Hits, lane="a", page="home", hits=1).when(attr(Hits.hits).missing())
    assert db.run(op).hits == 1


# --- processes ------------------------------------------------------------------------------------


def test_a_lane_has_the_same_shard_in_every_process() -> None:
    program = (
        "import json; from tablewright.model import shard_of;"
        "print(json.dumps([shard_of(str(n), 8) for n in range(50)]))"
    )
    found = set()
    for seed in ("0", "1", "random"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, check=True
        )
        found.add(done.stdout)
    assert len(found) == 1
    shards = json.loads(found.pop())
    assert shards == [shard_of(str(n), 8) for n in range(50)]
    assert set(shards) == set(range(8))


@pytest.fixture(scope="module")
def server() -> Iterator[EngineProcess]:
    with EngineProcess() as process:
        Db(HttpTransport(process.url)).create_tables(world.app)
        yield process


def race(server: EngineProcess, job: str, workers: int = 4) -> list[dict[str, object]]:
    """Run a job of :mod:`tests.client.racer` in several processes; what each one says."""
    root = Path(__file__).parents[2]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.client.racer", server.url, job, str(number)],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(workers)
    ]
    for each in running:  # all are ready before any starts
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    said = [each.communicate(timeout=60)[0] for each in running]
    assert [each.returncode for each in running] == [0] * workers
    return [json.loads(each) for each in said]


@pytest.mark.e2e
def test_one_of_many_gets_a_value(server: EngineProcess) -> None:
    """Each process creates persons of its own, all with the same addresses."""
    answers = race(server, "create")
    db = Db(HttpTransport(server.url))
    for number in range(20):
        winners = [each for each in answers if each[f"same{number}"] == "won"]
        others = [each for each in answers if each[f"same{number}"] == "UniqueViolation"]
        assert (len(winners), len(others)) == (1, 3)
        assert len(db.run(world.person_by_email(f"same{number}"))) == 1


@pytest.mark.e2e
def test_changes_of_one_entity_leave_one_lock(server: EngineProcess) -> None:
    """Without a version: each process gives the same guest other badges, over and over."""
    db = Db(HttpTransport(server.url))
    db.run(put(world.Guest(guest_id="shared", badge="first")))
    answers = race(server, "change")
    assert all(each["done"] for each in answers)
    stored = db.run(world.guest("shared"))
    assert stored is not None
    held = [lock for lock in raw.locks(db, world.app) if lock.startswith("UNIQUE#badge#")]
    assert held == [f"UNIQUE#badge#{stored.badge}"]


@pytest.mark.e2e
def test_counts_add_up(server: EngineProcess) -> None:
    race(server, "count")
    db = Db(HttpTransport(server.url))
    assert db.run(world.hits("race")).hits == 4 * 100
    doc = db.run(world.doc("race"))
    assert doc is not None
    assert (doc.hits, doc.version) == (4 * 20, 4 * 20 + 1)
