"""What each pattern was planned to use, and what it uses: read from the process's own counters.

The counters only grow. Rates come from looking at them every few seconds, which is done as long as
somebody watches; :class:`History` is the pure part of that.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client.samples import Sample

from tablewright.console.explorer.views import Explorer
from tablewright.model.model import Model
from tablewright.plan.loads import Load
from tablewright.service.metrics import Metrics

#: Between two looks.
LOOK_SECS = 2.0
#: How far back the chart goes.
KEPT_LOOKS = 150
#: What is used may be so much above the plan before it is remarked on.
TOLERANCE = 1.1

_STEADY = frozenset({"get", "put", "update", "delete", "write", "transaction"})
_READS = "tablewright_db_read_units_total"
_WRITES = "tablewright_db_write_units_total"
_REQUESTS = "tablewright_db_requests_total"
_TRANSACTION = "TransactWriteItems"


@dataclass
class Used:
    """What a pattern has used since the process started."""

    requests: float = 0.0
    reads: float = 0.0
    writes: float = 0.0
    #: Written by the same transactions to tables that are not the pattern's: audit and outbox
    #: entries of the kit join them, and are planned there.
    beside: float = 0.0
    #: Requests that were transactions.
    joint: float = 0.0

    @property
    def units(self) -> float:
        return self.reads + self.writes + self.beside

    def add(self, name: str, value: float, *, beside: bool = False) -> None:
        if beside and name != _REQUESTS:
            self.beside += value
            return
        if name == _REQUESTS:
            self.requests += value
        elif name == _READS:
            self.reads += value
        elif name == _WRITES:
            self.writes += value


@dataclass(frozen=True)
class Row:
    """One pattern: plan and reality, for one request of it."""

    pattern: str
    requests: float
    reads: float
    writes: float
    #: None: no model has such a pattern; it was made ad hoc.
    planned_reads: float | None
    planned_writes: float | None
    #: One call is like another, so that they can be held against the plan.
    steady: bool = True
    #: Which part of the requests was joined with other writes in a transaction, and planned alone.
    joined: float = 0.0

    @property
    def reads_each(self) -> float:
        return self.reads / self.requests if self.requests else 0.0

    @property
    def writes_each(self) -> float:
        return self.writes / self.requests if self.requests else 0.0

    @property
    def verdict(self) -> str:
        """``within``, ``above``, ``varies`` or ``unplanned``; "" before it was ever called."""
        if not self.requests:
            return ""
        if self.planned_reads is None or self.planned_writes is None:
            return "unplanned"
        if not self.steady:
            return "varies"
        above = (
            self.reads_each > self.planned_reads * TOLERANCE
            # A transaction writes everything twice.
            or self.writes_each > self.planned_writes * (1 + self.joined) * TOLERANCE
        )
        return "above" if above else "within"


@dataclass(frozen=True)
class Look:
    """The sums at one moment."""

    at: float
    reads: float
    writes: float
    requests: float


@dataclass
class History:
    """The last looks, as units a second."""

    looks: deque[Look] = field(default_factory=lambda: deque(maxlen=KEPT_LOOKS))

    def add(self, look: Look) -> None:
        self.looks.append(look)

    def rates(self) -> Sequence[Look]:
        """Between each two looks; a process that started anew counts from zero again."""
        pairs = zip(self.looks, list(self.looks)[1:], strict=False)
        return [_rate(earlier, later) for earlier, later in pairs if later.at > earlier.at]


def _rate(earlier: Look, later: Look) -> Look:
    secs = later.at - earlier.at
    return Look(
        later.at,
        max(0.0, later.reads - earlier.reads) / secs,
        max(0.0, later.writes - earlier.writes) / secs,
        max(0.0, later.requests - earlier.requests) / secs,
    )


def used_by_pattern(metrics: Metrics, system: str, model: Model) -> Mapping[str, Used]:
    """What the counters say about one system; ``model`` says which tables its patterns are of."""
    found: dict[str, Used] = {}
    for sample in _samples(metrics):
        if sample.labels.get("system") == system:
            pattern = sample.labels.get("pattern", "")
            beside = pattern in model.patterns and sample.labels.get("table") not in model.tables
            use = found.setdefault(pattern, Used())
            use.add(sample.name, sample.value, beside=beside)
            if sample.labels.get("operation") == _TRANSACTION:
                use.joint += sample.value
    return found


def _samples(metrics: Metrics) -> Iterable[Sample]:
    names = {_READS, _WRITES, _REQUESTS}
    for family in metrics.registry.restricted_registry(sorted(names)).collect():
        yield from (sample for sample in family.samples if sample.name in names)


def look(used: Mapping[str, Used], at: float) -> Look:
    """The sums over all patterns."""
    return Look(
        at,
        sum(each.reads for each in used.values()),
        sum(each.writes + each.beside for each in used.values()),
        sum(each.requests for each in used.values()),
    )


def steady_patterns(model: Model) -> frozenset[str]:
    """Those whose calls are all of one size: one item, or a fixed number of them."""
    return frozenset(
        name
        for name, pattern in model.patterns.items()
        if pattern.kind in _STEADY and not any(member.many for member in pattern.members)
    )


def alone_patterns(explorer: Explorer) -> frozenset[str]:
    """Those whose calls are planned as one write, and may become part of a transaction."""
    return frozenset(
        name
        for name, pattern in explorer.model.patterns.items()
        if pattern.writes
        and all(each.operation != _TRANSACTION for each in explorer.requests(name))
    )


def rows(
    used: Mapping[str, Used],
    loads: Mapping[str, Load],
    steady: frozenset[str],
    alone: frozenset[str] = frozenset(),
) -> list[Row]:
    """All patterns that were planned or used something, those that used most first."""
    names = dict.fromkeys((*loads, *(name for name in used if used[name].units)))
    found = [
        _row(name, used.get(name, Used()), loads.get(name), name in steady, name in alone)
        for name in names
    ]
    return sorted(found, key=lambda row: (-(row.reads + row.writes), -row.requests, row.pattern))


def _row(name: str, used: Used, load: Load | None, steady: bool, alone: bool) -> Row:
    return Row(
        name,
        used.requests,
        used.reads,
        used.writes,
        None if load is None else load.units.reads,
        None if load is None else load.units.writes,
        steady,
        used.joint / used.requests if alone and used.requests else 0.0,
    )
