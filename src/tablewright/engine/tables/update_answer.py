"""What UpdateTable answers: the table as the service describes it when it has only begun.

On the service an update goes on after the answer. The answer therefore has the old figures where
the new ones are still being put in place, and says of each part what is being done to it.
"""

from __future__ import annotations

from copy import deepcopy

from tablewright.engine.handler import Request
from tablewright.engine.schema import Body
from tablewright.engine.tables import index_changes, throughput
from tablewright.engine.tables.describe import table_status

_OLD_UNITS = (*throughput.UNITS, "NumberOfDecreasesToday")
#: What the service is said to be UPDATING a table for; the rest is done at once.
_TAKES_TIME = ("ProvisionedThroughput", "BillingMode", "StreamSpecification", "TableClass")


def answered(before: Body, after: Body, request: Request) -> tuple[Body, str]:
    """The body to describe in the answer, and the status the table is said to be in."""
    shown = deepcopy(after)
    online = index_changes.of_kind(request, "Create", "Delete")
    slow = online or any(request.get(name) for name in _TAKES_TIME)
    status = "UPDATING" if slow or throughput.billing_mode(request) else table_status(after)
    switched = before["BillingMode"] != after["BillingMode"]
    if switched and after["BillingMode"] == throughput.ON_DEMAND:
        shown["BillingModeSummary"].pop("LastUpdateToPayPerRequestDateTime")
    if "ProvisionedThroughput" in request and not switched:
        _old_units(before, shown)
    if request.get("OnDemandThroughput"):
        shown["OnDemandThroughput"] = {
            **(before.get("OnDemandThroughput") or {}),
            **request["OnDemandThroughput"],
        }
    if request.get("WarmThroughput"):
        shown["WarmThroughput"] = before.get("WarmThroughput")
    _show_protection(before, shown, request)
    _show_indexes(before, shown, request, switched)
    return shown, status


def _old_units(before: Body, shown: Body) -> None:
    old = before["ProvisionedThroughput"]
    shown["ProvisionedThroughput"].update({name: old[name] for name in _OLD_UNITS})


def _show_protection(before: Body, shown: Body, request: Request) -> None:
    if "SSESpecification" in request:
        kept = before.get("SSEDescription") or shown.get("SSEDescription")
        if kept is not None:
            shown["SSEDescription"] = {**kept, "Status": "UPDATING"}
    if "TableClass" in request:
        shown.pop("TableClassSummary", None)
        if "TableClassSummary" in before:
            shown["TableClassSummary"] = before["TableClassSummary"]


def _show_indexes(before: Body, shown: Body, request: Request, switched: bool) -> None:
    existed = {each["IndexName"]: each for each in before.get("GlobalSecondaryIndexes") or ()}
    indexes = {each["IndexName"]: each for each in shown.get("GlobalSecondaryIndexes") or ()}
    for index in indexes.values():
        if switched:
            index["IndexStatus"] = "UPDATING"
    for kind, action in index_changes.actions(request):
        name = action["IndexName"]
        if kind == "Create":
            indexes[name].update(IndexStatus="CREATING", Backfilling=False)
        elif kind == "Update":
            _show_update(existed[name], indexes[name], action, switched)
        else:
            gone = {key: value for key, value in existed[name].items() if key != "Backfilling"}
            indexes[name] = {**gone, "IndexStatus": "DELETING"}
            shown["AttributeDefinitions"] = before["AttributeDefinitions"]
    order = {name: place for place, name in enumerate(existed)}
    if indexes:
        shown["GlobalSecondaryIndexes"] = sorted(
            indexes.values(), key=lambda each: order.get(each["IndexName"], len(order))
        )


def _show_update(existed: Body, index: Body, action: Request, switched: bool) -> None:
    if "ProvisionedThroughput" in action and not switched:
        _old_units(existed, index)
    if "ProvisionedThroughput" in action or action.get("OnDemandThroughput"):
        index["IndexStatus"] = "UPDATING"
    if action.get("WarmThroughput"):
        index["WarmThroughput"] = existed.get("WarmThroughput")
