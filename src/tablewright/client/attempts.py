"""One request with its retries, its errors and its event.

What may be repeated. Throttling, conflicts with a running transaction and requests that surely
did not leave are always tried again: nothing was written. (If the settings leave conflicts to the
caller, they are raised at once; not after an ambiguous failure, where only the token tells.) After
an ambiguous failure (a timeout, a dropped connection, a 5xx) only a request that is ``SAFE`` to
repeat is: a read, a write whose effect and answer are the same the second time, a transaction with
its token. (A delete without a condition is too, although it then has nothing to give back: whoever
needs to know that it was there says ``existing()``.) A conditional put is repeated too
(``COMPARE``): if its condition then fails on an item that equals the one it wrote, the first
attempt had succeeded. Everything else raises :class:`OutcomeUnknown`.
"""

from __future__ import annotations

import time
from enum import Enum
from typing import Any

from tablewright.client.context import Context
from tablewright.client.events import RequestEvent, consumed_units
from tablewright.client.steps import Flow, Pause
from tablewright.client.transports.wire import Failure, Read, Request, Response, Unreachable
from tablewright.model.errors import (
    CredentialsError,
    OutcomeUnknown,
    ServiceError,
    Throttled,
    Unavailable,
)
from tablewright.values import Item, equal

Body = dict[str, Any]

