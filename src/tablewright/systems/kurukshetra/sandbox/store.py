"""The sandbox's SQLite file. What was committed survives the process and the machine.

Entities are kept as the documents that are told, beside the columns they are found by. ``journal``
is written with every movement of money and never changed: the books that the entities must agree
with.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

_FORMAT = 1
_SCHEMA = """
CREATE TABLE orders (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, receipt TEXT, created_at INTEGER NOT NULL,
    document BLOB NOT NULL);
CREATE INDEX orders_by_receipt ON orders (receipt);
CREATE TABLE payments (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, order_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, document BLOB NOT NULL);
CREATE INDEX payments_by_order ON payments (order_id);
CREATE TABLE refunds (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, payment_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, document BLOB NOT NULL);
CREATE INDEX refunds_by_payment ON refunds (payment_id);
CREATE TABLE refund_keys (
    key TEXT PRIMARY KEY, payment_id TEXT NOT NULL, request BLOB NOT NULL, refund_id TEXT NOT NULL);
CREATE TABLE journal (
    number INTEGER PRIMARY KEY, payment_id TEXT NOT NULL, refund_id TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('captured', 'refunded', 'returned')),
    amount INTEGER NOT NULL CHECK (amount > 0));
CREATE UNIQUE INDEX captured_once ON journal (payment_id) WHERE kind = 'captured';
CREATE UNIQUE INDEX refunded_once ON journal (refund_id, kind) WHERE refund_id IS NOT NULL;
CREATE TABLE acts (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, act TEXT NOT NULL, subject TEXT NOT NULL);
CREATE INDEX acts_by_time ON acts (at);
CREATE TABLE events (
    number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, type TEXT NOT NULL, subject TEXT NOT NULL,
    created_at REAL NOT NULL, body BLOB NOT NULL, signature TEXT NOT NULL);
CREATE UNIQUE INDEX told_once ON events (type, subject);
CREATE TABLE deliveries (
    number INTEGER PRIMARY KEY, event INTEGER NOT NULL REFERENCES events, rank INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('waiting', 'taken', 'dropped', 'given_up')),
    due_at REAL NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, last_status INTEGER);
CREATE INDEX deliveries_by_time ON deliveries (due_at, rank) WHERE state = 'waiting';
"""

Row = sqlite3.Row


class Store:
    """One connection, one transaction at a time. It may be used by many threads."""

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.RLock()
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        self._connection = sqlite3.connect(
            ":memory:" if path is None else path,
            isolation_level=None,
            check_same_thread=False,
            timeout=0,
        )
        self._connection.row_factory = sqlite3.Row
        try:
            self._prepare()
        except sqlite3.OperationalError as error:
            self._connection.close()
            raise RuntimeError(f"{path}: another sandbox has it open, or {error}") from error
        except BaseException:
            self._connection.close()
            raise

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[Store]:
        """All of it or nothing."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    # --- rows ------------------------------------------------------------------------------------

    def rows(self, sql: str, *values: object) -> list[Row]:
        with self._lock:
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> Row | None:
        with self._lock:
            found: Row | None = self._connection.execute(sql, values).fetchone()
            return found

    def write(self, sql: str, *values: object) -> int:
        """The number of the row that was inserted last."""
        with self._lock:
            return self._connection.execute(sql, values).lastrowid or 0

    def note(self, sql: str, *values: object) -> None:
        """Write what may be lost with the machine, though not with the process: no waiting."""
        with self._lock:
            self._connection.execute("PRAGMA synchronous = NORMAL")
            try:
                self._connection.execute(sql, values)
            finally:
                self._connection.execute("PRAGMA synchronous = FULL")

    def next_number(self, table: str) -> int:
        """Of the next row; rows are never deleted where this is used."""
        found = self.row(f"SELECT coalesce(max(number), 0) + 1 AS next FROM {table}")
        return int(found["next"]) if found is not None else 1

    # --- documents -------------------------------------------------------------------------------

    def document(self, table: str, identity: str) -> dict[str, object] | None:
        found = self.row(f"SELECT document FROM {table} WHERE id = ?", identity)
        return None if found is None else read(found)

    def change(self, table: str, document: dict[str, Any]) -> None:
        body = orjson.dumps(document)
        self.write(f"UPDATE {table} SET document = ? WHERE id = ?", body, document["id"])

    def _prepare(self) -> None:
        # Held until the end: two processes would both deliver.
        self._connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            script = f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version = {_FORMAT};COMMIT;"
            self._connection.executescript(script)
        elif version != _FORMAT:
            raise RuntimeError(f"the sandbox's file has format {version}, this is {_FORMAT}")


def read(row: Row) -> dict[str, object]:
    """The document of a row."""
    found: dict[str, Any] = orjson.loads(row["document"])
    return found
