"""Billing modes and throughput: what may be asked for, and how it is kept.

A table is PROVISIONED (fixed units for the table and for each global index) or PAY_PER_REQUEST
(zero units, and optionally an upper bound, ``OnDemandThroughput``). ``WarmThroughput`` is what can
be served at once; it only ever grows. An *owner* is a table or a global index: the name of the
index, or None for the table.
"""

from __future__ import annotations

from tablewright.engine.errors import invalid, validation
from tablewright.engine.handler import Request
from tablewright.engine.schema import Body
from tablewright.engine.tables.describe import BASE_READ_UNITS, BASE_WRITE_UNITS, moment, same_day

PROVISIONED = "PROVISIONED"
ON_DEMAND = "PAY_PER_REQUEST"
#: No table is granted more units than this.
MAX_UNITS = 1_000_000_000_000

UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
REQUEST_UNITS = ("MaxReadRequestUnits", "MaxWriteRequestUnits")
_WARM = (
    ("ReadUnitsPerSecond", "ReadCapacityUnits", BASE_READ_UNITS),
    ("WriteUnitsPerSecond", "WriteCapacityUnits", BASE_WRITE_UNITS),
)
_INITIAL = (
    "initial throughput for OnDemand. See: https://docs.aws.amazon.com/amazondynamodb/latest/"
    "developerguide/on-demand-capacity-mode.html#on-demand-capacity-mode-initial"
)
NO_UNITS = (
    "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
    "BillingMode is PAY_PER_REQUEST"
)


def billing_mode(request: Request) -> str | None:
    """The billing mode a request asks for; the service also reads an older name of the field."""
    mode: str | None = request.get("BillingMode") or request.get("TableThroughputMode")
    return mode


# --- what a new table may ask for --------------------------------------------------------


def check_new_table(request: Request) -> None:
    """Check CreateTable's billing mode against its throughput."""
    mode = billing_mode(request) or PROVISIONED
    units = request.get("ProvisionedThroughput")
    if mode == ON_DEMAND:
        if units is not None:
            raise invalid(NO_UNITS)
    elif units is None:
        raise invalid(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        )
    else:
        check_bounds(units)
    _check_new_bounds(request, mode, None)


def check_new_indexes(request: Request) -> None:
    """The same for each global index of a new table."""
    mode = billing_mode(request) or PROVISIONED
    for index in request.get("GlobalSecondaryIndexes") or ():
        name = index["IndexName"]
        units = index.get("ProvisionedThroughput")
        if mode == ON_DEMAND and units is not None:
            raise invalid(
                f"ProvisionedThroughput should not be specified for index: {name} "
                "when BillingMode is PAY_PER_REQUEST"
            )
        if mode == PROVISIONED:
            if units is None:
                raise invalid(f"ProvisionedThroughput is not specified for index: {name}")
            check_bounds(units, name)
        _check_new_bounds(index, mode, name)


def check_added_index(index: Request, mode: str) -> None:
    """The same for a global index that UpdateTable adds."""
    name = index["IndexName"]
    units = index.get("ProvisionedThroughput")
    if mode == ON_DEMAND and units is not None:
        raise invalid(
            f"Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: {name} "
            "when BillingMode is PAY_PER_REQUEST"
        )
    if mode == PROVISIONED:
        if units is None:
            raise invalid(
                f"Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: {name}"
            )
        check_bounds(units, name)
    _check_new_bounds(index, mode, name)


def check_bounds(units: Request, index: str | None = None) -> None:
    """Refuse units that no table is granted."""
    where = "" if index is None else f" for index {index}"
    for name in UNITS:
        if units[name] > MAX_UNITS:
            raise validation(f"Given value {units[name]} for {name} is out of bounds{where}")


def _check_new_bounds(request: Request, mode: str, owner: str | None) -> None:
    given = request.get("OnDemandThroughput") or {}
    for name in REQUEST_UNITS:
        if name not in given:
            continue
        if mode == PROVISIONED:
            where = "" if owner is None else f" for index: {owner}"
            raise invalid(
                f"{name} for OnDemandThroughput{where} cannot be specified when table "
                "BillingMode is PROVISIONED."
            )
        if given[name] < 1:
            raise _outside(name, owner)
    _check_new_warm(request, mode, owner)


def _check_new_warm(request: Request, mode: str, owner: str | None) -> None:
    given = request.get("WarmThroughput") or {}
    for name, units, base in _WARM:
        if name not in given:
            continue
        least, what = base, _INITIAL
        if mode == PROVISIONED:
            least = request["ProvisionedThroughput"][units]
            what = f"{units} of ProvisionedThroughput"
        if given[name] < least:
            where = "table" if owner is None else f"index {owner}"
            raise invalid(f"Requested {name} for WarmThroughput for {where} is lower than {what}")


