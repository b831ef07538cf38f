"""The tables there are: kept in SQLite, served from memory.

Requests look tables up here. A change goes through :meth:`Catalog.save` or :meth:`Catalog.drop`
inside a work; the served picture changes only after the commit, and a work that was prepared
with an older picture is told so (:class:`Outdated`) and prepared again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import orjson

from tablewright.engine.errors import not_found, validation
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.store import Store
from tablewright.engine.storage.transaction import Transaction

if TYPE_CHECKING:
    from tablewright.engine.realism.delays import TableDelays

_ARN = re.compile(r"arn:[^:]+:dynamodb:[^:]*:[^:]*:table/([a-zA-Z0-9_.-]+)").match


class Outdated(Exception):
    """A table was altered between a request's preparation and its turn to write."""


class Catalog:
    """All tables by name."""

    def __init__(self, store: Store) -> None:
        self._store = store
        #: which tables are said to be CREATING or DELETING; None while realism asks for no delay
        self.delays: TableDelays | None = None
        self._tables: dict[str, Table] = {}
        for (body,) in store.rows("SELECT body FROM catalog", ()):
            table = Table(orjson.loads(body))
            self._tables[table.name] = table

    def __iter__(self) -> Iterator[Table]:
        return iter(list(self._tables.values()))

    def names(self) -> list[str]:
        names = list(self._tables)
        return sorted(names if self.delays is None else {*names, *self.delays.deleting()})

    def find(self, name: str) -> Table | None:
        """The table of that name, or None."""
        return self._tables.get(name)

    def table(self, name: str, message: str = "Requested resource not found") -> Table:
        """The table of that name or ARN, if it can take requests about items.

        One that is still being restored or imported cannot: its items are on their way.
        """
        table = self._tables.get(name) or self._tables.get(table_name(name))
        if table is None or (table.being_filled and not self.has_settled(table)):
            raise not_found(message)
        return table

    def has_settled(self, table: Table) -> bool:
        """Whether ``table`` takes requests about items, now that time may have passed."""
        if table.body["TableStatus"] == "CREATING":
            return False  # it is really being filled
        if self.delays is not None and self.delays.is_creating(table.name):
            return False
        table.being_filled = False
        return True

    def check_current(self, table: Table) -> None:
        """Raise :class:`Outdated` unless ``table`` is still the served one."""
        if self._tables.get(table.name) is not table:
            raise Outdated

    def next_number(self, transaction: Transaction) -> int:
        """A number no table or index has had before."""
        transaction.changes += 1
        row = transaction.execute("UPDATE numbers SET last = last + 1 RETURNING last").fetchall()
        if row:
            return int(row[0][0])
        transaction.execute("INSERT INTO numbers (last) VALUES (1)")
        return 1

    def save(self, transaction: Transaction, body: Body) -> Table:
        """Keep ``body``; requests see it after the commit."""
        kept = orjson.dumps(body)
        # A copy: parts of the body may be a caller's, who may change them.
        table = Table(orjson.loads(kept))
        if transaction.lag is not None and table.name in self._tables:
            transaction.lag.altered(transaction, self._tables[table.name])
        transaction.changes += 1
        transaction.execute("REPLACE INTO catalog (name, body) VALUES (?, ?)", (table.name, kept))
        transaction.after_commit(lambda: self._serve(table))
        return table

    def _serve(self, table: Table) -> None:
        if self.delays is not None and self.delays.is_creating(table.name):
            table.being_filled = True
        self._tables[table.name] = table

    def drop(self, transaction: Transaction, table: Table) -> None:
        """Forget the table; its rows become garbage."""
        transaction.changes += 1
        transaction.execute("DELETE FROM catalog WHERE name=?", (table.name,))
        if transaction.lag is not None:
            transaction.lag.dropped(transaction, table)
        for name in storage_of(table):
            transaction.execute("INSERT OR IGNORE INTO garbage (name) VALUES (?)", (name,))
        transaction.after_commit(lambda: self._tables.pop(table.name, None))


def table_name(text: str) -> str:
    """The table's name in a name or ARN."""
    if text.startswith("arn:"):
        match = _ARN(text)
        if match is None:
            raise validation(f"Invalid table ARN: {text}")
        return match[1]
    return text


def storage_of(table: Table) -> list[str]:
    """The names of the SQL tables that hold this table's rows."""
    names = [f"t{table.number}"]
    if table.ttl:
        names.append(f"e{table.number}")
    if table.local:
        names.append(f"c{table.number}")
    names.extend(f"x{index.number}" for index in table.indexes.values())
    return names


def create_table_storage(transaction: Transaction, table: Table) -> None:
    """Make the SQL tables for a new table and its indexes."""
    transaction.changes += 1
    transaction.execute(
        f"CREATE TABLE t{table.number} (pk BLOB, sk BLOB, size INTEGER, item BLOB,"
        " PRIMARY KEY (pk, sk)) WITHOUT ROWID"
    )
    if table.local:
        transaction.execute(
            f"CREATE TABLE c{table.number} (pk BLOB PRIMARY KEY, bytes INTEGER) WITHOUT ROWID"
        )
    for index in table.indexes.values():
        create_index_storage(transaction, index.number)


def create_index_storage(transaction: Transaction, number: int) -> None:
    transaction.changes += 1
    transaction.execute(
        f"CREATE TABLE x{number} (pk BLOB, sk BLOB, base_pk BLOB, base_sk BLOB, size INTEGER,"
        " item BLOB, PRIMARY KEY (pk, sk, base_pk, base_sk)) WITHOUT ROWID"
    )
