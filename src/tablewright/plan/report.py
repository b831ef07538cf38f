"""A plan for people, as text, and for programs, as plain data."""

from __future__ import annotations

from typing import Any

from tablewright.plan.demand import Demand, provisioned
from tablewright.plan.loads import Load
from tablewright.plan.month import Bill, Cost
from tablewright.plan.plan import Plan, Share
from tablewright.plan.reasons import mode_words, reasons
from tablewright.plan.text import dollars, figure, size, table
from tablewright.plan.units import Units


def text_of(plan: Plan) -> str:
    """Everything, section by section."""
    sections = [
        _head(plan),
        _patterns(plan),
        _places(plan),
        _entities(plan),
        _storage(plan),
        _ways(plan),
        _notes(plan),
    ]
    return "\n\n".join(section for section in sections if section)


def _head(plan: Plan) -> str:
    return (
        f"Plan of {plan.model}: {len(plan.loads)} patterns, {len(plan.demands)} tables, "
        f"{plan.prices.region}, prices of {plan.prices.dated}, {plan.settings.hours:g} hours"
    )


def _patterns(plan: Plan) -> str:
    rows = []
    for load in sorted(plan.loads, key=lambda each: -plan.pattern_share(each).cost):
        share = plan.pattern_share(load)
        rate = "-" if load.rate is None else figure(load.average)
        peak = "-" if load.rate is None else figure(load.peak)
        units = [figure(load.units.reads), figure(load.units.writes)]
        month = [figure(share.read_units), figure(share.write_units), dollars(share.cost)]
        rows.append([load.pattern, load.basis, rate, peak, *units, *month])
    head = "pattern,basis,calls/s,peak,read,write,reads/month,writes/month,on demand"
    title = "Patterns: calls a second, units of one call, and of a month\n"
    return title + table(head.split(","), rows, left=(0, 1))


def _places(plan: Plan) -> str:
    rows = [[str(place), *_share(share)] for place, share in plan.place_shares().items()]
    return _section("Tables and indexes", "place", rows)


def _entities(plan: Plan) -> str:
    rows = [[name, *_share(share)] for name, share in plan.entity_shares().items()]
    return _section("Entities", "entity", rows)


def _section(title: str, first: str, rows: list[list[str]]) -> str:
    if not rows:
        return ""
    return f"{title}\n" + table([first, "reads/month", "writes/month", "on demand"], rows)


def _share(share: Share) -> list[str]:
    return [figure(share.read_units), figure(share.write_units), dollars(share.cost)]


def _storage(plan: Plan) -> str:
    rows = []
    for each in plan.demands:
        stored = each.stored
        if stored.items:
            indexes = size(sum(stored.indexes.values()))
            rows.append([each.table.name, figure(stored.items), size(stored.base), indexes])
    if not rows:
        return (
            "Storage\n  not known: say in a scenario how many items there are "
            "([entities.NAME] items = ...)"
        )
    return "Storage\n" + table(["table", "items", "table's", "indexes'"], rows)


def _ways(plan: Plan) -> str:
    rows = [_bill(mode_words(mode), each) for mode, each in plan.bills.items()]
    rows.append(_bill("cheapest", plan.cheapest))
    head = [
        "way to pay",
        "writes",
        "reads",
        "storage",
        "PITR",
        "backups",
        "streams",
        "free",
        "month",
    ]
    lines = ["Dollars a month\n" + table(head, rows)]
    for demand in plan.demands:
        choice = plan.cheapest.choices[demand.table.name]
        kind = "" if choice.table_class == "STANDARD" else ", infrequent access"
        lines.append(f"\n  {demand.table.name}: {mode_words(choice.mode)}{kind}")
        lines += [f"    - {reason}" for reason in reasons(plan, demand)]
        if choice.mode != "on demand":
            lines.append(f"    - {units_text(plan, demand)}")
    return "\n".join(lines)


def units_text(plan: Plan, demand: Demand) -> str:
    """The units to provision, and between which bounds to scale."""
    parts = []
    for place, flow in demand.places.items():
        low = [provisioned(each, "scaled", plan.settings) for each in (flow.read, flow.write)]
        high = [provisioned(each, "provisioned", plan.settings) for each in (flow.read, flow.write)]
        read, write = (
            f"{a:g}" if a == b else f"{a:g}-{b:g}" for a, b in zip(low, high, strict=True)
        )
        parts.append(f"{place}: read {read}, write {write}")
    return "units: " + "; ".join(parts)


