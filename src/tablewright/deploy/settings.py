"""Settings that can be changed while a table is in use: billing, TTL, stream, recovery, tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tablewright.deploy.state import TableState
from tablewright.deploy.steps import Step
from tablewright.deploy.words import billing_text
from tablewright.model.table import Billing, OnDemand, Provisioned, Table

Body: TypeAlias = dict[str, Any]


def settings(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    """A step for each setting that differs; what protects comes first."""
    yield from _protection(table, declared, deployed)
    if "pitr" not in deployed.unseen:
        yield from _pitr(table, declared, deployed)
    yield from _billing(table, declared, deployed)
    yield from _class(table, declared, deployed)
    yield from _stream(table, declared, deployed)
    if "ttl" not in deployed.unseen:
        yield from _ttl(table, declared, deployed)
    if "tags" not in deployed.unseen:
        yield from _tags(table, declared, deployed)


def _update(body: Body) -> tuple[str, Body]:
    return "UpdateTable", body


def _protection(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    # One that the model does not ask for harms nobody, and may be somebody's wish.
    if declared.protected and not deployed.protected:
        request = _update({"DeletionProtectionEnabled": True})
        yield Step(table, "settings", "switch deletion protection on", (request,))


def _pitr(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    if declared.pitr is None or declared.pitr == deployed.pitr:
        return
    wanted = {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": declared.pitr}
    request = "UpdateContinuousBackups", {"PointInTimeRecoverySpecification": wanted}
    shorter = deployed.pitr is not None and deployed.pitr > declared.pitr
    yield Step(
        table,
        "settings",
        f"let the table go back {declared.pitr} days",
        (request,),
        loses="what is older can no longer be restored" if shorter else "",
    )


def _class(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    if declared.table_class != deployed.table_class:
        request = _update({"TableClass": declared.table_class})
        advice = "A class can be changed twice in 30 days."
        text = f"change the class to {declared.table_class}"
        yield Step(table, "settings", text, (request,), advice=advice)


def _stream(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    if declared.stream == deployed.stream:
        return
    off = _update({"StreamSpecification": {"StreamEnabled": False}})
    view = {"StreamEnabled": True, "StreamViewType": declared.stream}
    on = _update({"StreamSpecification": view})
    lost = "records of the old stream that no consumer has read yet" if deployed.stream else ""
    if declared.stream is None:
        yield Step(table, "settings", "switch the stream off", (off,), loses=lost)
        return
    text = f"switch a stream on, {declared.stream}"
    requests = (off, on) if deployed.stream else (on,)
    yield Step(table, "settings", text, requests, loses=lost)


def _ttl(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    if declared.ttl == deployed.ttl:
        return
    if deployed.ttl is not None:
        off = {"AttributeName": deployed.ttl, "Enabled": False}
        request = "UpdateTimeToLive", {"TimeToLiveSpecification": off}
        advice = "AWS lets time to live be changed once an hour." if declared.ttl else ""
        text = f"stop ending items by {deployed.ttl}"
        yield Step(table, "settings", text, (request,), advice=advice)
    if declared.ttl is not None:
        on = {"AttributeName": declared.ttl, "Enabled": True}
        request = "UpdateTimeToLive", {"TimeToLiveSpecification": on}
        yield Step(
            table,
            "settings",
            f"end items by {declared.ttl}",
            (request,),
            advice=f"Items whose {declared.ttl} has passed are deleted from then on.",
        )


def _tags(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    wanted = {key: value for key, value in declared.tags.items() if deployed.tags.get(key) != value}
    if wanted:
        tags = [{"Key": key, "Value": value} for key, value in wanted.items()]
        text = "tag " + ", ".join(f"{key}={value}" for key, value in wanted.items())
        request = "TagResource", {"ResourceArn": deployed.arn, "Tags": tags}
        yield Step(table, "settings", text, (request,))


# --- billing -----------------------------------------------------------------------------


def _billing(table: Table, declared: TableState, deployed: TableState) -> Iterator[Step]:
    """The table's and all of its indexes' units; one request where the mode changes."""
    shared = {
        name: index.billing
        for name, index in declared.indexes.items()
        if name in deployed.indexes and not (index.local or deployed.indexes[name].local)
    }
    text = f"change billing to {billing_text(declared.billing)}"
    left: Mapping[str, Billing | None]
    if type(declared.billing) is not type(deployed.billing):
        request = _update(_switch(declared.billing, shared, deployed))
        yield Step(table, "settings", text, (request,), advice=_SWITCH)
        # A switch has given units to indexes, or taken all ceilings away.
        left = {name: OnDemand() for name in shared} if _on_demand(declared) else shared
    else:
        if declared.billing != deployed.billing:
            yield Step(table, "settings", text, (_update(_units(declared.billing)),))
        left = {name: deployed.indexes[name].billing for name in shared}
    for name, billing in shared.items():
        if billing is not None and billing != left[name]:
            update = {"Update": {"IndexName": name, **_units(billing)}}
            request = _update({"GlobalSecondaryIndexUpdates": [update]})
            words = f"change units of index {name}: {billing_text(billing)}"
            yield Step(table, "settings", words, (request,))


def _on_demand(state: TableState) -> bool:
    return isinstance(state.billing, OnDemand)


_SWITCH = "AWS lets the billing mode be switched to on demand four times in 24 hours."


def _switch(billing: Billing, indexes: dict[str, Billing | None], deployed: TableState) -> Body:
    if isinstance(billing, OnDemand):
        ceilings = billing.max_read_units, billing.max_write_units
        limits = _units(billing) if any(ceilings) else {}
        return {"BillingMode": "PAY_PER_REQUEST", **limits}
    # Every index that is there needs units, those that the model does not know as well.
    units = {**dict.fromkeys(deployed.indexes, billing), **indexes}
    updates = [
        {"Update": {"IndexName": name, **_units(each)}}
        for name, each in units.items()
        if isinstance(each, Provisioned) and not deployed.indexes[name].local
    ]
    body: Body = {"BillingMode": "PROVISIONED", **_units(billing)}
    return {**body, "GlobalSecondaryIndexUpdates": updates} if updates else body


def _units(billing: Billing) -> Body:
    if isinstance(billing, OnDemand):
        reads, writes = billing.max_read_units, billing.max_write_units
        # -1 takes a ceiling away.
        ceilings = {"MaxReadRequestUnits": reads or -1, "MaxWriteRequestUnits": writes or -1}
        return {"OnDemandThroughput": ceilings}
    units = {"ReadCapacityUnits": billing.read_units, "WriteCapacityUnits": billing.write_units}
    return {"ProvisionedThroughput": units}
