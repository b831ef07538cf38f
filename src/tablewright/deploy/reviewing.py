"""Deployed tables as parts of a design, so that the review's rules see them beside the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tablewright.client.context import Context
from tablewright.client.steps import Flow
from tablewright.deploy.drift import Drift, drifts_of, read_sample
from tablewright.deploy.looking import look
from tablewright.deploy.problems import NOT_FOUND, DeployError, Problem
from tablewright.deploy.state import IndexState, TableState
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.errors import TablewrightError
from tablewright.model.model import Model
from tablewright.model.table import Billing, Provisioned, Table
from tablewright.model.tables import key_schema
from tablewright.model.unique import is_lock
from tablewright.review import design
from tablewright.review.design import Definition, Design, Sample
from tablewright.values import Item

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Seen:
    """One deployed table: how it is defined, and some of its items."""

    #: As the environment wants it.
    table: Table
    state: TableState
    items: Sequence[Item] = ()
    #: What reading the items cost.
    read_units: float = 0.0

    def as_json(self) -> Body:
        return {
            "table": self.table.name,
            "physical": self.state.physical,
            "items_read": len(self.items),
            "read_units": self.read_units,
        }


def see(context: Context, tables: Sequence[Table], sample: int) -> Flow[list[Seen]]:
    """All of the tables, each with at most ``sample`` of its items."""
    states: list[TableState] = []
    missing: list[str] = []
    for table in tables:
        state = yield from look(context, table)
        if state is None:
            missing.append(context.physical(table.name))
        else:
            states.append(state)
    if missing:
        raise DeployError(Problem(NOT_FOUND, f"not deployed: {', '.join(missing)}"))
    found = []
    for table, state in zip(tables, states, strict=True):
        found.append((yield from _with_items(context, Seen(table, state), sample)))
    return found


def _with_items(context: Context, seen: Seen, sample: int) -> Flow[Seen]:
    if sample <= 0:
        return seen
    items, units = yield from read_sample(context, seen.table, sample)
    return replace(seen, items=items, read_units=units)


def with_deployed(known: Design, model: Model, seen: Iterable[Seen]) -> Design:
    """The design of a model, and what is deployed of it."""
    names = {id(known): name for name, known in model.entities.items()}
    by_name = {each.table.name: each for each in seen}
    return replace(
        known,
        tables=[_as_wanted(each, by_name.get(each.name)) for each in known.tables],
        definitions=[*known.definitions, *map(_definition, by_name.values())],
        samples=[
            *known.samples,
            *(sample for each in by_name.values() for sample in _samples(each, names)),
        ],
    )


def _as_wanted(table: design.Table, seen: Seen | None) -> design.Table:
    """What an environment asks of a table beyond the model is no difference."""
    if seen is None:
        return table
    own = seen.table
    return replace(table, pitr=own.pitr, deletion_protection=own.deletion_protection)


def _samples(seen: Seen, names: dict[int, str]) -> Iterable[Sample]:
    """The items with their owners. Locks, and entities of other models, are no concern of ours."""
    model_table = seen.table
    for item in seen.items:
        if is_lock(model_table, item):
            continue
        known: EntityDef[Any] | None = entity_of(model_table, item)
        if known is None or id(known) in names:
            name = "" if known is None else names[id(known)]
            yield Sample(
                name,
                item,
                deployed=seen.state.physical,
                table=model_table.name,
                key_problems=None if known is None else _key_problems(known, item),
            )


def _key_problems(known: EntityDef[Any], item: Item) -> tuple[str, ...] | None:
    """What is wrong with the keys of an item, by encoding it again; None if it cannot be read."""
    try:
        rendered = known.encode(known.decode(item))
    except TablewrightError:
        return None
    return tuple(_key_problem(known, item, each) for each in drifts_of(known, item, rendered))


def _key_problem(known: EntityDef[Any], item: Item, drift: Drift) -> str:
    if drift.index is None:
        return f"Its key is not made by {drift.templates}: no pattern finds it."
    keys = known.keys.values()
    key = next(each for each in keys if each.index and each.index.name == drift.index)
    absent = [part.attribute.name for part in key.parts if part.attribute.name not in item]
    if absent:
        return f"The item has no {', '.join(absent)}, so it is not in {drift.index}."
    return f"Its key in {drift.index} is not made by {drift.templates}."


# --- the definition, in the words of CreateTable -------------------------------------------------


def _definition(seen: Seen) -> Definition:
    source = f"the deployed table {seen.state.physical}"
    return Definition(seen.table.name, source, definition_body(seen.state, seen.table))


def definition_body(state: TableState, table: Table) -> Body:
    """What is deployed, without the name, which an environment changes."""
    indexes = state.indexes.values()
    keys = [*state.key, *(key for each in indexes for side in each.keys for key in side)]
    types = {each.name: each.type for each in keys}
    body: Body = {
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
        "KeySchema": key_schema(state.key[:1], state.key[1:]),
        "LocalSecondaryIndexes": [_index(each) for each in indexes if each.local],
        "GlobalSecondaryIndexes": [_index(each) for each in indexes if not each.local],
        **_billing(state.billing),
    }
    if "ttl" not in state.unseen:
        body["TimeToLiveSpecification"] = {"AttributeName": state.ttl}
    # To go back in time where nobody asked for it hurts nobody.
    if table.pitr and "pitr" not in state.unseen:
        on = state.pitr is not None
        body["PointInTimeRecoverySpecification"] = {"PointInTimeRecoveryEnabled": on}
    return body


def _index(index: IndexState) -> Body:
    projection: Body = {"ProjectionType": index.projection}
    if index.projection == "INCLUDE":
        projection["NonKeyAttributes"] = sorted(index.include)
    return {
        "IndexName": index.name,
        "KeySchema": key_schema(*index.keys),
        "Projection": projection,
    }


def _billing(billing: Billing) -> Body:
    if not isinstance(billing, Provisioned):
        return {"BillingMode": "PAY_PER_REQUEST"}
    units = {"ReadCapacityUnits": billing.read_units, "WriteCapacityUnits": billing.write_units}
    return {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units}
