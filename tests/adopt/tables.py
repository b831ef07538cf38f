"""Tables of others, in the shape in which they are sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.adopt import Proposal, Sampled, propose
from tablewright.deploy.state import declared
from tablewright.model import Index, Table
from tablewright.values import Item


def av(value: Any) -> dict[str, Any]:
    """A Python value as an attribute value."""
    if value is None:
        return {"NULL": True}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, set):
        return {"SS": sorted(value)}
    if isinstance(value, list):
        return {"L": [av(each) for each in value]}
    if isinstance(value, dict):
        return {"M": {name: av(each) for name, each in value.items()}}
    return {"N": str(value)}


def item(**values: Any) -> Item:
    return {name: av(value) for name, value in values.items()}


def table(name: str = "Legacy", **options: Any) -> Table:
    """A table with the keys that everybody uses."""
    given = {"pk": "PK", "sk": "SK", "discriminator": None, **options}
    return Table(name, **given)


def proposed(items: Sequence[Item], of: Table | None = None) -> Proposal:
    own = of or table()
    return propose("legacy", [Sampled(declared(own, own.name), items, whole=True)])


def keys(proposal: Proposal) -> dict[str, tuple[str, ...]]:
    """The primary key of each entity, by its name."""
    return {
        entity.name: tuple(entity.text(each.name) for each in adopted.draft.state.key)
        for adopted in proposal.tables
        for entity in adopted.draft.entities
    }


def types(proposal: Proposal, entity: str) -> Mapping[str, str]:
    """The fields of an entity, with their types; ``?`` stands behind those that may be absent."""
    (found,) = [
        each
        for adopted in proposal.tables
        for each in adopted.draft.entities
        if each.name == entity
    ]
    return {each.name: each.annotation + "?" * each.optional for each in found.fields}


def strays(proposal: Proposal) -> list[Item]:
    return [stray.item for adopted in proposal.tables for stray in adopted.strays]


GSI1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