def _outside(name: str, owner: str | None) -> Exception:
    where = "table" if owner is None else f"index : {owner}"
    return invalid(f"Requested {name} for OnDemandThroughput for {where} is outside of valid range")


def new_throughput(request: Request, mode: str) -> Body:
    """What a new table or index keeps."""
    units = request.get("ProvisionedThroughput") or dict.fromkeys(UNITS, 0)
    warm = request.get("WarmThroughput") or {}
    kept: Body = {
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            **{name: units[name] for name in UNITS},
        },
        "WarmThroughput": {
            name: warm.get(name, units[unit] if mode == PROVISIONED else base)
            for name, unit, base in _WARM
        },
    }
    if request.get("OnDemandThroughput"):
        kept["OnDemandThroughput"] = dict(request["OnDemandThroughput"])
    return kept


# --- changes -----------------------------------------------------------------------------


def change_units(owner: Body, wanted: Request, name: str | None, now: float) -> None:
    """Give a provisioned table or index other units."""
    kept = owner["ProvisionedThroughput"]
    read, write = (wanted[unit] - kept[unit] for unit in UNITS)
    if read == write == 0:
        raise validation(_unchanged(kept, wanted, name))
    if read > 0 or write > 0:
        kept["LastIncreaseDateTime"] = moment(now)
    if read < 0 or write < 0:
        count_decrease(kept, now)
    set_units(owner, wanted)


def count_decrease(kept: Body, now: float) -> None:
    """Note that units went down; the count starts anew every day."""
    last = kept.get("LastDecreaseDateTime")
    today = kept["NumberOfDecreasesToday"] if last is not None and same_day(last, now) else 0
    kept["NumberOfDecreasesToday"] = today + 1
    kept["LastDecreaseDateTime"] = moment(now)


def set_units(owner: Body, wanted: Request) -> None:
    """Set the units; what can be served at once grows along."""
    owner["ProvisionedThroughput"].update({unit: wanted[unit] for unit in UNITS})
    raise_warm(owner, {name: wanted[unit] for name, unit, _ in _WARM})


def raise_warm(owner: Body, least: dict[str, int]) -> None:
    """What can be served at once is at least this, and never less than it was."""
    kept = owner.setdefault("WarmThroughput", {})
    for name, value in least.items():
        kept[name] = max(kept.get(name, 0), value)


def raise_warm_to_base(owner: Body) -> None:
    """A table or index that has become on-demand serves what every new one does."""
    raise_warm(owner, {name: base for name, _, base in _WARM})


def change_on_demand(owner: Body, wanted: Request, mode: str, name: str | None) -> None:
    """Change the upper bounds that are given; -1 takes a bound away."""
    kept: dict[str, int] = dict(owner.get("OnDemandThroughput") or {})
    for unit in REQUEST_UNITS:
        if unit not in wanted:
            continue
        if mode == PROVISIONED:
            where = "" if name is None else f" for index : {name}"
            raise invalid(
                f"{unit} for OnDemandThroughput{where} cannot be specified when the table "
                "BillingMode is PROVISIONED"
            )
        value = wanted[unit]
        if value < 1 and value != -1:
            raise _outside(unit, name)
        if value == -1:
            kept.pop(unit, None)
        else:
            kept[unit] = value
    owner.pop("OnDemandThroughput", None)
    if kept:
        owner["OnDemandThroughput"] = kept


def change_warm(owner: Body, wanted: Request, current: dict[str, int], name: str | None) -> None:
    """Raise what can be served at once; it cannot be lowered."""
    for unit, value in wanted.items():
        if value < current[unit]:
            where = "table" if name is None else f"index {name}"
            raise invalid(
                f"Requested {unit} for WarmThroughput for {where} is lower than current "
                "WarmThroughput, decreasing WarmThroughput is not supported"
            )
    owner["WarmThroughput"] = {**current, **wanted}


def _unchanged(kept: Body, wanted: Request, name: str | None) -> str:
    thing, of = ("table", "the table") if name is None else (f"index {name}", f"index {name}")
    figures = " ".join(
        f"Current {unit} provisioned for {of}: {kept[unit]}. Requested {unit}: {wanted[unit]}."
        for unit in UNITS
    )
    return (
        f"The provisioned throughput for the {thing} will not change. The requested value equals "
        f"the current value. {figures} Refer to the Amazon DynamoDB Developer Guide for current "
        "limits and how to request higher limits."
    )
