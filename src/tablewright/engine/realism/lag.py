"""Eventual consistency: some reads see the tables as they were a moment ago.

Theory of operation. While a lag is on, a table that is used has a *replica*: SQL tables of its
own for its rows and its local indexes. A write changes the table at once, and puts the item's new
state into the queue ``lagging``, in the same transaction. When an entry is due, it is applied to
the replica and to the global indexes, which follow the replica and not the table. Reads that do
not ask for consistency, and all reads of global indexes, go to the replica, which therefore is
the table as it was ``seconds`` ago.

The queue is durable and is worked off in order. Nobody can see how far it has been worked off
except by reading, so that is when it is done (and a little with each write, which keeps it short);
there is no thread, and a clock that stands still keeps everything as it is.

A global index that is still being filled follows the table directly, since nobody can read it.
Whenever a table is altered, its queue is worked off first; so an index that becomes readable and
the replica it joins are in the same state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tablewright.engine.catalog import create_table_storage, storage_of
from tablewright.engine.errors import not_found
from tablewright.engine.items.writes import loads, read_row, write_index
from tablewright.engine.schema import Body, Key, Table
from tablewright.engine.storage.transaction import Transaction

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

#: sequence, table number, pk, sk, size, item
Entry: TypeAlias = tuple[int, int, bytes, bytes, int, bytes | None]

#: Entries applied in one go: by a read that finds them due, and along with a write.
SLICE = 500
SLICE_OF_WRITE = 8
#: A replica's storage numbers are its table's plus a multiple of this.
_APART = 1 << 40

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replicas (number INTEGER PRIMARY KEY, apart INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS lagging (sequence INTEGER PRIMARY KEY, due REAL NOT NULL,
 number INTEGER NOT NULL, pk BLOB NOT NULL, sk BLOB NOT NULL, size INTEGER NOT NULL, item BLOB);
"""
# Never due before the entry ahead of it, even if the clock was moved back in between.
_QUEUE = (
    "INSERT INTO lagging (due, number, pk, sk, size, item) VALUES (MAX(?, IFNULL("
    "(SELECT due FROM lagging ORDER BY sequence DESC LIMIT 1), 0)), ?, ?, ?, ?, ?)"
)
_ENTRIES = "SELECT sequence, number, pk, sk, size, item FROM lagging"
# Later entries are due later: nothing behind the first that is not due has to be looked at.
_IS_DUE = (
    "sequence < IFNULL((SELECT sequence FROM lagging WHERE due>? ORDER BY sequence LIMIT 1),"
    " 9223372036854775807)"
)
_FIRST_DUE = "SELECT due FROM lagging ORDER BY sequence LIMIT 1"


