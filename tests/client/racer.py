"""A process that competes with others: ``python -m tests.client.racer URL JOB NUMBER``."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

from tests.client import world
from tests.client.world import Doc, Guest, Hits, Person

from tablewright.client import Db, HttpTransport, Retries
from tablewright.model import attr, increment, put, update
from tablewright.model.errors import AlreadyExists, Refused, TablewrightError, VersionConflict


def create(db: Db, number: int) -> dict[str, object]:
    found: dict[str, object] = {}
    for turn in range(20):
        email = f"same{turn}"
        try:
            db.run(put(Person(person_id=f"{number}-{turn}", email=email)))
            found[email] = "won"
        except Refused as error:
            found[email] = type(error).__name__
    return found


def change(db: Db, number: int) -> dict[str, object]:
    done = 0
    for turn in range(25):
        op = update(Guest, "shared").do(attr(Guest.badge).set(f"{number}-{turn}"))
        try:
            db.run(op)
            done += 1
        except TablewrightError as error:
            # Too many others at once: it says so, and nothing was written.
            print(type(error).__name__, file=sys.stderr)
    return {"done": done}


def count(db: Db, number: int) -> dict[str, object]:
    with suppress(AlreadyExists):
        db.run(put(Doc(doc_id="race")))
    for turn in range(100):
        db.run(increment(Hits, lane=f"{number}-{turn}", page="race", hits=1))
    for _ in range(20):
        while True:
            doc = db.run(world.doc("race"))
            assert doc is not None
            try:
                db.run(update(doc).do(attr(Doc.hits).set(doc.hits + 1)))
                break
            except VersionConflict:
                continue
    return {}


def main() -> None:
    url, job, number = sys.argv[1:]
    db = Db(HttpTransport(url), retries=Retries(attempts=20, budget=30.0, base=0.005))
    print("ready", flush=True)
    sys.stdin.readline()
    print(json.dumps({"create": create, "change": change, "count": count}[job](db, int(number))))


if __name__ == "__main__":
    main()
