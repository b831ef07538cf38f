"""A consumer that is killed again and again loses nothing, and does nothing twice."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.client.feed.shop import Balance, app, kit, order

from tablewright.client import Db, HttpTransport
from tablewright.model import get, put
from tablewright.testing import EngineProcess

ORDERS = 150
CUSTOMERS = 5
KILLS = 6
PATIENCE_SECONDS = 60.0


@get(Balance, consistent=True)
def balance(customer_id: str) -> None:
    """What a customer has spent."""


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < until, "the consumer did not get on"
        time.sleep(0.005)


def place_orders(db: Db) -> None:
    for number in range(ORDERS):
        db.run(put(order(number, f"c{number % CUSTOMERS}", total=number)))
        time.sleep(0.005)


@pytest.mark.e2e
def test_kill(tmp_path: Path) -> None:
    chance = random.Random(7)
    file = tmp_path / "handled"
    file.touch()

    def handled() -> Counter[str]:
        # The last line may be cut off: that one was killed while it wrote.
        return Counter(line for line in file.read_text().split("\n")[:-1] if len(line) == 4)

    def enough(goal: int) -> Callable[[], bool]:
        return lambda: handled().total() >= goal

    with EngineProcess(tmp_path / "data") as engine, Db(HttpTransport(engine.url)) as db:
        db.create_tables(app, kit)
        writer = threading.Thread(target=place_orders, args=(db,))
        writer.start()
        command = [sys.executable, "-m", "tests.client.feed.consumer", engine.url, str(file)]
        for kill in range(KILLS + 1):
            before = handled().total()
            with subprocess.Popen(command) as consumer:
                try:
                    if kill < KILLS:
                        wait_for(enough(before + min(10, ORDERS - len(handled()))))
                        time.sleep(chance.uniform(0.0, 0.02))
                    else:
                        writer.join()
                        wait_for(lambda: len(handled()) == ORDERS)
                        time.sleep(0.3)  # the last effect
                    assert consumer.poll() is None, "the consumer ended by itself"
                finally:
                    consumer.kill()
        balances = [db.run(balance(f"c{each}")) for each in range(CUSTOMERS)]
    assert sorted(handled()) == [f"{number:04d}" for number in range(ORDERS)]
    # The kills did hit: some changes came again ...
    assert handled().total() > ORDERS
    # ... and were not applied again.
    assert [0 if each is None else each.spent for each in balances] == [
        sum(range(each, ORDERS, CUSTOMERS)) for each in range(CUSTOMERS)
    ]