class Lag:
    """The replicas of an engine's tables, and what they have not heard of yet."""

    def __init__(self, engine: Engine, seconds: float) -> None:
        self.seconds = seconds
        self._engine = engine
        self._store = engine.store
        #: table number -> how far the replica's storage numbers are from the table's
        self._apart: dict[int, int] = {}
        self._replicas: dict[int, tuple[Table, Table]] = {}

    # --- reading ---------------------------------------------------------------------

    def view(self, table: Table) -> Table:
        """What to read instead of ``table``: the same table, some time ago."""
        self._settle_due()
        apart = self._apart.get(table.number)
        if apart is not None:
            return self._replica(table, apart)

        def work(transaction: Transaction) -> Table:
            if transaction.lag is not self:
                return table  # switched off in this moment
            if self._engine.catalog.table(table.name).number != table.number:
                raise not_found()
            return self._replica_for(transaction, table)

        replica: Table = self._store.run(work)
        return replica

    def _settle_due(self) -> None:
        while self._store.lag is self:
            first = self._store.rows(_FIRST_DUE, ())
            if not first or first[0][0] > self._engine.clock.now():
                return
            self._store.run(self._settle_slice)

    def _settle_slice(self, transaction: Transaction) -> None:
        # Another lag may have taken this one's place meanwhile; then its readers do this.
        if transaction.lag is self:
            self._settle(transaction, SLICE)

    # --- writing ---------------------------------------------------------------------

    def defer(
        self, transaction: Transaction, table: Table, key: Key, size: int, blob: bytes | None
    ) -> None:
        """Queue an item's new state; called before the table itself is changed."""
        self._settle(transaction, SLICE_OF_WRITE)
        self._replica_for(transaction, table)
        due = transaction.now + self.seconds
        transaction.execute(_QUEUE, (due, table.number, *key, size, blob))

    def altered(self, transaction: Transaction, table: Table) -> None:
        """Work off what is queued for a table whose definition is about to change."""
        entries: list[Entry] = transaction.execute(
            f"{_ENTRIES} WHERE number=? ORDER BY sequence", (table.number,)
        ).fetchall()
        for sequence, _, pk, sk, size, blob in entries:
            self._apply(transaction, table, (pk, sk), size, blob)
            transaction.execute("DELETE FROM lagging WHERE sequence=?", (sequence,))

    def dropped(self, transaction: Transaction, table: Table) -> None:
        """Forget a table that is being deleted."""
        transaction.execute("DELETE FROM lagging WHERE number=?", (table.number,))
        self._discard(transaction, table)

    # --- replicas --------------------------------------------------------------------

    def _replica_for(self, transaction: Transaction, table: Table) -> Table:
        """The table's replica, made from the table as it is if there is none."""
        apart = self._apart.get(table.number)
        if apart is None:
            rows: list[tuple[int]] = transaction.execute(
                "SELECT apart FROM replicas WHERE number=?", (table.number,)
            ).fetchall()
            apart = rows[0][0] if rows else self._make(transaction, table)
        return self._replica(table, apart)

    def _make(self, transaction: Transaction, table: Table) -> int:
        # A new number each time: the storage of an earlier replica may still await removal.
        apart = self._engine.catalog.next_number(transaction) * _APART
        transaction.execute("INSERT INTO replicas VALUES (?, ?)", (table.number, apart))
        own = _own_storage(table, apart)
        create_table_storage(transaction, own)
        transaction.execute(f"INSERT INTO t{own.number} SELECT * FROM t{table.number}")
        for name, index in own.indexes.items():
            source = table.indexes[name].number
            transaction.execute(f"INSERT INTO x{index.number} SELECT * FROM x{source}")
        transaction.after_commit(lambda: self._apart.__setitem__(table.number, apart))
        return apart

    def _replica(self, table: Table, apart: int) -> Table:
        known = self._replicas.get(table.number)
        if known is None or known[0] is not table or known[1].number != table.number + apart:
            known = (table, Table(_replica_body(table.body, apart)))
            self._replicas[table.number] = known
        return known[1]

    def _discard(self, transaction: Transaction, table: Table) -> None:
        rows: list[tuple[int]] = transaction.execute(
            "DELETE FROM replicas WHERE number=? RETURNING apart", (table.number,)
        ).fetchall()
        for (apart,) in rows:
            transaction.changes += 1
            for name in storage_of(_own_storage(table, apart)):
                transaction.execute("INSERT OR IGNORE INTO garbage (name) VALUES (?)", (name,))
        transaction.after_commit(lambda: self._forget(table.number))

    def _forget(self, number: int) -> None:
        self._apart.pop(number, None)
        self._replicas.pop(number, None)

    # --- catching up -----------------------------------------------------------------

    def _settle(
        self, transaction: Transaction, limit: int, *, even_if_not_due: bool = False
    ) -> int:
        """Apply entries in order; how many there were."""
        until = float("inf") if even_if_not_due else transaction.now
        entries: list[Entry] = transaction.execute(
            f"{_ENTRIES} WHERE {_IS_DUE} ORDER BY sequence LIMIT ?", (until, limit)
        ).fetchall()
        if not entries:
            return 0
        transaction.changes += 1
        tables = {table.number: table for table in self._engine.catalog}
        for _, number, pk, sk, size, blob in entries:
            if number in tables:
                self._apply(transaction, tables[number], (pk, sk), size, blob)
        transaction.execute("DELETE FROM lagging WHERE sequence<=?", (entries[-1][0],))
        return len(entries)

    def _apply(
        self, transaction: Transaction, table: Table, key: Key, size: int, blob: bytes | None
    ) -> None:
        """Bring the replica and its indexes from an item's old state to the next one."""
        replica = self._replica_for(transaction, table)
        old = read_row(transaction, replica, key)
        transaction.changes += 1
        if blob is None:
            transaction.execute(replica.delete_sql, key)
        else:
            transaction.execute(replica.put_sql, (*key, size, blob))
        if replica.indexes:
            before = old.item if old is not None else None
            item = loads(blob) if blob is not None else None
            for index in replica.indexes.values():
                if index.status != "CREATING":
                    write_index(transaction, index, key, before, old, item, blob, size)

    # --- on and off ------------------------------------------------------------------

    def start(self, transaction: Transaction) -> None:
        """Take up the replicas there are; the rest are made when they are needed."""
        transaction.changes += 1
        transaction.execute(_SCHEMA)
        rows: list[tuple[int, int]] = transaction.execute(
            "SELECT number, apart FROM replicas"
        ).fetchall()
        self._apart = dict(rows)

    def catch_up(self) -> None:
        """Apply what is queued, due or not, in slices, so that others get their turn."""
        while self._store.run(lambda each: self._settle(each, SLICE, even_if_not_due=True)):
            pass

    def end(self, transaction: Transaction) -> None:
        """Apply what came in since :meth:`catch_up`, and give the replicas up."""
        while self._settle(transaction, SLICE, even_if_not_due=True):
            pass
        for table in self._engine.catalog:
            self._discard(transaction, table)


def is_left(engine: Engine) -> bool:
    """True if the engine was last closed, or died, with a lag on."""
    rows = engine.store.rows("SELECT 1 FROM sqlite_master WHERE name='replicas'", ())
    return bool(rows) and bool(engine.store.rows("SELECT 1 FROM replicas LIMIT 1", ()))


def _replica_body(body: Body, apart: int) -> Body:
    """The same table stored elsewhere; nothing but its indexes follows its changes."""
    aside = ("ttl", "StreamSpecification", "recovery")
    replica = {name: value for name, value in body.items() if name not in aside}
    replica["number"] += apart
    if body.get("LocalSecondaryIndexes"):
        replica["LocalSecondaryIndexes"] = [
            {**index, "number": index["number"] + apart} for index in body["LocalSecondaryIndexes"]
        ]
    return replica


def _own_storage(table: Table, apart: int) -> Table:
    """The replica without the global indexes, whose storage it shares with the table."""
    body = _replica_body(table.body, apart)
    body.pop("GlobalSecondaryIndexes", None)
    return Table(body)
