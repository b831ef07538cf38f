"""SQLite underneath: the one file of an engine, its one writer and its readers.

Writing goes through ``commits``. Readers see committed data only: each has a connection of its
own, taken from a pool. In memory there is a single connection, shared under the writing lock.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import apsw

from tablewright.clock import Clock
from tablewright.engine.errors import EngineClosed
from tablewright.engine.storage.checksums import (
    RESERVED_BYTES,
    checksum_vfs,
    damaged_pages,
    page_verifier,
)
from tablewright.engine.storage.commits import LONG_LOG_PAGES, Commits
from tablewright.engine.storage.folder import DamagedFolder, Folder, FolderError
from tablewright.engine.storage.log_mark import LogMark, Mark, read_mark, read_salts

if TYPE_CHECKING:
    from tablewright.engine.realism.lag import Lag

log = logging.getLogger("tablewright.engine")

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
        durable = folder is not None and durability == "full"
        self._file: int | None = None
        self._writer = self._connect() if folder is None else self._open(folder)
        self._mark = _log_mark(folder) if durable else None
        try:
            self._writer.execute(f"PRAGMA cache_size=-{WRITER_CACHE_KIB}")
            self._writer.execute(_SCHEMA + schema)
            if folder is not None:
                folder.settle_format()
        except BaseException:
            self._writer.close()
            raise
        self._commits = Commits(self._writer, clock, durable=durable, mark=self._mark)
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
            if self._mark is not None:
                self._mark.close()
            self._writer.close()
            if self._file is not None:
                os.close(self._file)

    def _close_readers(self) -> None:
        while self._readers:
            reader = self._readers.pop()
            del self._cursors[reader]
            reader.close()

    def _open(self, folder: Folder) -> apsw.Connection:
        """Open the writer's connection; :class:`DamagedFolder` if data has been lost.

        Nothing is changed before it is known that nothing is missing.
        """
        noted, salts = read_mark(folder.log_mark), read_salts(folder.log)
        vfs = checksum_vfs(OWN_FILE)
        writer = self._connect(vfs or OWN_FILE)
        try:
            writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            _require_complete(writer, folder, noted, salts)
            _reserve(writer, folder, checksums=vfs is not None)
            writer.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)
        except BaseException:
            writer.close()
            raise
        return writer

    def damaged_pages(self) -> Iterator[int | None]:
        """Verify the pages of the file one by one; yield a damaged one's number, or else None."""
        verify = page_verifier()
        if self._folder is None or verify is None or not hasattr(os, "pread"):
            return
        if self._file is None:
            # It stays open: to close it would drop the locks that SQLite has on the file.
            self._file = os.open(self._folder.database, os.O_RDONLY)
        yield from damaged_pages(self._file, PAGE_SIZE, verify, self._commits.writing)

    def _connect(self, vfs: str | None = OWN_FILE) -> apsw.Connection:
        path = ":memory:" if self._folder is None else str(self._folder.database)
        connection = apsw.Connection(path, vfs=None if self._folder is None else vfs)
        self._cursors[connection] = connection.cursor()
        connection.set_busy_timeout(10_000)
        # One plan per statement: otherwise SQLite compiles a range query anew for every value.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        if self._folder is None:
            connection.execute("PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF")
            return connection
        if self._folder.found_format is None and vfs != OWN_FILE:
            # Of a new file, before its first page is written.
            connection.reserve_bytes("main", RESERVED_BYTES)
        connection.execute(f"PRAGMA page_size={PAGE_SIZE}; PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={'FULL' if self.durability == 'full' else 'OFF'}")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute(f"PRAGMA wal_autocheckpoint={LONG_LOG_PAGES}")
        return connection


def _log_mark(folder: Folder | None) -> LogMark | None:
    if folder is None or not hasattr(os, "pread"):
        return None
    try:
        return LogMark(folder.log_mark, folder.log)
    except OSError:  # a full disk: there is no note then
        return None


def _require_complete(
    writer: apsw.Connection, folder: Folder, noted: Mark | None, salts: tuple[int, int] | None
) -> None:
    """Raise :class:`DamagedFolder` if tables, or commits in the log, are missing."""
    tables = writer.execute("SELECT count(*) FROM sqlite_schema WHERE name='catalog'").fetchall()
    frames, _copied = writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP)
    lost = 0 if noted is None else noted.lost(salts, max(0, frames))
    if noted is not None and lost:
        raise DamagedFolder(
            f"The data folder {folder.path} has lost acknowledged writes: {lost} of "
            f"{noted.frames} committed pages are missing from {folder.log}, which was removed, cut "
            "short or damaged. Restore the folder from a backup. To go on without these writes, "
            f"run: tablewright engine verify --data {folder.path} --accept-loss"
        )
    if folder.found_format is not None and tables[0][0] == 0:
        raise DamagedFolder(
            f"The data folder {folder.path} has lost its data: {folder.database} holds no tables. "
            "Restore the folder from a backup. To start again without data, remove the file "
            f"{folder.path / 'format'}."
        )


def _reserve(writer: apsw.Connection, folder: Folder, *, checksums: bool) -> None:
    """Give every page of an older file room for its checksum."""
    reserved = writer.reserve_bytes("main", -1) == RESERVED_BYTES
    if reserved and not checksums:
        # Pages written without the extension would keep the checksums of what they held before.
        raise FolderError(
            f"The data folder {folder.path} has page checksums, and the installed apsw cannot "
            "write them. Install apsw from one of its wheels."
        )
    if reserved or not checksums:
        return
    writer.reserve_bytes("main", RESERVED_BYTES)
    log.warning("%s gets page checksums; this rewrites it once", folder.database)
    try:
        # All or nothing: SQLite writes the new pages into the log, and copies them from there.
        writer.execute("VACUUM")
        writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    except apsw.FullError:
        raise FolderError(
            f"The data folder {folder.path} cannot be upgraded: the disk has no room for a second "
            f"copy of {folder.database}. Free some space and start again."
        ) from None


_SCHEMA = """
CREATE TABLE IF NOT EXISTS catalog (name TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS numbers (last INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS counts (number INTEGER PRIMARY KEY, items INTEGER, bytes INTEGER);
CREATE TABLE IF NOT EXISTS garbage (name TEXT PRIMARY KEY) WITHOUT ROWID;
"""
