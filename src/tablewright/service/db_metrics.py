"""What the requests to the database used, and how they went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from prometheus_client import Counter, Histogram

from tablewright.client import RequestEvent
from tablewright.service.slow_calls import SLOW_SECS, SlowCalls

if TYPE_CHECKING:
    from tablewright.service.metrics import Metrics

_THROTTLES = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "ProvisionedThroughputExceeded",
        "ThrottlingException",
        "ThrottlingError",
        "RequestLimitExceeded",
    }
)
_SERVER_ERRORS = frozenset(
    {"InternalServerError", "InternalFailure", "ServiceUnavailable", "ServiceUnavailableException"}
)
_CONDITIONS = frozenset({"ConditionalCheckFailedException", "ConditionalCheckFailed"})
_CONFLICTS = frozenset(
    {"TransactionConflictException", "TransactionConflict", "TransactionInProgressException"}
)


class _Use(NamedTuple):
    """The counters of one pattern, with their labels filled in."""

    requests: Counter
    seconds: Histogram
    retries: Counter
    throttles: Counter
    server_errors: Counter
    conditions: Counter
    conflicts: Counter
    errors: Counter


class DbMetrics:
    """The hook of one system's ``Db``. Labels are looked up once for each pattern and table."""

    def __init__(
        self, metrics: Metrics, system: str, logical: Mapping[str, str], slow: SlowCalls
    ) -> None:
        self._system = system
        self._slow = slow
        self._logical = logical
        by_pattern = ("system", "pattern", "operation")
        counter = metrics.counter
        self._families = _Use(
            counter("tablewright_db_requests", "Requests to the database.", by_pattern),
            metrics.histogram(
                "tablewright_db_request_seconds",
                "How long they took, retries included.",
                by_pattern,
            ),
            counter("tablewright_db_retries", "Attempts after the first one.", by_pattern),
            counter("tablewright_db_throttles", "Attempts refused as too much.", by_pattern),
            counter("tablewright_db_server_errors", "Attempts answered 5xx.", by_pattern),
            counter("tablewright_db_condition_failures", "Conditions not met.", by_pattern),
            counter("tablewright_db_transaction_conflicts", "Conflicts of writes.", by_pattern),
            counter("tablewright_db_errors", "Requests that failed in another way.", by_pattern),
        )
        by_table = ("system", "table", "index", "pattern")
        self._reads = counter("tablewright_db_read_units", "Read units used.", by_table)
        self._writes = counter("tablewright_db_write_units", "Write units used.", by_table)
        self._uses: dict[tuple[str, str], _Use] = {}
        self._units: dict[tuple[str, str | None, str], tuple[Counter, Counter]] = {}

    def __call__(self, event: RequestEvent) -> None:
        use = self._uses.get((event.pattern, event.operation)) or self._use(event)
        use.requests.inc()
        use.seconds.observe(event.seconds)
        if event.seconds > SLOW_SECS:
            self._slow.note(event)
        if event.attempts > 1:
            use.retries.inc(event.attempts - 1)
        for spent in event.consumed:
            reads, writes = self._unit(spent.table, spent.index, event.pattern)
            if spent.read_units:
                reads.inc(spent.read_units)
            if spent.write_units:
                writes.inc(spent.write_units)
        if event.failures:
            _count_failures(use, event)

    def _use(self, event: RequestEvent) -> _Use:
        labels = self._system, event.pattern, event.operation
        made = _Use._make(family.labels(*labels) for family in self._families)
        self._uses[event.pattern, event.operation] = made
        return made

    def _unit(self, table: str, index: str | None, pattern: str) -> tuple[Counter, Counter]:
        found = self._units.get((table, index, pattern))
        if found is None:
            labels = self._system, self._logical.get(table, table), index or "", pattern
            found = self._reads.labels(*labels), self._writes.labels(*labels)
            self._units[table, index, pattern] = found
        return found


def _count_failures(use: _Use, event: RequestEvent) -> None:
    known = False
    for code in event.failures:
        if code in _THROTTLES:
            use.throttles.inc()
        elif code in _SERVER_ERRORS:
            use.server_errors.inc()
        elif code in _CONDITIONS:
            use.conditions.inc()
            known = True
        elif code in _CONFLICTS:
            use.conflicts.inc()
    if event.error is not None and not known:
        use.errors.inc()
