"""Billing modes and throughput: what may be asked for, and how it is kept.

A table is PROVISIONED (fixed units for the table and for each global index) or PAY_PER_REQUEST
(zero units, and optionally an upper bound). Warm throughput is what can be served at once.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.engine.describe import BASE_READ_UNITS, BASE_WRITE_UNITS
from tablewright.engine.errors import invalid, validation
from tablewright.engine.schema import Body

Request: TypeAlias = dict[str, Any]

PROVISIONED = "PROVISIONED"
ON_DEMAND = "PAY_PER_REQUEST"
#: No table is granted more units than this.
MAX_UNITS = 1_000_000_000_000

UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_REQUEST_UNITS = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_WARM = (
    ("ReadUnitsPerSecond", "ReadCapacityUnits", BASE_READ_UNITS),
    ("WriteUnitsPerSecond", "WriteCapacityUnits", BASE_WRITE_UNITS),
)


def billing_mode(request: Request) -> str | None:
    """The billing mode a request asks for; the service also reads an older name of the field."""
    mode: str | None = request.get("BillingMode") or request.get("TableThroughputMode")
    return mode


def check_create(request: Request) -> None:
    """Check CreateTable's billing mode against its throughput."""
    units = request.get("ProvisionedThroughput")
    if billing_mode(request) == ON_DEMAND:
        if units is not None:
            raise invalid(
                "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
                "BillingMode is PAY_PER_REQUEST"
            )
        return
    if units is None:
        raise invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        )
    check_bounds(units)


def check_create_indexes(request: Request) -> None:
    """The same for each global index."""
    on_demand = billing_mode(request) == ON_DEMAND
    for index in request.get("GlobalSecondaryIndexes") or ():
        units = index.get("ProvisionedThroughput")
        if on_demand and units is not None:
            raise invalid(
                f"ProvisionedThroughput should not be specified for index: {index['IndexName']} "
                "when BillingMode is PAY_PER_REQUEST"
            )
        if not on_demand:
            if units is None:
                raise invalid(
                    f"ProvisionedThroughput is not specified for index: {index['IndexName']}"
                )
            check_bounds(units, index["IndexName"])


def check_bounds(units: Request, index: str | None = None) -> None:
    where = f" for index {index}" if index is not None else ""
    for name in UNITS:
        if units[name] > MAX_UNITS:
            raise validation(f"Given value {units[name]} for {name} is out of bounds{where}")


def check_on_demand(request: Request, mode: str, owner: str | None, clearable: bool) -> None:
    """Check an OnDemandThroughput; ``owner`` is the index's name, or None for the table."""
    given = request.get("OnDemandThroughput")
    if not given:
        return
    for name in _REQUEST_UNITS:
        value = given.get(name)
        if value is None:
            continue
        if mode == PROVISIONED:
            where = "" if owner is None else f" for index: {owner}"
            raise invalid(
                f"{name} for OnDemandThroughput{where} cannot be specified when table "
                "BillingMode is PROVISIONED."
            )
        if value < 1 and not (clearable and value == -1):
            where = "table" if owner is None else f"index : {owner}"
            raise invalid(
                f"Requested {name} for OnDemandThroughput for {where} is outside of valid range"
            )


def check_warm(request: Request, mode: str, owner: str | None) -> None:
    """Check a new table's or index's WarmThroughput against what it has anyway."""
    given = request.get("WarmThroughput") or {}
    for name, units, base in _WARM:
        value = given.get(name)
        if value is None:
            continue
        least, what = base, "initial throughput for OnDemand"
        if mode == PROVISIONED:
            least = request["ProvisionedThroughput"][units]
            what = f"{units} of ProvisionedThroughput"
        if value < least:
            where = "table" if owner is None else f"index {owner}"
            raise invalid(f"Requested {name} for WarmThroughput for {where} is lower than {what}")


def new_units(request: Request) -> Body:
    """ProvisionedThroughput as a new table or index keeps it."""
    units = request.get("ProvisionedThroughput") or dict.fromkeys(UNITS, 0)
    return {"NumberOfDecreasesToday": 0, **{name: units[name] for name in UNITS}}


def new_on_demand(request: Request) -> Body:
    """OnDemandThroughput as a new table or index keeps it; -1 stands for no bound."""
    given = request.get("OnDemandThroughput")
    if not given:
        return {}
    return {"OnDemandThroughput": {name: given.get(name, -1) for name in _REQUEST_UNITS}}


def new_warm(request: Request, mode: str) -> Body:
    """WarmThroughput as a new table or index keeps it, if it asked for any."""
    given = request.get("WarmThroughput")
    if not given:
        return {}
    units = request.get("ProvisionedThroughput") or {}
    warm = {}
    for name, unit, base in _WARM:
        least = units.get(unit, 0) if mode == PROVISIONED else base
        warm[name] = given.get(name, least)
    return {"WarmThroughput": warm}
