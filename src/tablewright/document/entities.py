"""The sections about entities: attributes and keys, uniqueness, and who is in which index."""

from __future__ import annotations

import inspect
from typing import Any

from tablewright.document.fields import descriptions, limits_text, type_text
from tablewright.document.markdown import code, codes, paragraphs, table
from tablewright.model.definition import EntityDef
from tablewright.model.keys import BoundKey
from tablewright.model.model import Model
from tablewright.model.table import Table


def entities_section(model: Model) -> str:
    parts = ["## Entities"]
    for owner in model.tables.values():
        for entity in entities_of(model, owner):
            parts += _entity(entity, several=len(model.tables) > 1)
    return paragraphs(*parts)


def entities_of(model: Model, owner: Table) -> list[EntityDef[Any]]:
    return [each for each in model.entities.values() if each.table is owner]


def _entity(entity: EntityDef[Any], several: bool) -> list[str]:
    said = entity.cls.__dict__.get("__doc__") or ""
    facts = []
    if several:
        facts.append(f"In table {code(entity.table.name)}.")
    if entity.tag is not None and entity.table.discriminator is not None:
        facts.append(f"{code(entity.table.discriminator)} is {code(entity.name)}.")
    if entity.version is not None:
        facts.append(f"{code(entity.version.attribute)} counts its writes.")
    return [
        f"### {entity.cls.__name__}",
        inspect.cleandoc(said) if said else "",
        " ".join(facts),
        _keys(entity),
        _attributes(entity),
    ]


def _keys(entity: EntityDef[Any]) -> str:
    rows = [
        (
            code(key.name),
            "table" if key.index is None else code(key.index.name),
            *templates(key),
            when_text(entity, key),
        )
        for key in entity.keys.values()
    ]
    return table(("Key", "On", "Partition", "Sort", "Only if"), rows)


def templates(key: BoundKey) -> tuple[str, str]:
    """The templates of both sides."""
    return (
        codes(part.template.text for part in key.partition),
        codes(part.template.text for part in key.sort),
    )


def when_text(entity: EntityDef[Any], key: BoundKey) -> str:
    """When an entity is in the index, if it is not always."""
    terms = [
        f"{code(name)} is {' or '.join(sorted(code(_plain(each)) for each in values))}"
        for name, values in key.when.items()
    ]
    optional = [name for name in key.fields if entity.fields[name].optional]
    if optional:
        terms.append(f"{codes(optional)} {'is' if len(optional) == 1 else 'are'} set")
    return ", ".join(terms)


def _plain(value: object) -> str:
    return str(getattr(value, "value", value))


def _attributes(entity: EntityDef[Any]) -> str:
    told = descriptions(entity)
    rows = [
        (
            code(field.attribute),
            type_text(field),
            "" if field.optional else "yes",
            limits_text(field),
            told.get(name, ""),
        )
        for name, field in entity.fields.items()
    ]
    return table(("Attribute", "Type", "Required", "Limits", "Description"), rows)


# --- indexes -------------------------------------------------------------------------------------


def indexes_section(model: Model) -> str:
    """Which entities are in which index, under which key."""
    parts = ["## Index usage"]
    for owner in model.tables.values():
        for index in owner.indexes.values():
            rows = [
                (code(entity.cls.__name__), *templates(key), when_text(entity, key))
                for entity in entities_of(model, owner)
                for key in entity.keys.values()
                if key.index is index
            ]
            heading = f"### Index {index.name} of {owner.name}"
            heads = ("Entity", "Partition", "Sort", "Only if")
            parts += [heading, table(heads, rows) if rows else "No entity is in it."]
    return paragraphs(*parts) if len(parts) > 1 else ""


# --- uniqueness ----------------------------------------------------------------------------------


def uniqueness_section(model: Model) -> str:
    rows = [
        (
            code(each.name),
            code(entity.cls.__name__),
            codes(entity.fields[name].attribute for name in each.fields),
            *templates(each.key),
        )
        for entity in model.entities.values()
        for each in entity.uniques
    ]
    if not rows:
        return ""
    return paragraphs(
        "## Uniqueness",
        "Each value has a lock item, written in one transaction with its entity whenever that is "
        "created, changed or deleted.",
        table(("Constraint", "Entity", "Attributes", "Partition", "Sort"), rows),
    )


# --- lifecycle -----------------------------------------------------------------------------------


def lifecycle_section(model: Model) -> str:
    rows = [
        (
            code(entity.cls.__name__),
            code(entity.ttl.attribute),
            "if it is set" if entity.ttl.optional else "always",
            descriptions(entity).get(entity.ttl.name, ""),
        )
        for entity in model.entities.values()
        if entity.ttl is not None
    ]
    if not rows:
        return ""
    return paragraphs(
        "## Lifecycle",
        "These end at the time that their attribute says. They are left out of all reads from "
        "then on, and deleted by the service within a few days.",
        table(("Entity", "Attribute", "Ends", "Description"), rows),
    )
