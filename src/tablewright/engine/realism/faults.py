"""Faults that are wanted: which ones a request meets, and what they do to it.

Each request is held against the list of faults. The ones that fire may hold it up, fail it, or
both, before or after the operation; or take some members out of a batch. Everything happens
around the engine's own ``submit``, so that without faults nothing of this is in the way.
"""

from __future__ import annotations

import heapq
import random
import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any, TypeAlias

from tablewright.clock import Clock, ManualClock
from tablewright.engine.errors import COLLECTION_FULL, AwsError, DropConnection
from tablewright.engine.handler import Request, Response
from tablewright.engine.items.transactions import NONE, cancelled
from tablewright.engine.pending import Pending
from tablewright.engine.realism.settings import Fault
from tablewright.engine.realism.throttle import TABLE_EXCEEDED

Submit: TypeAlias = Callable[[str, Any, Any], Pending[Response]]

ONGOING = "Transaction is ongoing for the item"
_MESSAGES = {
    "InternalServerError": "Internal server error",
    "ServiceUnavailableException": "Service is not available. Please retry the request.",
    "ThrottlingException": "Rate of requests exceeds the allowed throughput.",
    "ProvisionedThroughputExceededException": TABLE_EXCEEDED,
    "RequestLimitExceeded": (
        "Throughput exceeds the current throughput limit for your account. Please contact AWS "
        "Support at https://aws.amazon.com/support request a limit increase"
    ),
    "TransactionConflictException": ONGOING,
    "TransactionInProgressException": (
        "Transaction with the given request token is already in progress"
    ),
    "ConditionalCheckFailedException": "The conditional request failed",
    "ItemCollectionSizeLimitExceededException": COLLECTION_FULL,
    "ResourceNotFoundException": "Requested resource not found",
}
_REASONS = {
    "TransactionConflict": ONGOING,
    "ConditionalCheckFailed": "The conditional request failed",
    "ProvisionedThroughputExceeded": TABLE_EXCEEDED,
    "ItemCollectionSizeLimitExceeded": COLLECTION_FULL,
}


class Faults:
    """The faults of an engine, in front of its ``submit``."""

    def __init__(self, faults: tuple[Fault, ...], seed: int, clock: Clock, submit: Submit) -> None:
        self._faults = faults
        self._random = random.Random(seed)
        self._submit = submit
        self._delays = Delays(clock)
        self._fired = [0] * len(faults)
        self._choosing = threading.Lock()

    def submit(self, operation: str, request: Any, shape: Any) -> Pending[Response]:
        """Take one request, with whatever happens to it."""
        fired = self._choose(operation)
        if not fired:
            return self._submit(operation, request, shape)
        before = [fault for fault in fired if not fault.after]
        after = [fault for fault in fired if fault.after]
        outcome: Pending[Response] = Pending()

        def start() -> None:
            failure = _failure(before, request)
            if failure is not None:
                outcome.set_exception(failure)
                return
            answer = self._perform(operation, request, shape, before)
            outcome.helper = answer.helper
            answer.add_done_callback(lambda done: self._delays.run(_pause(after), finish, done))

        def finish(done: Pending[Response]) -> None:
            failure = _failure(after, request) or done.exception()
            if failure is not None:
                outcome.set_exception(failure)
            else:
                outcome.set_result(done.result())

        self._delays.run(_pause(before), start)
        return outcome

    def close(self) -> None:
        """Let everything that is held up go on at once."""
        self._delays.close()

    def _choose(self, operation: str) -> list[Fault]:
        """The faults that fire for this request."""
        fired = []
        with self._choosing:
            for position, fault in enumerate(self._faults):
                if not fault.concerns(operation):
                    continue
                if fault.times is not None and self._fired[position] >= fault.times:
                    continue
                if self._random.random() < fault.rate:
                    self._fired[position] += 1
                    fired.append(fault)
        return fired

    def _perform(
        self, operation: str, request: Any, shape: Any, fired: list[Fault]
    ) -> Pending[Response]:
        """The operation itself, without the batch members that are to be left out."""
        parts = max((fault.unprocessed for fault in fired), default=0.0)
        try:
            if not parts:
                return self._submit(operation, request, shape)
            kept, left = self._split(operation, request, parts)
            if not left:
                return self._submit(operation, request, shape)
            if not kept["RequestItems"]:
                return Pending.of(_with_left({}, operation, left))
            some = self._submit(operation, kept, shape)
            whole: Pending[Response] = Pending(some.helper)
            some.add_done_callback(lambda done: _finish_batch(done, whole, operation, left))
            return whole
        except Exception as error:
            return Pending.failed(error)

    def _split(self, operation: str, request: Any, part: float) -> tuple[Request, Request]:
        """The request without some of its members, and these members by table."""
        kept: Request = {}
        left: Request = {}
        try:
            for name, asked in request["RequestItems"].items():
                members = asked["Keys"] if operation == "BatchGetItem" else asked
                chosen = [self._random.random() < part for _ in members]
                for target, wanted in ((kept, False), (left, True)):
                    some = [m for m, out in zip(members, chosen, strict=True) if out is wanted]
                    if some:
                        target[name] = {**asked, "Keys": some} if isinstance(asked, dict) else some
        except (TypeError, KeyError, AttributeError):
            return request, {}  # not a batch request at all: the engine says what is wrong
        return {**request, "RequestItems": kept}, left


