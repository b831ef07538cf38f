"""Alarms worth waking somebody: throttling, the service's own errors, capacity running out.

Refused conditions are part of normal business in most designs, so their alarm needs a declared
rate: it tells when more than a fifth of the peak's writes are refused, which is what a hot counter
or a retry loop looks like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.deploy.templates.iam.needs import needs_of
from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.model.pattern import Pattern
from tablewright.model.table import Billing, OnDemand, Provisioned, Table

Statistic: TypeAlias = Literal["Sum", "Average", "Maximum"]

PERIOD = 60
#: The share of units in use at which somebody should know, in percent.
FULL = 80
#: How many throttles of a minute clients make up for: more is told at once, a burst is short.
THROTTLED = 10
#: The share of a peak's writes that may be refused.
REFUSED = 0.2


@dataclass(frozen=True)
class Metric:
    """One number of CloudWatch about a table."""

    name: str
    statistic: Statistic = "Sum"
    index: str | None = None
    operation: str | None = None


@dataclass(frozen=True)
class MetricAlarm:
    """A threshold on a metric of the system's own, which it shows under ``/metrics``.

    A module ``alarms`` beside the model has a function ``alarms()`` that gives a list of them; the
    templates include them. The CloudWatch agent publishes such metrics with the dimension ``job``,
    which is the name prefix and the name of the model: ``prod-sentiment``.
    """

    #: What the resource is called, such as StuckItems.
    name: str
    description: str
    metric: str
    #: The alarm is raised above this value.
    threshold: float
    #: Of several processes, the greatest value counts.
    statistic: Statistic = "Maximum"
    #: The last so many minutes are looked at, and so many of them have to be bad.
    minutes: int = 5
    bad: int = 3


#: Where the CloudWatch agent puts the metrics of a system, and the dimension it gives them.
OWN_NAMESPACE = "Tablewright"
OWN_DIMENSION = "job"


@dataclass(frozen=True)
class Alarm:
    """A threshold on one metric, or on an expression of several (m0, m1, ...)."""

    name: str
    description: str
    metrics: tuple[Metric, ...]
    threshold: float
    expression: str | None = None
    #: The last so many minutes are looked at, and so many of them have to be bad.
    minutes: int = 5
    bad: int = 3


def alarms_of(
    table: Table, model: Model, calls: Mapping[str, Op[Any]] | None = None
) -> Iterator[Alarm]:
    """The alarms of one table."""
    patterns = [each for each in model.patterns.values() if _uses(each, table)]
    yield from _throttles(table)
    yield from _system_errors(table, patterns, calls or {})
    yield from _refusals(table, patterns)
    yield from _capacity(table.name, None, table.billing)
    for index in table.indexes.values():
        if not index.local:
            own = index.billing or _inherited(table.billing)
            yield from _capacity(table.name, index.name, own)


def _inherited(billing: Billing) -> Billing | None:
    """Provisioned indexes take the table's units; ceilings of on-demand tables are their own."""
    return billing if isinstance(billing, Provisioned) else None


def _uses(pattern: Pattern[..., Any], table: Table) -> bool:
    return any(each.name == table.name for each in pattern.tables)


def _throttles(table: Table) -> Iterator[Alarm]:
    places = [None, *(each.name for each in table.indexes.values() if not each.local)]
    for index in places:
        for side in ("Read", "Write"):
            where = _where(table.name, index)
            yield Alarm(
                f"{side}Throttles{index or ''}",
                f"More than {THROTTLED} {side.lower()}s of {where} are refused as too many in a "
                "minute: a hot key, or too few units.",
                (Metric(f"{side}ThrottleEvents", index=index),),
                threshold=THROTTLED,
                minutes=1,
                bad=1,
            )


def _system_errors(
    table: Table, patterns: Iterable[Pattern[..., Any]], calls: Mapping[str, Op[Any]]
) -> Iterator[Alarm]:
    operations = sorted(operations_of(table, patterns, calls))
    if not operations:
        return
    metrics = tuple(Metric("SystemErrors", operation=each) for each in operations)
    # A metric without a data point in a minute would make the whole sum missing.
    terms = " + ".join(f"FILL(m{number}, 0)" for number in range(len(metrics)))
    yield Alarm(
        "SystemErrors",
        f"The service fails requests to {table.name} with an error of its own.",
        metrics,
        threshold=5,
        expression=terms,
    )


def operations_of(
    table: Table, patterns: Iterable[Pattern[..., Any]], calls: Mapping[str, Op[Any]]
) -> set[str]:
    """The operations under which CloudWatch counts what the patterns do with a table."""
    found: set[str] = set()
    for pattern in patterns:
        needs = needs_of(pattern, calls.get(pattern.name))
        actions = {each.action for each in needs if each.table.name == table.name}
        if pattern.kind == "transaction":
            reads = all(member.kind == "get" for member in pattern.members)
            found.add("TransactGetItems" if reads else "TransactWriteItems")
            actions &= set() if reads else {"GetItem"}
        elif pattern.writes and any(each.uniques for each in pattern.entities):
            found.add("TransactWriteItems")
        found |= actions
    return found


def _refusals(table: Table, patterns: Iterable[Pattern[..., Any]]) -> Iterator[Alarm]:
    writing = [each for each in patterns if each.writes and each.rate is not None]
    peak = sum(max(each.rate.average, each.rate.peak or 0) for each in writing if each.rate)
    if peak <= 0:
        return
    least = max(10, round(peak * PERIOD * REFUSED))
    yield Alarm(
        "RefusedConditions",
        f"More than {least} conditional writes of {table.name} are refused in a minute.",
        (Metric("ConditionalCheckFailedRequests"),),
        threshold=least,
    )
    if any(each.kind == "transaction" for each in writing):
        yield Alarm(
            "TransactionConflicts",
            f"Transactions of {table.name} meet each other at the same items.",
            (Metric("TransactionConflict"),),
            threshold=least,
        )


def _capacity(table: str, index: str | None, billing: Billing | None) -> Iterator[Alarm]:
    where = _where(table, index)
    for side in ("Read", "Write"):
        consumed = Metric(f"Consumed{side}CapacityUnits", index=index)
        name = f"{side}Capacity{index or ''}"
        if isinstance(billing, Provisioned):
            bought = Metric(f"Provisioned{side}CapacityUnits", "Average", index=index)
            yield Alarm(
                name,
                f"{where} uses more than {FULL} % of its {side.lower()} units.",
                (consumed, bought),
                threshold=FULL,
                expression="100 * (m0 / PERIOD(m0)) / m1",
                minutes=15,
                bad=10,
            )
        elif isinstance(billing, OnDemand) and (most := _ceiling(billing, side)) is not None:
            yield Alarm(
                name,
                f"{where} uses more than {FULL} % of its ceiling of {most} {side.lower()} units.",
                (consumed,),
                threshold=most * PERIOD * FULL / 100,
                minutes=15,
                bad=10,
            )


def _ceiling(billing: OnDemand, side: str) -> int | None:
    return billing.max_read_units if side == "Read" else billing.max_write_units


def _where(table: str, index: str | None) -> str:
    return table if index is None else f"{table}, index {index}"
