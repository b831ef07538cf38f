"""kill -9 at random moments: what was acknowledged is there, and everything agrees."""

from __future__ import annotations

import http.client
import random
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, strings
from tests.engine.wire import Wire

from tablewright.engine import Engine
from tablewright.engine.verify import problems
from tablewright.testing import EngineProcess

WRITERS = 6


class Writer(threading.Thread):
    """Writes to its own keys until the server dies; remembers what was acknowledged.

    Every round it puts an item, adds to a counter, deletes now and then, and moves two items
    together in a transaction. A value is the round's number, so that afterwards the stored
    value must be the last acknowledged one or the one that was under way.
    """

    def __init__(self, name: str, url: str, start: int, before: dict[str, int]) -> None:
        super().__init__(daemon=True)
        self.partition = name
        self.wire = Wire(url)
        self.round = start
        self.acknowledged = dict(before)
        self.attempted: dict[str, int] = {}

    def run(self) -> None:
        try:
            while True:
                self.round += 1
                self._write("put", self._put)
                self._write("counter", self._count)
                self._write("left", self._pair)
        except (OSError, http.client.HTTPException):
            return  # the server is gone

    def _write(self, what: str, write: Any) -> None:
        self.attempted[what] = self.round
        write()
        self.acknowledged[what] = self.round

    def _item(self, sort: str) -> Any:
        value = str(self.round)
        return {**strings(pk=self.partition, sk=sort, g=f"g{self.round % 5}"), "v": {"N": value}}

    def _put(self) -> None:
        self.wire.call("PutItem", TableName="Composite", Item=self._item("put"))

    def _count(self) -> None:
        self.wire.call(
            "UpdateItem",
            TableName="Composite",
            Key=strings(pk=self.partition, sk="counter"),
            UpdateExpression="SET v = :v, g = :g ADD n :one",
            ExpressionAttributeValues={
                ":v": {"N": str(self.round)},
                ":g": {"S": f"g{self.round % 3}"},
                ":one": {"N": "1"},
            },
        )

    def _pair(self) -> None:
        self.wire.call(
            "TransactWriteItems",
            TransactItems=[
                {"Put": {"TableName": "Composite", "Item": self._item("left")}},
                {"Put": {"TableName": "Composite", "Item": self._item("right")}},
            ],
        )


def check(engine: Engine, writers: list[Writer]) -> dict[str, dict[str, int]]:
    """Compare what is stored with what was acknowledged; what is stored, for the next round."""
    stored = {}
    for writer in writers:
        answer = engine.call(
            "Query",
            {
                "TableName": "Composite",
                "KeyConditionExpression": "pk = :p",
                "ExpressionAttributeValues": {":p": {"S": writer.partition}},
            },
        )
        found = {item["sk"]["S"]: int(item["v"]["N"]) for item in answer["Items"]}
        assert found.get("left") == found.get("right"), "a transaction is there in part"
        for sort in ("put", "counter", "left"):
            possible = {writer.acknowledged.get(sort), writer.attempted.get(sort)}
            assert found.get(sort) in possible, f"{sort}: an acknowledged write is lost"
        stored[writer.partition] = found
    assert problems(engine) == []
    return stored


def crash_rounds(folder: Path, rounds: int, seed: int) -> int:
    """Run, kill, check, again; the number of acknowledged rounds of writing."""
    chance = random.Random(seed)
    with Engine(folder) as engine:
        engine.call(
            "CreateTable",
            composite_table(
                AttributeDefinitions=[{"AttributeName": "g", "AttributeType": "S"}],
                GlobalSecondaryIndexes=[index("by_g", "g", "sk")],
                StreamSpecification={
                    "StreamEnabled": True,
                    "StreamViewType": "NEW_AND_OLD_IMAGES",
                },
            ),
        )
    server = EngineProcess(folder)
    start = 0
    stored: dict[str, dict[str, int]] = {f"w{n}": {} for n in range(WRITERS)}
    for _ in range(rounds):
        server.start()
        writers = [Writer(name, server.url, start, before) for name, before in stored.items()]
        for writer in writers:
            writer.start()
        time.sleep(chance.uniform(0.05, 0.5))
        server.kill()
        for writer in writers:
            writer.join(timeout=30)
        with Engine(folder) as engine:
            stored = check(engine, writers)
        start = max(writer.round for writer in writers)
    return start


def test_acknowledged_writes_survive_kill(tmp_path: Path) -> None:
    assert crash_rounds(tmp_path / "data", rounds=4, seed=1) > 0


@pytest.mark.slow
def test_acknowledged_writes_survive_fifty_kills(tmp_path: Path) -> None:
    assert crash_rounds(tmp_path / "data", rounds=50, seed=2) > 0
