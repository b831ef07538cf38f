"""What is deployed: everything that the service tells about a table."""

from __future__ import annotations

from dataclasses import replace

from tablewright.client.attempts import Call, as_service_error, send
from tablewright.client.context import Context
from tablewright.client.setup import ask
from tablewright.client.steps import Flow
from tablewright.client.transports.wire import Failure, Response
from tablewright.deploy.state import MAX_DAYS, TableState, described
from tablewright.model.errors import ServiceError
from tablewright.model.table import Table

#: What databases answer that do not know an operation.
_UNKNOWN = frozenset({"UnknownOperationException", "UnsupportedOperationException"})


def look(context: Context, table: Table) -> Flow[TableState | None]:
    """The table as it is deployed; None if it is not."""
    state = yield from glance(context, table)
    if state is None or state.status in ("CREATING", "DELETING"):
        return state
    state = yield from _with_ttl(context, table, state)
    state = yield from _with_pitr(context, table, state)
    return (yield from _with_tags(context, table, state))


def glance(context: Context, table: Table) -> Flow[TableState | None]:
    """What DescribeTable alone tells."""
    try:
        response = yield from ask(context, table, "DescribeTable", {})
    except ServiceError as error:
        if error.aws_code == "ResourceNotFoundException":
            return None
        raise
    return described(response.body["Table"], table.name)


def _with_ttl(context: Context, table: Table, state: TableState) -> Flow[TableState]:
    response = yield from _ask_if_known(context, table, "DescribeTimeToLive")
    if response is None:
        return _without(state, "ttl")
    told = response.body["TimeToLiveDescription"]
    on = told["TimeToLiveStatus"] in ("ENABLED", "ENABLING")
    name = told.get("AttributeName") if on else None
    return replace(state, ttl=name, ttl_status=told["TimeToLiveStatus"])


def _with_pitr(context: Context, table: Table, state: TableState) -> Flow[TableState]:
    response = yield from _ask_if_known(context, table, "DescribeContinuousBackups")
    if response is None:
        return _without(state, "pitr")
    told = response.body["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription") or {}
    on = told.get("PointInTimeRecoveryStatus") == "ENABLED"
    return replace(state, pitr=told.get("RecoveryPeriodInDays", MAX_DAYS) if on else None)


def _with_tags(context: Context, table: Table, state: TableState) -> Flow[TableState]:
    tags: dict[str, str] = {}
    body: dict[str, object] = {"ResourceArn": state.arn}
    call = Call("setup", None, table.name)
    while True:
        try:
            response = yield from send(context, call, "ListTagsOfResource", dict(body))
        except Failure as failure:
            if failure.code in _UNKNOWN:
                return _without(state, "tags")
            raise as_service_error(failure) from None
        tags |= {each["Key"]: each["Value"] for each in response.body.get("Tags") or ()}
        if not response.body.get("NextToken"):
            return replace(state, tags=tags)
        body["NextToken"] = response.body["NextToken"]


def _ask_if_known(context: Context, table: Table, operation: str) -> Flow[Response | None]:
    try:
        return (yield from ask(context, table, operation, {}))
    except ServiceError as error:
        if error.aws_code in _UNKNOWN:
            return None
        raise


def _without(state: TableState, name: str) -> TableState:
    return replace(state, unseen=state.unseen | {name})
