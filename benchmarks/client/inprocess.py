"""Latency of the typed client on an engine in the same process: no network, no JSON."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.client.ours import entity, order, orders_of_customer
from benchmarks.client.workload import CREATE_TABLE, TABLE, Place, all_places, item, places
from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import put

ROUNDS, PER_ROUND = 5, 2_000
#: What a typed get may take at the median, from the call of the pattern to the entity.
TARGET_US = 60.0


@dataclass
class Latency:
    operation: str
    p50_us: float
    p99_us: float


def measure() -> list[Latency]:
    with Engine.memory() as engine:
        engine.call("CreateTable", CREATE_TABLE)
        every = all_places()
        while batch := list(itertools.islice(every, 25)):
            requests = [{"PutRequest": {"Item": item(place)}} for place in batch]
            engine.call("BatchWriteItem", {"RequestItems": {TABLE: requests}})
        db = Db(Embedded(engine))

        def get(place: Place) -> object:
            return db.run(order(place.customer_id, place.order_id))

        def write(place: Place) -> object:
            return db.run(put(entities[place]))

        def query(place: Place) -> object:
            return db.run(orders_of_customer(place.customer_id))

        found = []
        for name, run, count in (
            ("typed get", get, PER_ROUND),
            ("typed put", write, PER_ROUND),
            ("typed query of 100", query, PER_ROUND // 20),
        ):
            times: list[float] = []
            # The first round warms caches up and does not count.
            for round_ in range(ROUNDS + 1):
                asked = places(round_, count)
                entities = {place: entity(place) for place in asked} if run is write else {}
                times += timed(run, asked) if round_ else []
            times.sort()
            p50, p99 = statistics.median(times), times[len(times) * 99 // 100]
            found.append(Latency(name, p50 * 1e6, p99 * 1e6))
        return found


def timed(run: Callable[[Place], object], asked: list[Place]) -> list[float]:
    now = time.perf_counter
    times = []
    for place in asked:
        started = now()
        run(place)
        times.append(now() - started)
    return times
