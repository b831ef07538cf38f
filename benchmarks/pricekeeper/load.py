"""The load generator for the REST API, in a process of its own.

Reads one job per line of standard input and answers each with one line of JSON::

    {"port": 8080, "kind": "batch", "connections": 8, "seconds": 5.0, "places": [...], "version": 7}
"""

from __future__ import annotations

import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import orjson

from benchmarks.http import HOST, Connection, measure, new_runner
from tablewright.systems.pricekeeper.client import new_request_id

#: Records in one batch of the API's larger route.
BATCH = 100

Place = dict[str, str]
Ids = Callable[[], str]


def request(method: str, path: str, bearer: str, body: bytes = b"") -> bytes:
    """A whole request."""
    lines = [
        f"{method} {path} HTTP/1.1",
        f"Host: {HOST}",
        f"Authorization: Bearer {bearer}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def _record(new_id: Ids) -> dict[str, object]:
    return {
        "request_id": new_id(),
        "label": "premium",
        "timestamp": int(time.time()),
        "input_tokens": 1200,
        "output_tokens": 300,
    }


def singles(place: Place, new_id: Ids) -> Iterator[bytes]:
    while True:
        body = orjson.dumps(_record(new_id))
        yield request("POST", f"{place['app']}/costs", place["token"], body)


def batches(place: Place, new_id: Ids) -> Iterator[bytes]:
    while True:
        body = orjson.dumps({"records": [_record(new_id) for _ in range(BATCH)]})
        yield request("POST", f"{place['app']}/costs/batch", place["token"], body)


def selections(place: Place, new_id: Ids) -> Iterator[bytes]:
    while True:
        yield request("GET", f"{place['app']}/model-selection", place["token"])


def aggregates(place: Place, new_id: Ids) -> Iterator[bytes]:
    while True:
        yield request("GET", f"{place['app']}/aggregates/today", place["token"])


def lookups(place: Place, new_id: Ids) -> Iterator[bytes]:
    """The cheapest request that needs a token: one read, of a record that is not there."""
    while True:
        yield request("GET", f"{place['app']}/costs/{new_id()}", place["token"])


def retrievals(place: Place, new_id: Ids) -> Iterator[bytes]:
    """A token that was never given out costs what a real one does."""
    while True:
        body = orjson.dumps({"token": uuid.uuid4().hex + uuid.uuid4().hex[:11]})
        yield request("POST", f"{place['api']}/credentials/secret", place["admin"], body)


KINDS = {
    "single": (singles, b"201"),
    "batch": (batches, b"207"),
    "selection": (selections, b"200"),
    "aggregates": (aggregates, b"200"),
    "token check": (lookups, b"404"),
    "retrieval": (retrievals, b"404"),
}


class Reporting(Connection):
    """A batch is answered with 207 whatever became of its reports: all have to be recorded."""

    def accepts(self, answer: bytes) -> bool:
        return super().accepts(answer) and answer.count(b'"result":"recorded"') == BATCH


async def load(
    port: int, kind: str, connections: int, seconds: float, places: list[Place], version: int
) -> dict[str, Any]:
    """One kind of request over `connections` for `seconds`, spread over organisations."""
    requests, accepted = KINDS[kind]
    new_id: Ids = new_request_id if version == 7 else lambda: str(uuid.uuid4())
    until = time.perf_counter() + seconds
    connection = Reporting if kind == "batch" else Connection
    pool = [
        connection(
            port, requests(places[number % len(places)], new_id), until, frozenset({accepted})
        )
        for number in range(connections)
    ]
    return await measure(pool, seconds)


def answer_jobs() -> None:
    with new_runner() as runner:
        for line in sys.stdin:
            try:
                result = runner.run(load(**json.loads(line)))
            except (OSError, TimeoutError) as error:
                result = {"errors": 1, "error": f"{type(error).__name__} {error}"}
            print(json.dumps(result), flush=True)


if __name__ == "__main__":
    answer_jobs()
