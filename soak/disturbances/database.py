"""A database that fails, refuses, is late, or tells what was true a moment ago."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import Random
from typing import Any

import orjson

from soak.disturbances.base import Disturbance
from soak.place import Place

_SECS = 8.0
_WRITES = ["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"]


@dataclass
class Failing(Disturbance):
    """Settings of the engine's realism, for a while."""

    name: str
    settings: dict[str, Any]
    seconds: float = _SECS

    async def happen(self, place: Place, chance: Random) -> str:
        said = {**self.settings, "seed": chance.randrange(1 << 30)}
        # In one step: whoever follows the file must not see half of it.
        beside = place.faults.with_suffix(".new")
        beside.write_bytes(orjson.dumps(said))
        beside.replace(place.faults)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            place.faults.unlink(missing_ok=True)
            await asyncio.sleep(0.3)  # until it is seen
        return ""


FAULTS = Failing(
    "the database fails now and then",
    {
        "faults": [
            {"rate": 0.05, "error": "InternalServerError"},
            {"rate": 0.03, "error": "ServiceUnavailableException"},
            {"rate": 0.02, "drop": True},
            {"rate": 0.05, "latency": 0.4},
            {"rate": 0.3, "unprocessed": 0.5},
        ]
    },
)
LOST_ANSWERS = Failing(
    "writes are done, and their answers lost",
    {
        "faults": [
            {"operations": _WRITES, "rate": 0.15, "error": "InternalServerError", "after": True},
            {"operations": _WRITES, "rate": 0.1, "drop": True, "after": True},
        ]
    },
)
CONFLICTS = Failing(
    "transactions meet others",
    {
        "faults": [
            {
                "operations": ["TransactWriteItems"],
                "rate": 0.35,
                "error": "TransactionCanceledException",
            }
        ]
    },
)
THROTTLED = Failing(
    "throughput is used up",
    {
        "throughput": True,
        "partitions": True,
        "burst": 1,
        "faults": [{"rate": 0.25, "error": "ProvisionedThroughputExceededException"}],
    },
)
STALE = Failing("reads and indexes are two seconds late", {"lag": 2.0})
