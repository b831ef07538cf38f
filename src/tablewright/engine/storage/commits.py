"""Group commit: works queue up, run in groups, and are acknowledged when the group is durable.

Theory of operation. Whoever holds the writing lock takes the queue, runs all its works inside one
SQLite transaction, commits once, and only then hands out the results. Concurrent writers thereby
share one sync. Works run one after another, in queue order, each seeing what the ones before it
wrote: that is what makes every write, and every multi-item transaction, serialisable. There are
three ways to get a work done:

* :meth:`Commits.run`, for callers that wait: the calling thread leads the group itself, so that a
  single-threaded program never pays for a thread switch.
* :meth:`Commits.submit` on an event loop: the works run on the loop, at the end of its iteration.
  As long as every turn of the loop brings new works, the group waits for them. If the disk has
  just shown that it is quick, the loop commits right away: waking another thread, and being woken
  by it, takes longer than that. Otherwise the commit, which waits for the disk without the
  interpreter lock, goes to the committing thread, and the loop serves others meanwhile; what comes
  in is the next group.
* :meth:`Commits.submit` elsewhere: the committing thread does all of it.

Whoever waits for a result on a loop's own thread does the queued works right there (``_help``),
because the loop could not.

With relaxed durability there is no disk to wait for, and every submitted work is done at once.

A long log is copied into the database file after a commit whose results have been handed out, and
never on a loop, because that takes many times as long as a commit.

If a work fails in a way that is not an answer (a full disk, a defect), the whole group is rolled
back and its members run again one by one, so that one bad work never harms its neighbours.
"""

from __future__ import annotations

import logging
import threading
from asyncio import AbstractEventLoop, _get_running_loop
from collections import deque
from dataclasses import dataclass, field
from queue import SimpleQueue
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

import apsw

from tablewright.clock import Clock
from tablewright.engine.errors import EngineClosed, internal
from tablewright.engine.pending import Pending
from tablewright.engine.storage.log_mark import LogMark
from tablewright.engine.storage.transaction import ANSWERS, Transaction, Work

if TYPE_CHECKING:
    from tablewright.engine.realism.lag import Lag

log = logging.getLogger("tablewright.engine")

Member: TypeAlias = tuple[Work, Pending[Any]]

MAX_GROUP = 256
#: After a commit that took no longer than this, a loop does the next one itself.
QUICK_SECS = 0.001
#: A log of so many pages is copied into the database file.
LONG_LOG_PAGES = 4000
#: How long the committing thread waits for the lock before it looks for what it has to end.
_LOOK_SECS = 0.001


@dataclass
class Group:
    """Works that have run inside one transaction, and what came of them."""

    members: list[Member]
    transaction: Transaction
    outcomes: list[tuple[Pending[Any], Any, BaseException | None]] = field(default_factory=list)


