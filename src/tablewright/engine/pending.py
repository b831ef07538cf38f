"""A result that may still be on its way.

:class:`Pending` has the methods of ``concurrent.futures.Future`` that a caller of the engine
needs, at a fraction of its cost: most results are there already when it is handed out, and then
no lock and no condition variable is ever made.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

log = logging.getLogger("tablewright.engine")

_changing = threading.Lock()


class Pending(Generic[T]):
    """A value, an error, or neither yet.

    ``helper`` is called by whoever waits: it brings the outcome about if nobody else would.
    """

    __slots__ = ("_callbacks", "_done", "_error", "_value", "helper")

    _value: T

    def __init__(self, helper: Callable[[], object] | None = None) -> None:
        self.helper = helper
        self._done = False
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Pending[T]], object]] | None = None

    @classmethod
    def of(cls, value: T) -> Pending[T]:
        """A result that is there."""
        pending: Pending[T] = cls()
        pending._value = value
        pending._done = True
        return pending

    @classmethod
    def failed(cls, error: BaseException) -> Pending[T]:
        """An error that is there."""
        pending: Pending[T] = cls()
        pending._error = error
        pending._done = True
        return pending

    def done(self) -> bool:
        """Whether there is a result or an exception."""
        return self._done

    def result(self, timeout: float | None = None) -> T:
        """The value; waits for it, and raises what went wrong."""
        if not self._done:
            self._wait(timeout)
        if self._error is not None:
            raise self._error
        return self._value

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """What went wrong, or None; waits for the outcome."""
        if not self._done:
            self._wait(timeout)
        return self._error

    def add_done_callback(self, callback: Callable[[Pending[T]], object]) -> None:
        """Call ``callback`` once the outcome is there, in the thread that brings it.

        That thread has the engine's writing lock: a callback may read and :meth:`Engine.submit`,
        but must not wait for a write.
        """
        with _changing:
            if not self._done:
                if self._callbacks is None:
                    self._callbacks = [callback]
                else:
                    self._callbacks.append(callback)
                return
        callback(self)

    def set_result(self, value: T) -> None:
        """End it."""
        self._value = value
        self._finish()

    def set_exception(self, error: BaseException) -> None:
        """End it with a failure."""
        self._error = error
        self._finish()

    def _finish(self) -> None:
        with _changing:
            self._done = True
            callbacks, self._callbacks = self._callbacks, None
        for callback in callbacks or ():
            try:
                callback(self)
            except Exception:  # it must not keep others from their outcomes
                log.exception("a callback of a result failed")

    def _wait(self, timeout: float | None) -> None:
        if self.helper is not None:
            self.helper()
        arrived = threading.Event()
        self.add_done_callback(lambda _: arrived.set())
        if not arrived.wait(timeout):
            raise TimeoutError("the result is not there yet")