def _bill(name: str, each: Bill) -> list[str]:
    total = each.total
    parts = [total.writes, total.reads, total.storage, total.pitr, total.backups, total.streams]
    return [name, *map(dollars, parts), f"-{dollars(total.free)}", dollars(total.total)]


def _notes(plan: Plan) -> str:
    notes = notes_of(plan)
    return "\n".join(["Notes", *(f"  - {note}" for note in notes)]) if notes else ""


def notes_of(plan: Plan) -> list[str]:
    """What to know about the figures."""
    notes: list[str] = []
    silent = [load.pattern for load in plan.loads if load.rate is None]
    if silent:
        notes.append(f"no rate is declared for {', '.join(silent)}: they cost nothing here")
    guessed = [load.pattern for load in plan.loads if load.basis == "estimated"]
    if guessed:
        notes.append(f"without a sample call, estimated: {', '.join(guessed)}")
    refused = [load.pattern for load in plan.loads if load.refused]
    if refused:
        notes.append(f"the sample call is refused, and paid for, of {', '.join(refused)}")
    if plan.prices.unsure:
        unsure = ", ".join(plan.prices.unsure)
        notes.append(f"prices of {plan.prices.region} not looked up but derived: {unsure}")
    streams = [each.table.name for each in plan.demands if each.table.stream]
    if streams:
        notes.append(f"reads of the stream of {', '.join(streams)} by Lambda are free")
    return notes


# --- for programs --------------------------------------------------------------------------------


def data_of(plan: Plan) -> dict[str, object]:
    """The same figures as plain data, for JSON."""
    return {
        "model": plan.model,
        "region": plan.prices.region,
        "prices": {"dated": plan.prices.dated, "source": plan.prices.source},
        "unsure": list(plan.prices.unsure),
        "hours": plan.settings.hours,
        "patterns": [_pattern_data(plan, load) for load in plan.loads],
        "places": [
            {"table": place.table, "index": place.index, **_share_data(share)}
            for place, share in plan.place_shares().items()
        ],
        "entities": [
            {"entity": name, **_share_data(share)} for name, share in plan.entity_shares().items()
        ],
        "storage": [
            {
                "table": each.table.name,
                "items": each.stored.items,
                "bytes": each.stored.base,
                "index_bytes": dict(each.stored.indexes),
            }
            for each in plan.demands
        ],
        "bills": {mode: _cost_data(each.total) for mode, each in plan.bills.items()},
        "cheapest": {
            **_cost_data(plan.cheapest.total),
            "tables": [_choice_data(plan, demand) for demand in plan.demands],
        },
    }


def _pattern_data(plan: Plan, load: Load) -> dict[str, Any]:
    return {
        "pattern": load.pattern,
        "component": load.component,
        "entities": list(load.entities),
        "basis": load.basis,
        "refused": load.refused,
        "average": None if load.rate is None else load.average,
        "peak": None if load.rate is None else load.peak,
        "units": units_data(load.units),
        "month": _share_data(plan.pattern_share(load)),
    }


def units_data(units: Units) -> list[dict[str, object]]:
    return [
        {
            "table": place.table,
            "index": place.index,
            "read": units.read.get(place, 0.0),
            "write": units.write.get(place, 0.0),
        }
        for place in units.places
    ]


def _share_data(share: Share) -> dict[str, float]:
    return {
        "read_units": share.read_units,
        "write_units": share.write_units,
        "on_demand": share.cost,
    }


def _cost_data(cost: Cost) -> dict[str, float]:
    return {
        "writes": cost.writes,
        "reads": cost.reads,
        "storage": cost.storage,
        "pitr": cost.pitr,
        "backups": cost.backups,
        "streams": cost.streams,
        "free": cost.free,
        "total": cost.total,
    }


def _choice_data(plan: Plan, demand: Demand) -> dict[str, Any]:
    choice = plan.cheapest.choices[demand.table.name]
    return {
        "table": demand.table.name,
        "mode": choice.mode,
        "table_class": choice.table_class,
        "reasons": reasons(plan, demand),
    }
