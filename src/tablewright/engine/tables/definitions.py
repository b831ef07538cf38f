"""What makes a table's definition valid: attributes, keys, indexes, projections.

The checks stand in the order in which the service makes them, because a request with several
mistakes is answered with the first one: keys of the table, keys of every index, then whether all
defined attributes are used, and only then projections, names and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tablewright.engine.errors import invalid, validation
from tablewright.engine.handler import Request

KeySchema: TypeAlias = list[dict[str, str]]

MAX_LOCAL_INDEXES = 5
MAX_GLOBAL_INDEXES = 20
#: Attributes one part (HASH or RANGE) of a global index's key may be made of.
MAX_KEY_PARTS = 4
#: Attributes all indexes of a table may project by name, counted once per index.
MAX_PROJECTED = 100

SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"


def check_definition(request: Request) -> None:
    """Check CreateTable's attributes, keys and indexes."""
    definitions: list[dict[str, str]] = request["AttributeDefinitions"]
    names = [each["AttributeName"] for each in definitions]
    _check_duplicates(names)
    _check_table_keys(request["KeySchema"], names)
    local = request.get("LocalSecondaryIndexes")
    indexes = request.get("GlobalSecondaryIndexes")
    if local is None and indexes is None:
        if len(request["KeySchema"]) != len(names):
            raise invalid(
                "Number of attributes in KeySchema does not exactly match number of attributes "
                "defined in AttributeDefinitions"
            )
        return
    _check_index_keys(request, names)
    _check_all_used(request, names)
    _check_index_details(local or (), indexes or ())


def check_new_index(index: Request, names: list[str]) -> None:
    """Check a global index that UpdateTable adds, given the attributes that are defined."""
    check_global_keys(index["KeySchema"], names)
    check_projection(index["Projection"])


def attribute_names(key_schema: KeySchema) -> list[str]:
    return [element["AttributeName"] for element in key_schema]


# --- keys --------------------------------------------------------------------------------


def _check_duplicates(names: list[str]) -> None:
    for position, name in enumerate(names):
        if name in names[:position]:
            raise validation(f"Attribute Name is duplicated: {name}")


def _check_table_keys(key_schema: KeySchema, names: list[str]) -> None:
    if len(key_schema) > len(names):
        raise validation("Invalid KeySchema: Some index key attribute have no definition")
    _check_simple_keys(key_schema, names)


def _check_simple_keys(key_schema: KeySchema, names: list[str]) -> None:
    """A HASH key, and perhaps a RANGE key."""
    _check_defined(key_schema, names)
    if len(set(attribute_names(key_schema))) != len(key_schema):
        raise validation(SAME_NAME)
    _check_first(key_schema)
    if len(key_schema) > 1 and key_schema[1]["KeyType"] != "RANGE":
        raise validation("Invalid KeySchema: The second KeySchemaElement is not a RANGE key type")


def check_global_keys(key_schema: KeySchema, names: list[str]) -> None:
    """Up to four HASH attributes, followed by up to four RANGE attributes."""
    _check_defined(key_schema, names)
    kinds = [element["KeyType"] for element in key_schema]
    if len(set(attribute_names(key_schema))) != len(key_schema):
        if len(key_schema) == 2:
            raise validation(SAME_NAME)
        raise validation("The KeySchema contains multiple key attributes with the same name")
    _check_first(key_schema)
    for kind in ("HASH", "RANGE"):
        if kinds.count(kind) > MAX_KEY_PARTS:
            raise invalid(
                f"The KeySchema exceeds the maximum allowed number of {kind} key attributes"
            )
    if kinds != sorted(kinds):
        raise invalid("All HASH key attributes must precede RANGE key attributes in the KeySchema")


def _check_first(key_schema: KeySchema) -> None:
    if key_schema[0]["KeyType"] != "HASH":
        raise validation("Invalid KeySchema: The first KeySchemaElement is not a HASH key type")


def _check_defined(key_schema: KeySchema, names: list[str]) -> None:
    keys = attribute_names(key_schema)
    if any(key not in names for key in keys):
        raise invalid(
            "Some index key attributes are not defined in AttributeDefinitions. "
            f"Keys: {_listed(keys)}, AttributeDefinitions: {_listed(names)}"
        )