THROTTLES = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ThrottlingException",
        "RequestLimitExceeded",
        "TransactionInProgressException",
        "TransactionConflictException",
        "ReplicatedWriteConflictException",
    }
)
#: Others were writing the same item: codes of requests, and the reason of a cancelled transaction.
CONFLICTS = frozenset(
    {
        "TransactionConflict",
        "TransactionConflictException",
        "ReplicatedWriteConflictException",
    }
)
#: Reasons of a cancelled transaction that another attempt may not meet.
PASSING = frozenset(
    {"None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}
)

_CONDITION = "ConditionalCheckFailedException"

#: Operations that tell what they used.
METERED = frozenset(
    {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems"}
    | {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
)


class Repeat(Enum):
    """What happens after a failure that leaves the outcome open."""

    SAFE = "safe"
    COMPARE = "compare"
    NEVER = "never"


class Call:
    """Who asks: what the event and the errors say about a request."""

    __slots__ = ("component", "index", "pattern", "table")

    def __init__(
        self, pattern: str, component: str | None, table: str | None, index: str | None = None
    ) -> None:
        self.pattern = pattern
        self.component = component
        self.table = table
        self.index = index


def send(
    context: Context,
    call: Call,
    operation: str,
    body: Body,
    repeat: Repeat = Repeat.SAFE,
    read: Read | None = None,
) -> Flow[Response]:
    """Send one request; raises :class:`Failure` for answers that the caller has to interpret."""
    if context.hook is not None and operation in METERED:
        body["ReturnConsumedCapacity"] = "INDEXES"
    request = Request(operation, body, read)
    policy = context.retries
    # Measures durations: not the context's clock, which tests move.
    started = time.monotonic()
    attempt = 0
    ambiguous = False
    failures: tuple[str, ...] = ()
    clashes: tuple[Item, ...] = ()
    while True:
        attempt += 1
        try:
            response = yield request
        except Failure as failure:
            _with_tables(failure, body)
            if ambiguous and repeat is Repeat.COMPARE and _is_ours(failure, body):
                response = Response({}, 0, 0)
            else:
                problem: Failure | Unreachable = failure
                response = None
        except Unreachable as unreachable:
            problem, response = unreachable, None
        if response is not None:
            _report(context, call, request, started, attempt, response, None, failures, clashes)
            return response
        failures += _codes(problem)
        clashes += _clashes(problem, body)
        ambiguous = ambiguous or _is_ambiguous(problem)
        error = _verdict(problem, call, operation, ambiguous, repeat)
        left = not policy.conflicts and not ambiguous and _is_conflict(problem)
        if error is None and not left and attempt < policy.attempts:
            wait = _wait(context, attempt, problem)
            if time.monotonic() - started + wait <= policy.budget:
                yield Pause(wait)
                continue
        if error is None:
            error = _given_up(problem, call, operation, attempt, ambiguous, repeat)
        code = problem.code if isinstance(problem, Failure) else type(error).__name__
        _report(context, call, request, started, attempt, None, code, failures, clashes)
        raise error from problem


def _verdict(
    problem: Failure | Unreachable, call: Call, operation: str, ambiguous: bool, repeat: Repeat
) -> Exception | None:
    """What to raise now; None to try again."""
    if isinstance(problem, Failure):
        if problem.corrected or problem.code in THROTTLES or _is_passing(problem):
            return None
        if problem.status < 500:
            if ambiguous and repeat is Repeat.COMPARE and problem.code == _CONDITION:
                # What stands there now may be our own write, changed since.
                return _unknown(problem, call, operation)
            return problem
    if ambiguous and repeat is Repeat.NEVER:
        return _unknown(problem, call, operation)
    return None


def _given_up(
    problem: Failure | Unreachable,
    call: Call,
    operation: str,
    attempts: int,
    ambiguous: bool,
    repeat: Repeat,
) -> Exception:
    if ambiguous and operation not in _READS:
        return _unknown(problem, call, operation)
    if isinstance(problem, Failure) and _is_passing(problem) and operation not in _READS:
        return problem
    tries = f"after {attempts} attempts" if attempts > 1 else "at the first attempt"
    if isinstance(problem, Failure) and problem.status < 500:
        return Throttled(
            f"{operation} for {call.pattern} was refused as too much, {tries}: {problem.message} "
            "Nothing was written; try again later, or raise the table's capacity."
        )
    return Unavailable(
        f"{operation} for {call.pattern} got no usable answer, {tries}: {problem.message}"
    )


_READS = frozenset(
    {"GetItem", "Query", "Scan", "BatchGetItem", "TransactGetItems", "DescribeTable"}
    | {"DescribeTimeToLive", "DescribeContinuousBackups", "ListTagsOfResource"}
    | {"GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"}
)


#: Of items nobody can tell by looking whether an update was counted; of tables one can.
_OF_ITEMS = frozenset(
    {"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"}
)


def _unknown(problem: Failure | Unreachable, call: Call, operation: str) -> OutcomeUnknown:
    told = f"{operation} for {call.pattern} may or may not have happened: {problem.message}"
    if operation in _OF_ITEMS:
        told += (
            " It is not safe to repeat blindly. Read the item and decide; for counting updates, "
            "exactly_once() makes repeating safe."
        )
    return OutcomeUnknown(told)


def _is_ambiguous(problem: Failure | Unreachable) -> bool:
    if isinstance(problem, Unreachable):
        return problem.sent
    return problem.status >= 500 and problem.code not in THROTTLES


def _is_passing(failure: Failure) -> bool:
    """A transaction that was cancelled by others being in its way, and by nothing else."""
    if failure.code != "TransactionCanceledException":
        return False
    reasons = failure.body.get("CancellationReasons") or ()
    codes = {reason.get("Code", "None") for reason in reasons}
    return bool(codes) and codes <= PASSING


def _is_conflict(problem: Failure | Unreachable) -> bool:
    return not CONFLICTS.isdisjoint(_codes(problem))


def _codes(problem: Failure | Unreachable) -> tuple[str, ...]:
    """What an attempt failed for, as the event tells it."""
    if isinstance(problem, Unreachable):
        return (type(problem).__name__,)
    reasons = problem.body.get("CancellationReasons") or ()
    codes = {reason.get("Code", "None") for reason in reasons} - {"None"}
    return tuple(sorted(codes)) or (problem.code,)


def _clashes(problem: Failure | Unreachable, body: Body) -> tuple[Item, ...]:
    """The keys of the items that others were writing in an attempt, as far as they are told."""
    if isinstance(problem, Unreachable):
        return ()
    reasons = problem.body.get("CancellationReasons") or ()
    asked = [next(iter(each.values())) for each in body.get("TransactItems", ())]
    # A put has its key among its other attributes: those that others are named by.
    names = {name for each in asked for name in each.get("Key", ())}
    return tuple(
        {name: value for name, value in (each.get("Key") or each["Item"]).items() if name in names}
        for each, reason in zip(asked, reasons, strict=False)
        if reason.get("Code") == "TransactionConflict"
    )


def _is_ours(failure: Failure, body: Body) -> bool:
    """Whether the condition failed on the very item that this request wrote."""
    if failure.code != _CONDITION:
        return False
    stored: Item | None = failure.body.get("Item")
    written: Item = body["Item"]
    if stored is None or stored.keys() != written.keys():
        return False
    return all(equal(stored[name], written[name]) for name in written)


def _wait(context: Context, attempt: int, problem: Failure | Unreachable) -> float:
    if isinstance(problem, Failure):
        if problem.corrected:
            return 0.0
        if problem.retry_after is not None:
            return problem.retry_after
    return backoff(context, attempt)


def backoff(context: Context, attempt: int) -> float:
    """A random wait before the attempt after this one."""
    policy = context.retries
    return context.chance.uniform(0.0, min(policy.cap, policy.base * 2 ** (attempt - 1)))


def _report(
    context: Context,
    call: Call,
    request: Request,
    started: float,
    attempts: int,
    response: Response | None,
    error: str | None,
    failures: tuple[str, ...],
    clashes: tuple[Item, ...],
) -> None:
    if context.hook is None:
        return
    context.hook(
        RequestEvent(
            pattern=call.pattern,
            component=call.component,
            operation=request.operation,
            table=call.table,
            index=call.index,
            seconds=time.monotonic() - started,
            attempts=attempts,
            sent=0 if response is None else response.sent,
            received=0 if response is None else response.received,
            error=error,
            consumed=() if response is None else consumed_units(request.operation, response.body),
            failures=failures,
            clashes=clashes,
        )
    )


_EXPIRED = frozenset({"ExpiredTokenException", "ExpiredToken"})
_UNKNOWN_KEYS = frozenset({"UnrecognizedClientException", "InvalidClientTokenId"})


def as_service_error(failure: Failure) -> ServiceError | CredentialsError:
    """A failure that nothing more is known about."""
    if failure.code in _EXPIRED:
        return CredentialsError(
            f"the session token has expired ({failure.message}). Log in again, for example with "
            "`aws sso login`, or give new keys",
            failure.code,
        )
    if failure.code in _UNKNOWN_KEYS:
        return CredentialsError(
            f"the service does not know the access key or its session token ({failure.message}). "
            "Check the profile and its keys",
            failure.code,
        )
    return ServiceError(failure.code, failure.message, failure.status)


def _with_tables(failure: Failure, body: Body) -> None:
    """Name the table in a failure that leaves it out: nobody knows one by "resource"."""
    if failure.code != "ResourceNotFoundException" or not failure.message:
        return
    names = _tables_in(body)
    if names and not any(name in failure.message for name in names):
        what = f"table {names[0]}" if len(names) == 1 else f"one of the tables {', '.join(names)}"
        failure.message = (
            f"{what} does not exist in this account and region ({failure.message}). Create it "
            "with `tablewright tables setup`, or check the region, the endpoint and the name."
        )


def _tables_in(body: Body) -> list[str]:
    """The physical names of the tables that a request is about."""
    found = [body.get("TableName"), *(body.get("RequestItems") or ())]
    for each in body.get("TransactItems") or ():
        found += [action.get("TableName") for action in each.values()]
    return list(dict.fromkeys(name for name in found if isinstance(name, str)))
