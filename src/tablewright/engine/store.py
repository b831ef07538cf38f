"""SQLite underneath: connections, group commit, and what happens when the disk is full.

Theory of operation. There is one writing connection and a pool of reading ones. A *work* is a
function of a :class:`Transaction`; it reads, decides, raises (before it has changed anything) or
changes. Works queue up; whoever holds the writing lock drains the queue, runs all works inside
one SQLite transaction, commits once, and only then hands out the results. Concurrent writers
thereby share one sync, and nothing is acknowledged before it is on disk.

* :meth:`Store.run` is for callers that wait: the calling thread leads the group itself, so that a
  single-threaded program never pays for a thread switch.
* :meth:`Store.submit` is for event loops: with full durability a committing thread leads, so that
  the loop never waits for the disk; with relaxed durability there is nothing to wait for and the
  work is done at once.

Works run one after another, in queue order, each seeing what the ones before it wrote: that is
what makes every write, and every multi-item transaction, serialisable. If a work fails in a way
that is not an answer (a full disk, a defect), the whole group is rolled back and its members run
again one by one, so that one bad work never harms its neighbours.

Readers see committed data only. In memory there is one connection, shared under a lock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import apsw

from tablewright.clock import Clock
from tablewright.engine.errors import AwsError, internal
from tablewright.engine.folder import Folder
from tablewright.engine.pending import Pending
from tablewright.expressions import ExpressionError
from tablewright.values import InvalidValue

if TYPE_CHECKING:
    from tablewright.engine.realism.lag import Lag

Durability: TypeAlias = Literal["full", "relaxed"]

#: Errors that are answers: the caller did something the service refuses.
ANSWERS = (AwsError, ExpressionError, InvalidValue)

PAGE_SIZE = 8192
WRITER_CACHE_KIB = 16 * 1024
READER_CACHE_KIB = 8 * 1024
MAX_GROUP = 256


class Transaction:
    """The writing side of one group; works change the database only through it."""

    __slots__ = ("_after", "changes", "counts", "execute", "lag", "now")

    def __init__(self, connection: apsw.Connection, now: float, lag: Lag | None = None) -> None:
        self.execute: Callable[..., Any] = connection.execute
        #: what keeps stale copies for some readers, if that is asked for
        self.lag = lag
        #: the moment this group is written, in seconds since the epoch
        self.now = now
        self.changes = 0
        #: physical table or index number -> [items, bytes] to add to its counts
        self.counts: dict[int, list[int]] = {}
        self._after: list[Callable[[], object]] = []

    def after_commit(self, action: Callable[[], object]) -> None:
        """Run ``action`` once this is durable, before any later work; ends the group."""
        self._after.append(action)

    def count(self, number: int, items: int, size: int) -> None:
        """Add to the item count and byte size of a table or index."""
        entry = self.counts.get(number)
        if entry is None:
            self.counts[number] = [items, size]
        else:
            entry[0] += items
            entry[1] += size


Work: TypeAlias = Callable[[Transaction], Any]


class Store:
    """The one SQLite file of an engine."""

    def __init__(
        self, folder: Folder | None, durability: Durability, clock: Clock, schema: str = ""
    ) -> None:
        self._folder = folder
        self._clock = clock
        self.durability: Durability = durability
        self._queue: deque[tuple[Work, Pending[Any]]] = deque()
        self._writing = threading.RLock()
        self._readers: list[apsw.Connection] = []
        self._wake = threading.Event()
        self._closed = False
        self._committer: threading.Thread | None = None
        self.counts: dict[int, list[int]] = {}
        self.lag: Lag | None = None
        self._writer = self._connect()
        self._writer.execute(f"PRAGMA cache_size=-{WRITER_CACHE_KIB}")
        self._writer.execute(_SCHEMA + schema)
        for number, items, size in self._writer.execute("SELECT number, items, bytes FROM counts"):
            self.counts[number] = [items, size]

    # --- reading ---------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """A connection for reading; one SELECT is one consistent view."""
        reader = self.take_reader()
        try:
            yield reader
        finally:
            self.return_reader(reader)

    @contextmanager
    def snapshot(self) -> Iterator[apsw.Connection]:
        """A connection whose reads all see one moment."""
        with self.reading() as connection:
            if self._folder is None:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")

    def rows(self, sql: str, bindings: tuple[Any, ...]) -> list[Any]:
        """All rows of a short query."""
        reader = self.take_reader()
        try:
            return reader.execute(sql, bindings).fetchall()
        finally:
            self.return_reader(reader)

    def take_reader(self) -> apsw.Connection:
        """A connection for reading, which has to be returned."""
        if self._folder is None:
            self._writing.acquire()
            return self._writer
        try:
            return self._readers.pop()
        except IndexError:
            reader = self._connect()
            reader.execute(f"PRAGMA cache_size=-{READER_CACHE_KIB}; PRAGMA query_only=1")
            return reader

    def return_reader(self, reader: apsw.Connection) -> None:
        if self._folder is None:
            self._writing.release()
        else:
            self._readers.append(reader)

    # --- writing ---------------------------------------------------------------------

    def run(self, work: Work) -> Any:
        """Do ``work`` and wait until it is durable; raises what the work raised."""
        pending: Pending[Any] = Pending()
        self._queue.append((work, pending))
        with self._writing:
            # Another thread may have led this work's group while we waited for the lock.
            while not pending.done():
                self._lead()
        return pending.result()

    def submit(self, work: Work) -> Pending[Any]:
        """Hand ``work`` in; the result comes when it is durable."""
        pending: Pending[Any] = Pending()
        self._queue.append((work, pending))
        if self.durability == "relaxed":
            with self._writing:
                while not pending.done():
                    self._lead()
            return pending
        if self._committer is None:
            self._start_committer()
        self._wake.set()
        return pending

    def close(self) -> None:
        """Finish what is queued, then close every connection."""
        self._closed = True
        self._wake.set()
        if self._committer is not None:
            self._committer.join()
        with self._writing:
            while self._queue:
                self._lead()
            for reader in self._readers:
                reader.close()
            self._readers.clear()
            self._writer.close()

    def _start_committer(self) -> None:
        with self._writing:
            if self._committer is None:
                self._committer = threading.Thread(
                    target=self._commit_forever, name="tablewright-commit", daemon=True
                )
                self._committer.start()

    def _commit_forever(self) -> None:
        while not self._closed:
            self._wake.wait()
            self._wake.clear()
            with self._writing:
                while self._queue:
                    self._lead()

    def _lead(self) -> None:
        group: list[tuple[Work, Pending[Any]]] = []
        queue = self._queue
        while queue and len(group) < MAX_GROUP:
            group.append(queue.popleft())
        while group:
            group = self._commit(group)

    def _commit(self, group: list[tuple[Work, Pending[Any]]]) -> list[tuple[Work, Pending[Any]]]:
        """Run and commit a group; what is left of it if a work had to be the last."""
        outcomes: list[tuple[Pending[Any], Any, BaseException | None]] = []
        rest: list[tuple[Work, Pending[Any]]] = []
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            transaction = Transaction(self._writer, self._clock.now(), self.lag)
            for position, (work, pending) in enumerate(group):
                changes = transaction.changes
                try:
                    outcomes.append((pending, work(transaction), None))
                except ANSWERS as error:
                    if transaction.changes != changes:
                        raise
                    outcomes.append((pending, None, error))
                if transaction._after:
                    rest = group[position + 1 :]
                    break
            self._save_counts(transaction)
            self._writer.execute("COMMIT")
        except Exception as error:
            self._roll_back()
            if len(group) > 1:
                for member in group:
                    self._commit([member])
                return []
            group[0][1].set_exception(_as_answer(error))
            return []
        self._add_counts(transaction)
        for action in transaction._after:
            action()
        for pending, value, failure in outcomes:
            if failure is None:
                pending.set_result(value)
            else:
                pending.set_exception(failure)
        return rest

    def _save_counts(self, transaction: Transaction) -> None:
        for number, (items, size) in transaction.counts.items():
            if items or size:
                before = self.counts.get(number, (0, 0))
                transaction.execute(
                    "REPLACE INTO counts (number, items, bytes) VALUES (?, ?, ?)",
                    (number, before[0] + items, before[1] + size),
                )

    def _add_counts(self, transaction: Transaction) -> None:
        for number, (items, size) in transaction.counts.items():
            entry = self.counts.setdefault(number, [0, 0])
            entry[0] += items
            entry[1] += size

    def _roll_back(self) -> None:
        try:
            if self._writer.in_transaction:
                self._writer.execute("ROLLBACK")
        except apsw.Error:
            pass  # SQLite has rolled back by itself, as it does when the disk is full

    def _connect(self) -> apsw.Connection:
        path = ":memory:" if self._folder is None else str(self._folder.database)
        connection = apsw.Connection(path)
        connection.set_busy_timeout(10_000)
        if self._folder is None:
            connection.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            return connection
        connection.execute(f"PRAGMA page_size={PAGE_SIZE}; PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if self.durability == 'full' else 'OFF'}")
        connection.execute("PRAGMA temp_store=MEMORY")
        return connection


_SCHEMA = """
CREATE TABLE IF NOT EXISTS catalog (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS counts (number INTEGER PRIMARY KEY, items INTEGER, bytes INTEGER);
CREATE TABLE IF NOT EXISTS garbage (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def _as_answer(error: BaseException) -> BaseException:
    if isinstance(error, ANSWERS):
        return error
    if isinstance(error, apsw.FullError):
        return internal("The disk is full: nothing was written. Free some space and try again.")
    if isinstance(error, (apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError)):
        return internal(f"The data folder cannot be written: {error}. Nothing was written.")
    return error