def _check_index_keys(request: Request, names: list[str]) -> None:
    key_schema = request["KeySchema"]
    local = request.get("LocalSecondaryIndexes")
    if local is not None:
        if not local:
            raise invalid("List of LocalSecondaryIndexes is empty")
        if len(key_schema) != 2:
            raise invalid(
                "Table KeySchema does not have a range key, "
                "which is required when specifying a LocalSecondaryIndex"
            )
        for index in local:
            _check_local_keys(index, key_schema[0]["AttributeName"], names)
    indexes = request.get("GlobalSecondaryIndexes")
    if indexes is not None:
        if not indexes:
            raise invalid("List of GlobalSecondaryIndexes is empty")
        for index in indexes:
            check_global_keys(index["KeySchema"], names)


def _check_local_keys(index: Request, table_hash: str, names: list[str]) -> None:
    key_schema: KeySchema = index["KeySchema"]
    _check_simple_keys(key_schema, names)
    if len(key_schema) != 2:
        raise invalid(f"Index KeySchema does not have a range key for index: {index['IndexName']}")
    index_hash = key_schema[0]["AttributeName"]
    if index_hash != table_hash:
        raise invalid(
            "Index KeySchema does not have the same leading hash key as table KeySchema for "
            f"index: {index['IndexName']}. index hash key: {index_hash}, "
            f"table hash key: {table_hash}"
        )


def _check_all_used(request: Request, names: list[str]) -> None:
    used = dict.fromkeys(_all_keys(request))
    if any(name not in used for name in names):
        raise invalid(
            f"Some AttributeDefinitions are not used. AttributeDefinitions: {_listed(names)}, "
            f"keys used: {_listed(used)}"
        )


def _all_keys(request: Request) -> Iterator[str]:
    yield from attribute_names(request["KeySchema"])
    for key in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in request.get(key) or ():
            yield from attribute_names(index["KeySchema"])


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"


# --- projections, names, counts ----------------------------------------------------------


def _check_index_details(local: Iterable[Request], indexes: Iterable[Request]) -> None:
    local, indexes = list(local), list(indexes)
    seen: set[str] = set()
    for index in (*local, *indexes):
        check_projection(index["Projection"])
        if index["IndexName"] in seen:
            raise invalid(f"Duplicate index name: {index['IndexName']}")
        seen.add(index["IndexName"])
    if len(local) > MAX_LOCAL_INDEXES:
        raise invalid(
            f"Number of LocalSecondaryIndexes exceeds per-table limit of {MAX_LOCAL_INDEXES}"
        )
    if len(indexes) > MAX_GLOBAL_INDEXES:
        raise invalid(
            f"GlobalSecondaryIndex count exceeds the per-table limit of {MAX_GLOBAL_INDEXES}"
        )
    check_projected_total((*local, *indexes))


def check_projection(projection: Request) -> None:
    """Refuse an unknown projection, or one whose attribute list does not fit its type."""
    kind = projection.get("ProjectionType")
    if kind is None:
        raise invalid("Unknown ProjectionType: null")
    extra: list[str] | None = projection.get("NonKeyAttributes")
    if kind != "INCLUDE":
        if extra is not None:
            raise invalid(f"ProjectionType is {kind}, but NonKeyAttributes is specified")
        return
    if extra is None:
        raise invalid("ProjectionType is INCLUDE, but NonKeyAttributes is not specified")
    for position, name in enumerate(extra):
        if name in extra[:position]:
            raise invalid(f"Duplicate element in NonKeyAttributes: {name}")


def check_projected_total(indexes: Iterable[Request]) -> None:
    """All indexes together may name only so many attributes to project."""
    total = sum(len(each["Projection"].get("NonKeyAttributes") or ()) for each in indexes)
    if total > MAX_PROJECTED:
        raise invalid(
            "The total number of non-key attributes projected by all indexes of a table exceeds "
            f"the limit of {MAX_PROJECTED}"
        )
