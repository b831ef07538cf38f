"""From a model to the JSON that NoSQL Workbench opens.

An entity of ours is a facet of theirs, and the template of its key is the facet's alias. What the
format has no place for is lost: templates of index keys (only the names of the attributes are
kept), patterns, time to live, streams and constraints. :mod:`tablewright.adopt` reads such files.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from tablewright.deploy.templates.scaling import UTILISATION
from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.keys import KeyPart
from tablewright.model.model import Model
from tablewright.model.table import Billing, Index, KeyAttribute, Provisioned, Table
from tablewright.model.tables import include_of

Document: TypeAlias = dict[str, Any]

#: The same model is the same file: it says when the format was learnt, not when it was written.
DATED = "Jan 01, 2026, 12:00 AM"
_NO_ACCESS: Document = {"MySql": {}}


def export_model(model: Model, items: Sequence[Entity] = ()) -> Document:
    """The document; ``items`` are its sample data."""
    return {
        "ModelName": model.name,
        "ModelMetadata": {
            "Author": "tablewright",
            "DateCreated": DATED,
            "DateLastModified": DATED,
            "Description": f"The tables of {model.name}.",
            "AWSService": "Amazon DynamoDB",
            "Version": "3.0",
        },
        "DataModel": [_table(table, items) for table in model.tables.values()],
    }


def _table(table: Table, items: Iterable[Entity]) -> Document:
    primary = () if table.sk is None else (table.sk,)
    made: Document = {
        "TableName": table.name,
        "KeyAttributes": _keys((table.pk,), primary),
        "NonKeyAttributes": _attributes(table),
        "TableFacets": [_facet(entity) for entity in table.entities.values()],
        "GlobalSecondaryIndexes": [
            _index(table, index) for index in table.indexes.values() if not index.local
        ],
    }
    local = [_index(table, index) for index in table.indexes.values() if index.local]
    if local:
        made["LocalSecondaryIndexes"] = local
    made["TableData"] = _data(table, items)
    made["DataAccess"] = _NO_ACCESS
    made |= _billing(table.billing)
    return made


def _keys(partition: Sequence[KeyAttribute], sort: Sequence[KeyAttribute]) -> Document:
    """One attribute on each side; for more of them there is no public sample, so a list is used."""
    made: Document = {"PartitionKey": _side(partition)}
    if sort:
        made["SortKey"] = _side(sort)
    return made


def _side(attributes: Sequence[KeyAttribute]) -> Any:
    named = [{"AttributeName": each.name, "AttributeType": each.type} for each in attributes]
    return named[0] if len(named) == 1 else named


def _attributes(table: Table) -> list[Document]:
    """Every attribute of every entity beside the table's own key, with its type."""
    types: dict[str, str] = {}
    if table.discriminator is not None:
        types[table.discriminator] = "S"
    for entity in table.entities.values():
        types |= {each.attribute: each.storage.kind or "S" for each in entity.fields.values()}
    types |= {each.name: each.type for each in table.key_attributes()}
    for each in table.primary():
        types.pop(each.name, None)
    return [{"AttributeName": name, "AttributeType": kind} for name, kind in sorted(types.items())]


def _facet(entity: EntityDef[Any]) -> Document:
    table = entity.table
    alias = {"PartitionKeyAlias": _alias(entity, entity.primary.partition[0])}
    if entity.primary.sort:
        alias["SortKeyAlias"] = _alias(entity, entity.primary.sort[0])
    own = {each.name for each in table.primary()}
    held = dict.fromkeys(each.attribute for each in entity.fields.values())
    for key in entity.keys.values():
        held.update(dict.fromkeys(part.attribute.name for part in key.parts))
    if table.discriminator is not None:
        held[table.discriminator] = None
    return {
        "FacetName": entity.name,
        "KeyAttributeAlias": alias,
        "TableData": [],
        "NonKeyAttributes": [name for name in held if name not in own],
        "DataAccess": _NO_ACCESS,
    }


def _alias(entity: EntityDef[Any], part: KeyPart) -> str:
    """The template, with attributes in place of fields."""
    pieces: list[str] = []
    for piece in part.template.pieces:
        if isinstance(piece, str):
            pieces.append(piece.replace("{", "{{").replace("}", "}}"))
        else:
            spec = f":{piece.spec}" if piece.spec else ""
            pieces.append(f"{{{entity.fields[piece.field].attribute}{spec}}}")
    return "".join(pieces)


def _index(table: Table, index: Index) -> Document:
    projection: Document = {"ProjectionType": index.projection}
    if index.projection == "INCLUDE":
        projection["NonKeyAttributes"] = list(include_of(table, index))
    return {
        "IndexName": index.name,
        "KeyAttributes": _keys(index.partition, index.sort),
        "Projection": projection,
    }


def _data(table: Table, items: Iterable[Entity]) -> list[Document]:
    own = (each for each in items if definition(each).table is table)
    return [definition(each).encode(each) for each in own]


def _billing(billing: Billing) -> Document:
    if not isinstance(billing, Provisioned):
        return {"BillingMode": "PAY_PER_REQUEST"}
    return {
        "BillingMode": "PROVISIONED",
        "ProvisionedCapacitySettings": {
            "ProvisionedThroughput": {
                "ReadCapacityUnits": billing.read_units,
                "WriteCapacityUnits": billing.write_units,
            },
            "AutoScalingRead": _scaling(billing.read_units),
            "AutoScalingWrite": _scaling(billing.write_units),
        },
    }


def _scaling(units: int) -> Document:
    return {
        "ScalableTargetRequest": {
            "MinCapacity": units,
            "MaxCapacity": units * 10,
            "ServiceRole": "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable",
        },
        "ScalingPolicyConfiguration": {"TargetValue": UTILISATION},
    }
