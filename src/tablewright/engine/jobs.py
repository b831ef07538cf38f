"""Work in the background, in slices: index backfills, restores, sweeps, removal of old rows.

A job is a generator; each step it takes ends in a committed slice, so that requests get their
turn in between. Jobs run one after another on one thread. A job holds no state that matters: what
was not finished when the process ended is found in the catalog and started again, and so is, after
a while, what could not be written.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import apsw

from tablewright.engine.errors import AwsError

log = logging.getLogger("tablewright.engine")

Job = Callable[[], Iterator[object]]

#: How long one slice may keep other writers waiting.
SLICE_SECONDS = 0.015
#: After which time a job that could not write begins again.
RETRY_SECONDS = 5.0
#: Between two slices, for those who wait for the writing lock.
PAUSE_SECONDS = 0.001


@dataclass(slots=True)
class Regular:
    """Something to be done every so often, and when it is due next."""

    seconds: float
    due: float
    action: Callable[[], object]


class Jobs:
    """The background thread; started by the first job."""

    def __init__(self) -> None:
        self._queue: deque[tuple[str, Job]] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._running = False
        self._thread: threading.Thread | None = None
        self._regular: dict[str, Regular] = {}

    def add(self, name: str, job: Job) -> None:
        """Queue a job."""
        with self._changed:
            if self._closing:
                return
            self._queue.append((name, job))
            self._start()
            self._changed.notify_all()

    def every(self, name: str, seconds: float, action: Callable[[], object]) -> None:
        """Call ``action`` about every so many seconds, between jobs."""
        with self._changed:
            self._regular[name] = Regular(seconds, time.monotonic() + seconds, action)
            self._start()
            self._changed.notify_all()

    def wait(self, timeout: float = 30.0) -> None:
        """Wait until no job is queued or running."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._queue and not self._running, timeout):
                raise TimeoutError("background work is still going on")

    def close(self) -> None:
        """Stop after the current slice."""
        with self._changed:
            self._closing = True
            self._queue.clear()
            self._changed.notify_all()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _start(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(
                target=self._loop, name="tablewright-background", daemon=True
            )
            self._thread.start()

    def _loop(self) -> None:
        while True:
            with self._changed:
                if not self._queue and not self._closing:
                    self._changed.wait(self._pause())
                if self._closing:
                    return
                job = self._queue.popleft() if self._queue else None
                self._running = job is not None
            if job is not None:
                self._run(*job)
            self._run_due()

    def _pause(self) -> float | None:
        due = min((regular.due for regular in self._regular.values()), default=None)
        return None if due is None else max(0.0, due - time.monotonic())

    def _run_due(self) -> None:
        for name, regular in list(self._regular.items()):
            if regular.due <= time.monotonic() and not self._closing:
                self._guarded(name, regular.action)
                regular.due = time.monotonic() + regular.seconds

    def _run(self, name: str, job: Job) -> None:
        try:
            for _ in self._guard_steps(name, job):
                if self._closing:
                    return
                time.sleep(PAUSE_SECONDS)
        finally:
            with self._changed:
                self._running = False
                self._changed.notify_all()

    def _guard_steps(self, name: str, job: Job) -> Iterator[object]:
        try:
            yield from job()
        except (AwsError, apsw.Error) as error:  # as long as the disk is full, for instance
            log.warning("background job %s is tried again in a while: %s", name, error)
            self._postpone(name, job)
        except Exception:
            log.exception("background job %s failed", name)

    def _postpone(self, name: str, job: Job) -> None:
        def take_up() -> None:
            del self._regular[again]
            self.add(name, job)

        again = f"{name}, again"
        self._regular[again] = Regular(RETRY_SECONDS, time.monotonic() + RETRY_SECONDS, take_up)

    def _guarded(self, name: str, action: Callable[[], object]) -> None:
        try:
            action()
        except Exception:
            log.exception("background task %s failed", name)