def _finish_batch(
    done: Pending[Response], whole: Pending[Response], operation: str, left: Request
) -> None:
    error = done.exception()
    if error is not None:
        whole.set_exception(error)
    else:
        whole.set_result(_with_left(done.result(), operation, left))


def _with_left(response: Response, operation: str, left: Request) -> Response:
    """The response, with the members that were left out among the unprocessed ones."""
    if operation == "BatchGetItem":
        response.setdefault("Responses", {})
        unprocessed = response.setdefault("UnprocessedKeys", {})
        for name, asked in left.items():
            already = unprocessed.get(name, {}).get("Keys", [])
            unprocessed[name] = {**asked, "Keys": [*already, *asked["Keys"]]}
    else:
        unprocessed = response.setdefault("UnprocessedItems", {})
        for name, members in left.items():
            unprocessed[name] = [*unprocessed.get(name, []), *members]
    return response


def _pause(faults: list[Fault]) -> float:
    return sum(fault.latency for fault in faults)


def _failure(faults: list[Fault], request: Any) -> Exception | None:
    """What the first failing fault answers with."""
    for fault in faults:
        if fault.drop:
            return DropConnection("the connection was dropped by an injected fault")
        if fault.error is not None:
            return _error(fault, request)
    return None


def _error(fault: Fault, request: Any) -> AwsError:
    code = fault.error or ""
    if code == "TransactionCanceledException":
        return cancelled(_reasons(fault, request))
    return AwsError(code, fault.message or _MESSAGES.get(code, "An injected fault."))


def _reasons(fault: Fault, request: Any) -> list[dict[str, Any]]:
    given = request if isinstance(request, dict) else {}
    members = given.get("TransactItems") or given.get("TransactStatements") or [None]
    reason = {
        "Code": fault.reason,
        "Message": fault.message or _REASONS.get(fault.reason, "An injected fault."),
    }
    return [reason if position in fault.members else NONE for position in range(len(members))]


class Delays:
    """Runs things a little later, on one thread that is started by the first of them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._waiting: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()
        self._changed = threading.Condition()
        self._closed = False
        self._thread: threading.Thread | None = None

    def run(self, seconds: float, action: Callable[..., object], *arguments: Any) -> None:
        """Call ``action`` after so many seconds."""
        if seconds > 0 and isinstance(self._clock, ManualClock):
            # Nobody could wait for a clock that stands still.
            self._clock.advance(seconds)
        elif seconds > 0 and self._take(seconds, lambda: action(*arguments)):
            return
        action(*arguments)

    def _take(self, seconds: float, action: Callable[[], object]) -> bool:
        """Have ``action`` wait; False if nothing waits any more."""
        with self._changed:
            if self._closed:
                return False
            heapq.heappush(self._waiting, (time.monotonic() + seconds, next(self._numbers), action))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._loop, name="tablewright-delays", daemon=True
                )
                self._thread.start()
            self._changed.notify()
        return True

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._changed:
                while not self._is_time():
                    if self._closed and not self._waiting:
                        return
                    pause = self._waiting[0][0] - time.monotonic() if self._waiting else None
                    self._changed.wait(pause)
                _, _, action = heapq.heappop(self._waiting)
            action()

    def _is_time(self) -> bool:
        return bool(self._waiting) and (self._closed or self._waiting[0][0] <= time.monotonic())
