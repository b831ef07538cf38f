"""Check that the data is undamaged, and that everything derived from items agrees with them.

Every page has a checksum. Indexes, expiry indexes, item collection sizes and counts are kept in
step by every write; here they are computed again from the items and compared. Used by
``tablewright engine verify``, by tests, and after crashes and fuzzing. Memory use does not depend
on the size of the tables.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import apsw
import orjson

from tablewright.engine.expiry import index as ttl
from tablewright.engine.handler import Request, Response
from tablewright.engine.items.writes import dumps, loads
from tablewright.engine.schema import Index, Key, Table
from tablewright.values import Item, item_size

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

log = logging.getLogger("tablewright.engine")

#: Problems that are listed; damage tends to be found again and again.
MOST_PROBLEMS = 1000
#: How often the pages are looked through, and how many at a time.
SCAN_SECONDS = 6 * 3600.0
SCAN_SLICE = 256


def problems(engine: Engine) -> list[str]:
    """Describe everything that does not agree; an empty list if all is well.

    Damage to one table does not keep the others from being checked. The tables are those of the
    same moment as the items: an index that becomes active meanwhile is checked as it was.
    """
    return [text for text in find_problems(engine) if text is not None]


def find_problems(engine: Engine, progress: Callable[[str], object] = str) -> Iterator[str | None]:
    """Yield what does not agree, and None for each page or item that does.

    ``progress`` is told what is checked next.
    """
    progress("pages")
    for page in engine.store.damaged_pages():
        yield f"database: page {page} is damaged (its checksum is wrong)" if page else None
    with engine.store.snapshot() as connection:
        progress("structure")
        yield from _readable("database", _structure(connection))
        tables: list[Table] = []
        yield from _readable("catalog", _catalog(connection, tables))
        for table in tables:
            progress(f"table {table.name}")
            yield from _readable(table.name, _table(connection, table))


def _readable(name: str, found: Iterator[str | None]) -> Iterator[str | None]:
    """Name what was found, and go on where something cannot be read at all."""
    try:
        for text in found:
            yield f"{name}: {text}" if text is not None else None
    except (apsw.Error, ValueError, KeyError, TypeError) as error:
        yield f"{name}: cannot be read to the end: {error or type(error).__name__}"


def _structure(connection: apsw.Connection) -> Iterator[str]:
    for (text,) in connection.execute("PRAGMA quick_check"):
        if text != "ok":
            yield str(text)


def _catalog(connection: apsw.Connection, tables: list[Table]) -> Iterator[str]:
    """Read the tables of this moment; yield nothing."""
    for (body,) in connection.execute("SELECT body FROM catalog"):
        tables.append(Table(orjson.loads(body)))
    yield from ()


def _table(connection: apsw.Connection, table: Table) -> Iterator[str | None]:
    items = size_sum = expiring = 0
    held = {index.name: [0, 0] for index in table.indexes.values()}
    rows = connection.execute(f"SELECT pk, sk, size, item FROM t{table.number}")
    for pk, sk, size, blob in rows:
        item: Item = loads(blob)
        items += 1
        size_sum += size
        key = table.key_from(item)
        if table.key_of(item) != (pk, sk):
            yield f"item {key} is stored under another key"
        if item_size(item) != size:
            yield f"item {key} has {item_size(item)} bytes, its row says {size}"
        for index in table.indexes.values():
            if index.status == "ACTIVE" and index.key_of(item) is not None:
                held[index.name][0] += 1
                held[index.name][1] += item_size(index.project(item))
                yield from _index_row(connection, index, (pk, sk), item)
        expiring += ttl.expires(item, table.ttl) is not None
        yield None
    yield from _compare("items", connection, table.number, items, size_sum)
    for index in table.indexes.values():
        if index.status == "ACTIVE":
            yield from _index_totals(connection, index, *held[index.name])
    if table.ttl is not None:
        ((count,),) = connection.execute(f"SELECT count(*) FROM e{table.number}").fetchall()
        if count != expiring:
            yield f"the expiry index has {count} rows for {expiring} expiring items"


def _index_row(connection: apsw.Connection, index: Index, key: Key, item: Item) -> Iterator[str]:
    place = index.key_of(item)
    assert place is not None
    rows: list[Any] = connection.execute(
        f"SELECT size, item FROM x{index.number} WHERE pk=? AND sk=? AND base_pk=? AND base_sk=?",
        (*place, *key),
    ).fetchall()
    projected = index.project(item)
    if not rows:
        yield f"index {index.name} lacks {projected}"
    elif index.projected is None:
        if rows[0] != (None, None):
            yield f"index {index.name} holds a copy where it should only point at the item"
    elif rows[0][0] != item_size(projected) or loads(rows[0][1]) != projected:
        yield f"index {index.name} holds {dumps(loads(rows[0][1])).decode()} for {projected}"


def _index_totals(
    connection: apsw.Connection, index: Index, items: int, size: int
) -> Iterator[str]:
    totals: list[Any] = connection.execute(f"SELECT count(*) FROM x{index.number}").fetchall()
    if totals[0][0] != items:
        yield f"index {index.name} has {totals[0][0]} rows, the table has {items} items for it"
    yield from _compare(f"index {index.name}", connection, index.number, items, size)


def _compare(
    what: str, connection: apsw.Connection, number: int, items: int, size: int
) -> Iterator[str]:
    # Of the same moment as the rows: others may write meanwhile, and what has expired is removed.
    rows = connection.execute(
        "SELECT items, bytes FROM counts WHERE number=?", (number,)
    ).fetchall()
    counted = list(rows[0]) if rows else [0, 0]
    if counted != [items, size]:
        yield f"{what}: counted {counted}, found {[items, size]}"


class Verification:
    """A check that goes on in the background, beside requests."""

    def __init__(self, engine: Engine) -> None:
        #: What is being checked.
        self.at = ""
        self.done = False
        self.problems: list[str] = []
        self._stopped = False
        self._thread = threading.Thread(
            target=self._run, args=(engine,), name="tablewright-verify", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End the check early, and wait for its end."""
        self._stopped = True
        self._thread.join()

    def _run(self, engine: Engine) -> None:
        try:
            for text in find_problems(engine, self._note):
                if self._stopped:
                    return
                if text is not None and len(self.problems) < MOST_PROBLEMS:
                    self.problems.append(text)
        except Exception as error:
            self.problems.append(f"the check ended early: {error}")
        finally:
            self.done = True

    def _note(self, at: str) -> None:
        self.at = at


