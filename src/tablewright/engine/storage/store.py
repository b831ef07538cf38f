"""SQLite underneath: the one file of an engine, its one writer and its readers.

Writing goes through ``commits``. Readers see committed data only: each has a connection of its
own, taken from a pool. In memory there is a single connection, shared under the writing lock.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import apsw

from tablewright.clock import Clock
from tablewright.engine.errors import EngineClosed
from tablewright.engine.storage.commits import LONG_LOG_PAGES, Commits
from tablewright.engine.storage.folder import Folder

if TYPE_CHECKING:
    from tablewright.engine.realism.lag import Lag

Durability: TypeAlias = Literal["full", "relaxed"]

PAGE_SIZE = 8192
WRITER_CACHE_KIB = 32 * 1024
READER_CACHE_KIB = 8 * 1024
#: The folder has one owner, so no other process has to be asked before each read and write: this
#: kind of file access locks the file once and keeps the locks among connections in memory.
OWN_FILE = "unix-excl" if "unix-excl" in apsw.vfs_names() else None
#: How much of the file readers map into memory instead of copying pages; address space only.
#: Not on Windows, where nobody could cut off the end of a file that is mapped.
MAPPED_BYTES = 4 * 1024**3 if OWN_FILE is not None and sys.maxsize > 2**32 else 0


class Store:
    """The database file of an engine."""

    def __init__(
        self, folder: Folder | None, durability: Durability, clock: Clock, schema: str = ""
    ) -> None:
        self._folder = folder
        self.durability: Durability = durability
        self._readers: list[apsw.Connection] = []
        #: One of each connection, for queries that are read to the end at once.
        self._cursors: dict[apsw.Connection, apsw.Cursor] = {}
        self._closed = False
        self._writer = self._connect()
        self._writer.execute(f"PRAGMA cache_size=-{WRITER_CACHE_KIB}")
        self._writer.execute(_SCHEMA + schema)
        durable = folder is not None and durability == "full"
        self._commits = Commits(self._writer, clock, durable=durable)
        self.run = self._commits.run
        self.submit = self._commits.submit
        self.counts = self._commits.counts
        for number, items, size in self._writer.execute("SELECT number, items, bytes FROM counts"):
            self.counts[number] = [items, size]

    @property
    def lag(self) -> Lag | None:
        """What keeps stale copies for some readers, if that is asked for."""
        return self._commits.lag

    @lag.setter
    def lag(self, lag: Lag | None) -> None:
        self._commits.lag = lag

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
            return self._cursors[reader].execute(sql, bindings).fetchall()
        finally:
            self.return_reader(reader)

    def take_reader(self) -> apsw.Connection:
        """A connection for reading, which has to be returned."""
        if self._folder is None:
            self._commits.writing.acquire()
            if self._closed:
                self._commits.writing.release()
                raise EngineClosed
            return self._writer
        try:
            return self._readers.pop()
        except IndexError:
            if self._closed:
                raise EngineClosed from None
            reader = self._connect()
            reader.execute(f"PRAGMA cache_size=-{READER_CACHE_KIB}; PRAGMA query_only=1")
            reader.execute(f"PRAGMA mmap_size={MAPPED_BYTES}")
            return reader

    def return_reader(self, reader: apsw.Connection) -> None:
        if self._folder is None:
            self._commits.writing.release()
        else:
            self._readers.append(reader)
            if self._closed:
                self._close_readers()

    # --- opening and closing ---------------------------------------------------------

    def close(self) -> None:
        """Finish what is queued, then close every connection."""
        self._commits.close()
        with self._commits.writing:
            self._closed = True
            self._close_readers()
            self._writer.close()

    def _close_readers(self) -> None:
        while self._readers:
            reader = self._readers.pop()
            del self._cursors[reader]
            reader.close()

    def _connect(self) -> apsw.Connection:
        path = ":memory:" if self._folder is None else str(self._folder.database)
        connection = apsw.Connection(path, vfs=None if self._folder is None else OWN_FILE)
        self._cursors[connection] = connection.cursor()
        connection.set_busy_timeout(10_000)
        # One plan per statement: otherwise SQLite compiles a range query anew for every value.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if self._folder is None:
            connection.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            return connection
        connection.execute(f"PRAGMA page_size={PAGE_SIZE}; PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if self.durability == 'full' else 'OFF'}")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute(f"PRAGMA wal_autocheckpoint={LONG_LOG_PAGES}")
        return connection


_SCHEMA = """
CREATE TABLE IF NOT EXISTS catalog (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS counts (number INTEGER PRIMARY KEY, items INTEGER, bytes INTEGER);
CREATE TABLE IF NOT EXISTS garbage (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""
