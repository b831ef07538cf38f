"""Tables as they are deployed, and some of their items. It reads, and never writes.

The items come from several segments of a Scan, so that they are not all neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tablewright.adopt.grouping import Grouped
from tablewright.client.attempts import Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.setup import ask
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure
from tablewright.deploy.looking import glance, look
from tablewright.deploy.problems import NOT_FOUND, DeployError, Problem
from tablewright.deploy.state import TableState
from tablewright.model.errors import ServiceError
from tablewright.model.table import Table
from tablewright.values import Item

_SEGMENTS = 8
_REMEDIES = (
    "Check the name, --region and --profile.",
    "Without --table, the command lists the tables that there are.",
)


@dataclass(frozen=True)
class Sampled:
    """A table, and some of its items."""

    state: TableState
    items: Sequence[Item] = ()
    #: What reading the items cost.
    read_units: float = 0.0
    #: Whether these are all items.
    whole: bool = False
    #: Of a file that says itself how its items belong together.
    grouped: Grouped | None = None


def sample_tables(context: Context, names: Sequence[str], samples: int) -> Flow[list[Sampled]]:
    """The tables of these names, each with at most ``samples`` items; DeployError."""
    states: list[TableState] = []
    for name in dict.fromkeys(names):
        state = yield from _looked(context, _named(name))
        if state is None:
            text = f"there is no table {context.physical(name)}"
            raise DeployError(Problem(NOT_FOUND, text, {}, _REMEDIES))
        states.append(state)
    found = []
    for state in states:
        found.append((yield from _sample(context, state, samples)))
    return found


def table_names(context: Context) -> Flow[list[str]]:
    """All tables that there are, by their own names."""
    names: list[str] = []
    body: dict[str, Any] = {}
    while True:
        try:
            response = yield from send(context, Call("setup", None, ""), "ListTables", dict(body))
        except Failure as failure:
            raise as_service_error(failure) from None
        names += response.body["TableNames"]
        if "LastEvaluatedTableName" not in response.body:
            return names
        body = {"ExclusiveStartTableName": response.body["LastEvaluatedTableName"]}


def _looked(context: Context, table: Table) -> Flow[TableState | None]:
    """All that is told about a table; who may not ask for its settings does without."""
    try:
        return (yield from look(context, table))
    except ServiceError as error:
        if error.aws_code != "AccessDeniedException":
            raise
    return (yield from glance(context, table))


def _named(name: str) -> Table:
    # Its keys are not known yet, and nobody asks for them.
    return Table(name, pk="pk")


def _sample(context: Context, state: TableState, samples: int) -> Flow[Sampled]:
    # The number of items is hours old on AWS, and good enough for this.
    segments = 1 if state.items <= samples else max(1, min(_SEGMENTS, samples // _SEGMENTS))
    items: list[Item] = []
    units, whole = 0.0, True
    for segment in range(segments):
        left = samples - len(items)
        quota = -(-left // (segments - segment))
        found, cost, ended = yield from _segment(context, state, segment, segments, quota)
        items += found
        units += cost
        whole &= ended
    return Sampled(state, items, units, whole)


def _segment(
    context: Context, state: TableState, segment: int, segments: int, quota: int
) -> Flow[tuple[list[Item], float, bool]]:
    """At most ``quota`` items of a segment, their read units, and whether there are no more."""
    items: list[Item] = []
    units = 0.0
    start: Item | None = None
    while len(items) < quota:
        body: dict[str, Any] = {
            "Segment": segment,
            "TotalSegments": segments,
            "Limit": quota - len(items),
            "ReturnConsumedCapacity": "TOTAL",
        }
        if start is not None:
            body["ExclusiveStartKey"] = start
        response = yield from ask(context, _named(state.name), "Scan", body)
        items += response.body.get("Items") or ()
        units += (response.body.get("ConsumedCapacity") or {}).get("CapacityUnits", 0.0)
        start = response.body.get("LastEvaluatedKey")
        if start is None:
            return items, units, True
    return items, units, False