def _verify_store(engine: Engine, request: Request, _shape: object) -> Response:
    """Answer ``VerifyStore``: start a check unless one is going on, and say how far it is.

    Not an operation of DynamoDB: ``tablewright engine verify`` asks it of a process that has the
    data folder open. ``{"Start": true}`` begins a new check after one that has ended.
    """
    running = engine.verification
    if running is None or (running.done and request.get("Start")):
        running = engine.verification = Verification(engine)
    return {
        "Status": "DONE" if running.done else "RUNNING",
        "At": running.at,
        "Problems": list(running.problems),
    }


#: Answered as a request that needs no shape: the service model does not know it.
PLAIN = {"VerifyStore": _verify_store}
OPERATIONS = {"VerifyStore": (_verify_store, False)}


def start(engine: Engine) -> None:
    """Look for damaged pages every few hours: readers, who map the file, do not verify them."""
    if engine.folder is not None:
        engine.jobs.every(
            "page checksums",
            SCAN_SECONDS,
            lambda: engine.jobs.add("page checksums", partial(_scan, engine)),
        )


def _scan(engine: Engine) -> Iterator[None]:
    damaged: list[int] = []
    for number, page in enumerate(engine.store.damaged_pages()):
        if page is not None:
            damaged.append(page)
        if number % SCAN_SLICE == 0:
            yield
    if damaged:
        log.error(
            "%d pages of the database are damaged, the first is %d: run `tablewright engine "
            "verify` and restore a backup",
            len(damaged),
            damaged[0],
        )
