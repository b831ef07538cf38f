"""The section about tables: their settings, and their indexes."""

from __future__ import annotations

from tablewright.document.markdown import code, codes, paragraphs, table
from tablewright.model.model import Model
from tablewright.model.table import Billing, Index, KeyAttribute, OnDemand, Table
from tablewright.model.tables import include_of

_STREAMS = {
    "NEW_IMAGE": "new images",
    "OLD_IMAGE": "old images",
    "NEW_AND_OLD_IMAGES": "new and old images",
    "KEYS_ONLY": "keys only",
}


def tables_section(model: Model) -> str:
    parts = ["## Tables"]
    for each in model.tables.values():
        parts += [f"### Table {each.name}", _settings(each), _indexes(each)]
    return paragraphs(*parts)


def _settings(each: Table) -> str:
    rows = [
        ("Partition key", attribute_text(each.pk)),
        ("Sort key", "" if each.sk is None else attribute_text(each.sk)),
        ("Billing", billing_text(each.billing)),
        ("Time to live", "" if each.ttl is None else code(each.ttl)),
        ("Stream", "" if each.stream is None else _STREAMS[each.stream]),
        ("Point-in-time recovery", _recovery(each)),
        ("Deletion protection", "on" if each.deletion_protection else "off"),
        ("Table class", each.table_class),
        ("Tags", ", ".join(f"{code(key)} = {code(value)}" for key, value in each.tags.items())),
        ("Entities are told apart by", code(each.discriminator or "") or "their keys"),
    ]
    return table(("Setting", "Value"), [row for row in rows if row[1]])


def _recovery(each: Table) -> str:
    if not each.pitr:
        return "off"
    return "35 days" if each.pitr is True else f"{each.pitr} days"


def _indexes(each: Table) -> str:
    if not each.indexes:
        return "No secondary index."
    rows = [
        (
            code(index.name),
            "local" if index.local else "global",
            ", ".join(attribute_text(part) for part in index.partition),
            ", ".join(attribute_text(part) for part in index.sort),
            projection_text(each, index),
            "" if index.billing is None else billing_text(index.billing),
        )
        for index in each.indexes.values()
    ]
    heads = ("Index", "Kind", "Partition key", "Sort key", "Holds", "Billing")
    return table(heads, rows)


def attribute_text(attribute: KeyAttribute) -> str:
    return f"{code(attribute.name)} ({attribute.type})"


def projection_text(owner: Table, index: Index) -> str:
    if index.projection == "ALL":
        return "everything"
    if index.projection == "KEYS_ONLY":
        return "keys only"
    return f"keys, {codes(include_of(owner, index))}"


def billing_text(billing: Billing) -> str:
    if not isinstance(billing, OnDemand):
        return f"provisioned: {billing.read_units} read and {billing.write_units} write units"
    ceilings = [
        f"{units} {what}"
        for units, what in (
            (billing.max_read_units, "read units"),
            (billing.max_write_units, "write units"),
        )
        if units is not None
    ]
    return "on demand" + (f", at most {' and '.join(ceilings)} a second" if ceilings else "")
