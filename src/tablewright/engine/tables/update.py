"""UpdateTable: one change at a time, as the service wants it.

A request is checked by itself, then against the table, and only then is anything changed. All
changes but the filling of an index are done when the answer is given; the answer nevertheless
says what the service would say at that moment, when its own work has only begun.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from tablewright.engine.errors import invalid, validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Body, Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.tables import index_changes, settings, throughput
from tablewright.engine.tables.describe import describe_body, moment, warm_throughput
from tablewright.engine.tables.listing import check_created, named_table
from tablewright.engine.tables.update_answer import answered

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


_MEMBERS = (
    "ProvisionedThroughput",
    "BillingMode",
    "StreamSpecification",
    "GlobalSecondaryIndexUpdates",
    "SSESpecification",
    "DeletionProtectionEnabled",
    "OnDemandThroughput",
    "WarmThroughput",
    "TableClass",
)
#: Members that mean nothing when they are empty.
_MAY_BE_EMPTY = frozenset({"OnDemandThroughput", "WarmThroughput", "GlobalSecondaryIndexUpdates"})
_NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
#: What tolerates nothing beside it; the first of these that is present is named.
_ALONE = {
    "SSESpecification": "Server-Side Encryption modification",
    "TableClass": "TableClass modification",
    "DeletionProtectionEnabled": "DeletionProtection modification",
    "WarmThroughput": "WarmThroughput",
}


def update_table(engine: Engine, request: Request, shape: object) -> Work:
    check_request(request)
    table = named_table(engine, request["TableName"])

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        check_created(engine, table)
        index_changes.check_state(table, request)
        body = changed(engine, table, request, transaction.now)
        body = index_changes.apply(engine, transaction, body, request)
        settings.set_stream(engine, transaction, body, request)
        engine.catalog.save(transaction, body)
        shown, status = answered(table.body, body, request)
        return {"TableDescription": describe_body(engine, shown, status)}

    return work


# --- the request by itself ---------------------------------------------------------------


def check_request(request: Request) -> None:
    """What can be said against a request whatever the table is like."""
    settings.check_offered(request)
    present = _present(request)
    if not present:
        raise validation(_NOTHING)
    if request.get("GlobalSecondaryIndexUpdates") == []:
        raise invalid("List of GlobalSecondaryIndexUpdates is empty")
    _check_combination(present, request)
    mode = throughput.billing_mode(request)
    units = request.get("ProvisionedThroughput")
    if mode == throughput.PROVISIONED and units is None:
        raise invalid("ProvisionedThroughput must be specified when BillingMode is PROVISIONED")
    if mode == throughput.ON_DEMAND and units is not None:
        raise invalid(throughput.NO_UNITS)
    if units is not None:
        throughput.check_bounds(units)
    settings.check_changed_stream(request)
    settings.check_encryption(request)
    index_changes.check_request(request)


def _present(request: Request) -> set[str]:
    present = {
        name
        for name in _MEMBERS
        if request.get(name) is not None and (request[name] or name not in _MAY_BE_EMPTY)
    }
    if throughput.billing_mode(request) is not None:
        present.add("BillingMode")
    return present


def _check_combination(present: set[str], request: Request) -> None:
    for name, called in _ALONE.items():
        if name in present and len(present) > 1:
            if name == "WarmThroughput" and index_changes.of_kind(request, "Create"):
                raise invalid(
                    "Create global secondary index cannot be specified when updating WarmThroughput"
                )
            raise invalid(f"{called} must be the only operation in the request")
    if "OnDemandThroughput" in present and not present <= {"OnDemandThroughput", "BillingMode"}:
        raise invalid(
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request"
        )
    units = "ProvisionedThroughput" in present
    stream = "StreamSpecification" in present
    online = bool(index_changes.of_kind(request, "Create", "Delete"))
    if units and stream:
        raise invalid("You cannot modify stream status while updating table IOPS")
    if units and online:
        raise invalid("You cannot create or delete index while updating table IOPS")
    if stream and online:
        raise invalid("You cannot create or delete index while changing stream status")


# --- the table with the request ----------------------------------------------------------


def changed(engine: Engine, table: Table, request: Request, now: float) -> Body:
    """The table's body after all changes but those of indexes and streams; raises if it can't."""
    body = deepcopy(table.body)
    _change_billing(body, request, now)
    settings.check_stream_state(body, request)
    settings.check_encryption_state(engine, body, request)
    settings.set_encryption(engine, body, request)
    settings.set_table_class(body, request, now)
    if "DeletionProtectionEnabled" in request:
        body["DeletionProtectionEnabled"] = request["DeletionProtectionEnabled"]
    return body


def _change_billing(body: Body, request: Request, now: float) -> None:
    mode = throughput.billing_mode(request) or body["BillingMode"]
    switched = mode != body["BillingMode"]
    units = request.get("ProvisionedThroughput")
    if units is not None and mode == throughput.ON_DEMAND:
        raise invalid(throughput.NO_UNITS)
    if switched:
        _switch(body, mode, now)
    index_changes.change_throughput(body, request, mode, switched, now)
    if units is not None:
        if switched:
            throughput.set_units(body, units)
        else:
            throughput.change_units(body, units, None, now)
    if request.get("OnDemandThroughput"):
        throughput.change_on_demand(body, request["OnDemandThroughput"], mode, None)
    if request.get("WarmThroughput"):
        wanted = request["WarmThroughput"]
        throughput.change_warm(body, wanted, warm_throughput(body, body), None)


def _switch(body: Body, mode: str, now: float) -> None:
    """Change the billing mode; upper bounds are forgotten, and units begin anew."""
    indexes = body.get("GlobalSecondaryIndexes") or []
    body["BillingMode"] = mode
    summary = body.setdefault("BillingModeSummary", {})
    summary["BillingMode"] = mode
    for owner in (body, *indexes):
        owner.pop("OnDemandThroughput", None)
    if mode == throughput.ON_DEMAND:
        summary["LastUpdateToPayPerRequestDateTime"] = moment(now)
        for owner in (body, *indexes):
            owner["ProvisionedThroughput"].update(dict.fromkeys(throughput.UNITS, 0))
            throughput.raise_warm_to_base(owner)
        for index in indexes:
            throughput.count_decrease(index["ProvisionedThroughput"], now)


OPERATIONS = {"UpdateTable": (update_table, True)}