class Commits:
    """The one writer of a store."""

    def __init__(
        self,
        connection: apsw.Connection,
        clock: Clock,
        *,
        durable: bool,
        mark: LogMark | None = None,
    ) -> None:
        self._connection = connection
        self._cursor = connection.cursor()
        self._clock = clock
        self._durable = durable
        self.lag: Lag | None = None
        #: table or index number -> [items, bytes], as of the last commit
        self.counts: dict[int, list[int]] = {}
        #: Held while works run, until their commit is done. Durable commits end in another thread
        #: than they begin; in memory, a work may come back to read.
        self.writing = threading.Lock() if durable else threading.RLock()
        self._queue: deque[Member] = deque()
        self._loop: AbstractEventLoop | None = None
        self._scheduled = False
        self._seen = 0
        self._starved = False
        self._tasks: SimpleQueue[Group | str] = SimpleQueue()
        self._took = QUICK_SECS * 2  # what the last commit took; nothing is known of the disk yet
        self._log_pages = 0
        self._mark = mark
        if durable:
            connection.set_wal_hook(self._logged)
        self._committer: threading.Thread | None = None
        self._starting = threading.Lock()
        self._closed = False

    # --- for everybody ---------------------------------------------------------------

    def run(self, work: Work) -> Any:
        """Do ``work`` and wait until it is durable; raises what the work raised."""
        return self._done_here(work).result()

    def submit(self, work: Work) -> Pending[Any]:
        """Hand ``work`` in; the result comes when it is durable."""
        if not self._durable:
            return self._done_here(work)
        pending: Pending[Any] = Pending(self._help)
        self._queue.append((work, pending))
        if self._committer is None:
            self._start_committer()
        loop = _get_running_loop()
        # Append first, look second: what is queued before the end is found by close().
        if self._closed:
            self._finish()
        elif loop is None:
            self._tasks.put("lead")
        elif not self._scheduled or loop is not self._loop:
            self._scheduled = True
            self._loop = loop
            loop.call_soon(self._proceed)
        return pending

    def close(self) -> None:
        """Finish what is queued and end the committing thread; later works are refused."""
        with self._starting:
            self._closed = True
        # From here on no group is handed to the committing thread: see _proceed().
        self._finish()
        if self._committer is not None:
            self._tasks.put("end")
            self._committer.join()

    # --- in the calling thread -------------------------------------------------------

    def _done_here(self, work: Work) -> Pending[Any]:
        pending: Pending[Any] = Pending()
        self._queue.append((work, pending))
        with self.writing:
            # Another thread may have led this work's group while we waited for the lock.
            while not pending.done():
                if self._queue:
                    self._lead()
                else:
                    pending.set_exception(internal("The write was interrupted."))
        self._wake_starved()
        return pending

    def _finish(self) -> None:
        """Do all that is queued, here and now."""
        with self.writing:
            while self._queue:
                self._lead()

    def _help(self) -> None:
        """Somebody is about to wait: on a loop's thread, nobody else would do the work."""
        if _get_running_loop() is not None:
            self._finish()
            self._wake_starved()

    def _lead(self) -> None:
        group = self._begin(self._take())
        if group is not None:
            self._commit(group)
            self._shorten_log()

    def _take(self) -> list[Member]:
        members: list[Member] = []
        queue = self._queue
        while queue and len(members) < MAX_GROUP:
            members.append(queue.popleft())
        return members

    # --- on an event loop ------------------------------------------------------------

    def _proceed(self) -> None:
        """Run what is queued, and commit it or have it committed."""
        # Not the one that has submitted last, which may be another: then this is not its thread.
        loop = _get_running_loop()
        waiting = len(self._queue)
        if self._seen < waiting < MAX_GROUP and loop is not None:
            # Others are just coming in: a sync for them all costs no more than one for the first.
            self._seen = waiting
            self._scheduled = True
            loop.call_soon(self._proceed)
            return
        self._seen = 0
        self._scheduled = False
        # First say so, then look: whoever holds the lock looks after letting go of it.
        self._starved = True
        if not self.writing.acquire(blocking=False):
            return
        self._starved = False
        group = None
        try:
            # Looked at with the lock held: close() waits for it before it ends the thread.
            if not self._closed:
                group = self._begin(self._take())
        finally:
            if group is None:
                self.writing.release()
        if group is not None:
            self._end(group)
        elif self._queue and loop is not None and not self._closed:
            loop.call_soon(self._proceed)

    def _end(self, group: Group) -> None:
        """Commit on the loop, if that is a matter of a moment, and let go of the lock."""
        task: Group | str = group
        if self._took <= QUICK_SECS:
            try:
                self._commit(group)
            except BaseException:  # Ctrl-C: others must not wait for ever
                self.writing.release()
                raise
            task = "checkpoint"
        # What the group left in the queue waits for the lock, like anything that comes later.
        self._starved = bool(self._queue)
        if task is group or self._log_is_long():
            self._tasks.put(task)
        else:
            self.writing.release()
            self._wake_starved()

    def _wake_starved(self) -> None:
        """After letting go of the lock: tell the loop that found it taken."""
        if not self._starved:
            return
        self._starved = False
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._proceed)
        except RuntimeError:  # the loop is closed, and nobody else would do its works
            self._tasks.put("lead")

    # --- in the committing thread ----------------------------------------------------

    def _start_committer(self) -> None:
        with self._starting:
            if self._committer is None and not self._closed:
                self._committer = threading.Thread(
                    target=self._commit_forever, name="tablewright-commit", daemon=True
                )
                self._committer.start()

    def _commit_forever(self) -> None:
        while (task := self._tasks.get()) != "end":
            if task == "lead":
                self._finish_here()
            else:
                self._end_begun(task)
            self._wake_starved()

    def _end_begun(self, task: Group | str) -> None:
        """Do what a loop has left to this thread, together with the lock."""
        if isinstance(task, Group):
            self._commit(task)
        self._shorten_log()
        self.writing.release()

    def _finish_here(self) -> None:
        """Do all that is queued. Whoever holds the lock may be waiting for this very thread: a
        loop that has begun a group since, which lies behind in the tasks."""
        while not self.writing.acquire(timeout=_LOOK_SECS):
            self._commit_begun()
        try:
            while self._queue:
                self._lead()
        finally:
            self.writing.release()

    def _commit_begun(self) -> None:
        """End the group that has been begun, if there is one; who is to lead is here already."""
        while not self._tasks.empty():
            task = self._tasks.get()
            if task == "end":
                self._tasks.put(task)
                return
            if task != "lead":
                self._end_begun(task)

    # --- one group -------------------------------------------------------------------

    def _begin(self, members: list[Member]) -> Group | None:
        """Run the works of a group; None if it came to nothing and is settled already."""
        if not members:
            return None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            now = self._clock.now()
            group = Group(members, Transaction(self._connection, now, self.lag, self._cursor))
            self._run_works(group)
            self._save_counts(group.transaction)
        except Exception as error:
            self._start_over(members, error)
            return None
        except BaseException:  # Ctrl-C: the others of this group must not be lost
            self._roll_back()
            self._queue.extendleft(reversed(members))
            raise
        return group

    def _run_works(self, group: Group) -> None:
        transaction = group.transaction
        for position, (work, pending) in enumerate(group.members):
            changes = transaction.changes
            try:
                group.outcomes.append((pending, work(transaction), None))
            except ANSWERS as error:
                if transaction.changes != changes:
                    raise
                group.outcomes.append((pending, None, error))
            if transaction.after:
                # What it does after the commit concerns the works behind it.
                self._queue.extendleft(reversed(group.members[position + 1 :]))
                del group.members[position + 1 :]
                return

    def _commit(self, group: Group) -> None:
        started = perf_counter()
        try:
            self._connection.execute("COMMIT")
        except Exception as error:
            self._start_over(group.members, error)
            return
        finally:
            self._took = perf_counter() - started
        self._add_counts(group.transaction)
        for action in group.transaction.after:
            try:
                action()
            except Exception:  # what is committed stands, and its callers are told so
                log.exception("something failed that follows a commit")
        for pending, value, failure in group.outcomes:
            if failure is None:
                pending.set_result(value)
            else:
                pending.set_exception(failure)

    # --- the log ---------------------------------------------------------------------

    def _logged(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        """SQLite tells after each commit how long the log is."""
        self._log_pages = pages
        if self._mark is not None:
            self._mark.note(pages)
        return apsw.SQLITE_OK

    def _log_is_long(self) -> bool:
        return self._log_pages >= LONG_LOG_PAGES

    def _shorten_log(self) -> None:
        """Copy a long log into the database file, so that it is written again from its start."""
        if not self._log_is_long():
            return
        self._log_pages = 0
        if self._mark is not None:
            self._mark.restarted = True
        try:
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        except apsw.Error as error:  # the next commit tries again
            log.warning("the log could not be copied into the database file: %s", error)

    # --- failures --------------------------------------------------------------------

    def _start_over(self, members: list[Member], error: Exception) -> None:
        """Undo a group that failed as a whole, and give each member a transaction of its own."""
        self._roll_back()
        if len(members) == 1:
            members[0][1].set_exception(_as_answer(error))
            return
        for member in members:
            group = self._begin([member])
            if group is not None:
                self._commit(group)

    def _roll_back(self) -> None:
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except apsw.Error:
            pass  # SQLite has rolled back by itself, as it does when the disk is full

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


def _as_answer(error: Exception) -> Exception:
    if isinstance(error, ANSWERS):
        return error
    if isinstance(error, apsw.ConnectionClosedError):
        return EngineClosed()
    if isinstance(error, apsw.FullError):
        return internal("The disk is full: nothing was written. Free some space and try again.")
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError)) or _is_checksum_failure(error):
        return internal(
            f"The database is damaged: {error}. Nothing was written. "
            "Stop it, run `tablewright engine verify` and restore a backup."
        )
    if isinstance(error, (apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError)):
        return internal(f"The data folder cannot be written: {error}. Nothing was written.")
    return error


def _is_checksum_failure(error: Exception) -> bool:
    return getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA
