"""What the engine knows of a table while it serves requests: keys, indexes, statements.

A :class:`Table` is compiled from its *body*, the JSON object the catalog keeps, and never
changes: an altered table is a new object. Keys become bytes here, once, and everything below
(storage, queries, cursors) speaks of ``(pk, sk)``:

* ``pk`` starts with eight bytes of a hash of the partition key, so that a scan meets partitions
  in an order that looks random, as on AWS, and a parallel scan's segments are plain ranges;
* ``sk`` is the order-preserving code of the sort key, or empty.
"""

from __future__ import annotations

from hashlib import md5
from typing import Any, NamedTuple, TypeAlias

from tablewright.engine.errors import AwsError, invalid, validation
from tablewright.expressions import Update
from tablewright.values import Item, joined_key_bytes, key_bytes, value_size

Body: TypeAlias = dict[str, Any]
#: Where an item is stored: pk and sk.
Key: TypeAlias = tuple[bytes, bytes]

MAX_HASH_KEY = 2048
MAX_RANGE_KEY = 1024
HASH_PREFIX = 8
#: A key value of so many characters is within all limits, whatever bytes they take.
SURELY_SHORT = MAX_RANGE_KEY // 4

MISMATCH = "The provided key element does not match the schema"
_NOT_VALID = "One or more parameter values are not valid. "
_EMPTY = "The AttributeValue for a key attribute cannot contain an empty {} value."
_ATTEMPTED = "The update expression attempted to update the secondary index key"


class EmptyKey(AwsError):
    """A key value is empty; in a transaction, AWS refuses the whole request because of it."""


class KeyPart(NamedTuple):
    """One key attribute and its type."""

    name: str
    kind: str


def partition_bytes(code: bytes) -> bytes:
    """The stored form of a partition key: a hash prefix for the order, then the key itself."""
    return md5(b"Outliers" + code, usedforsecurity=False).digest()[:HASH_PREFIX] + code


class Index:
    """A secondary index: where its rows live and what they hold.

    A row of an index that projects everything only points at the item (``projected`` is None);
    other indexes hold copies of what they project. So a change of an item that does not move it
    costs such an index nothing.
    """

    __slots__ = (
        "body",
        "delete_sql",
        "hash",
        "insert_sql",
        "is_global",
        "key_names",
        "name",
        "number",
        "parts",
        "points",
        "projected",
        "put_sql",
        "range",
        "status",
    )

    def __init__(self, body: Body, types: dict[str, str], is_global: bool, base: list[str]) -> None:
        self.body = body
        self.name: str = body["IndexName"]
        self.number: int = body["number"]
        self.is_global = is_global
        self.status: str = body.get("IndexStatus", "ACTIVE")
        self.hash, self.range = _parts(body["KeySchema"], types)
        self.parts = self.hash + self.range
        self.key_names = [part.name for part in self.parts]
        projection = body["Projection"]
        self.projected: frozenset[str] | None = None
        if projection["ProjectionType"] != "ALL":
            extra = projection.get("NonKeyAttributes") or ()
            self.projected = frozenset((*base, *self.key_names, *extra))
        #: whether its rows are complete, and hold nothing but keys
        self.points = self.projected is None and self.status != "CREATING"
        columns = f"INTO x{self.number} (pk, sk, base_pk, base_sk, size, item)"
        self.put_sql = f"REPLACE {columns} VALUES (?, ?, ?, ?, ?, ?)"
        self.insert_sql = f"INSERT OR IGNORE {columns} VALUES (?, ?, ?, ?, ?, ?) RETURNING 1"
        self.delete_sql = (
            f"DELETE FROM x{self.number} WHERE pk=? AND sk=? AND base_pk=? AND base_sk=?"
        )

    def key_of(self, item: Item) -> Key | None:
        """Where ``item`` stands in this index; None if it lacks a usable key attribute."""
        if not self.holds(item):
            return None
        codes = [(kind, item[name][kind]) for name, kind in self.parts]
        count = len(self.hash)
        return partition_bytes(_code(codes[:count])), _code(codes[count:])

    def same_place(self, before: Item, after: Item) -> bool:
        """Whether an item stands in the same place of this index, or out of it, as before."""
        for name in self.key_names:  # noqa: SIM110 - a generator would cost more than the test
            if before.get(name) != after.get(name):
                return False
        return True

    def holds(self, item: Item) -> bool:
        """Whether ``item`` has usable values for all key attributes of this index."""
        for name, kind in self.parts:
            av = item.get(name)
            if av is None or not av.get(kind):
                return False
            if len(av[kind]) > SURELY_SHORT and self._too_long(name, av):
                return False
        return True

    def _too_long(self, name: str, av: dict[str, Any]) -> bool:
        # Written before the index existed: such items stay out of it, as on AWS.
        is_hash = any(part.name == name for part in self.hash)
        return value_size(av) > (MAX_HASH_KEY if is_hash else MAX_RANGE_KEY)

    def project(self, item: Item) -> Item:
        """The attributes of ``item`` that this index holds."""
        if self.projected is None:
            return item
        projected = self.projected
        return {name: av for name, av in item.items() if name in projected}


class Table:
    """A table as requests see it."""

    __slots__ = (
        "arn",
        "being_filled",
        "body",
        "delete_sql",
        "get_sql",
        "hash",
        "index_parts",
        "indexes",
        "key_names",
        "key_types",
        "local",
        "name",
        "number",
        "parts",
        "plans",
        "put_sql",
        "range",
        "recovery",
        "stream_label",
        "stream_view",
        "ttl",
        "types",
    )

    def __init__(self, body: Body) -> None:
        self.body = body
        self.name: str = body["TableName"]
        self.number: int = body["number"]
        self.arn: str = body["TableArn"]
        self.being_filled: bool = body.get("TableStatus") == "CREATING"
        self.types = {d["AttributeName"]: d["AttributeType"] for d in body["AttributeDefinitions"]}
        hash_parts, range_parts = _parts(body["KeySchema"], self.types)
        self.hash = hash_parts[0]
        self.range = range_parts[0] if range_parts else None
        self.parts = hash_parts + range_parts
        self.key_names = [part.name for part in self.parts]
        self.key_types = dict(self.parts)
        self.indexes: dict[str, Index] = {}
        for key, is_global in (("GlobalSecondaryIndexes", True), ("LocalSecondaryIndexes", False)):
            for each in body.get(key) or ():
                index = Index(each, self.types, is_global, self.key_names)
                self.indexes[index.name] = index
        #: name, type, index and key part of every key attribute of every index; by their names,
        #: because AWS names the first index that an attribute is wrong for
        self.index_parts = [
            (part.name, part.kind, index, part)
            for _, index in sorted(self.indexes.items())
            for part in index.parts
        ]
        self.local = any(not index.is_global for index in self.indexes.values())
        self.ttl: str | None = body.get("ttl")
        stream = body.get("StreamSpecification") or {}
        self.stream_view: str | None = (
            stream.get("StreamViewType") if stream.get("StreamEnabled") else None
        )
        self.stream_label: str | None = body.get("LatestStreamLabel")
        self.recovery: bool = bool(body.get("recovery"))
        #: what the queries have found out about those that are asked again and again
        self.plans: dict[Any, Any] = {}
        self.get_sql = f"SELECT size, item FROM t{self.number} WHERE pk=? AND sk=?"
        # Not REPLACE, which would take the old row out first and may rearrange pages twice.
        self.put_sql = (
            f"INSERT INTO t{self.number} (pk, sk, size, item) VALUES (?, ?, ?, ?) ON CONFLICT"
            " (pk, sk) DO UPDATE SET size = excluded.size, item = excluded.item"
        )
        self.delete_sql = f"DELETE FROM t{self.number} WHERE pk=? AND sk=?"

    # --- keys ------------------------------------------------------------------------

    def key_of(self, item: Item) -> Key:
        """The stored key of an item whose key attributes have been checked."""
        name, kind = self.hash
        pk = partition_bytes(key_bytes(kind, item[name][kind]))
        if self.range is None:
            return pk, b""
        name, kind = self.range
        return pk, key_bytes(kind, item[name][kind])

    def locate(self, key: Item) -> Key:
        """The stored key of a request's ``Key``, which must hold the key and nothing else."""
        parts = self.parts
        if len(key) != len(parts):
            raise validation(MISMATCH)
        codes = []
        for part in parts:
            name, kind = part
            av = key.get(name)
            if av is None or kind not in av:
                raise validation(MISMATCH)
            value = av[kind]
            if not value or len(value) > SURELY_SHORT:
                check_key_value(part, value, part is parts[0])
            codes.append(key_bytes(kind, value))
        return partition_bytes(codes[0]), codes[1] if len(codes) > 1 else b""

    def key_from(self, item: Item) -> Item:
        """Only the key attributes of an item."""
        return {name: item[name] for name in self.key_names}

    def check_item_keys(self, item: Item) -> None:
        """Refuse an item whose primary key is missing, of another type, empty or too long."""
        for part in self.parts:
            name, kind = part
            av = item.get(name)
            if av is None:
                raise invalid(f"Missing the key {name} in the item")
            if kind not in av:
                (actual,) = av
                raise invalid(f"Type mismatch for key {name} expected: {kind} actual: {actual}")
            value = av[kind]
            if not value or len(value) > SURELY_SHORT:
                check_key_value(part, value, part is self.parts[0])

    def refuse_nested_keys(self, names: frozenset[str]) -> None:
        """Key attributes are scalars: an expression that looks into one can never find anything."""
        if not names:
            return
        indexed = [name for index in self.indexes.values() for name in index.key_names]
        for word, keys in (("Key", self.key_names), ("IndexKey", indexed)):
            for name in keys:
                if name in names:
                    raise validation(
                        "Key attributes must be scalars; list random access '[]' and map lookup "
                        f"'.' are not allowed: {word}: {name}"
                    )

    def check_index_keys(self, item: Item, update: Update | None = None) -> None:
        """Refuse an item with an index key attribute that no index could hold.

        AWS has other words for what an ``update`` has made of it.
        """
        for name, kind, index, part in self.index_parts:
            av = item.get(name)
            if av is not None:
                value = av.get(kind)
                if not value or len(value) > SURELY_SHORT:
                    _check_index_value(index, part, av, update)


def _parts(
    key_schema: list[dict[str, str]], types: dict[str, str]
) -> tuple[list[KeyPart], list[KeyPart]]:
    split: dict[str, list[KeyPart]] = {"HASH": [], "RANGE": []}
    for element in key_schema:
        name = element["AttributeName"]
        split[element["KeyType"]].append(KeyPart(name, types[name]))
    return split["HASH"], split["RANGE"]


def _code(parts: list[tuple[str, str]]) -> bytes:
    if len(parts) == 1:
        return key_bytes(*parts[0])
    return joined_key_bytes(parts)


def code_of(parts: list[KeyPart], item: Item) -> bytes:
    """The byte code of several key attributes taken from ``item``."""
    return _code([(part.kind, item[part.name][part.kind]) for part in parts])


def check_key_value(part: KeyPart, value: str, is_hash: bool) -> None:
    """Refuse an empty or too long key value."""
    if not value and part.kind != "N":
        word = "string" if part.kind == "S" else "binary"
        raise EmptyKey("ValidationException", f"{_NOT_VALID}{_EMPTY.format(word)} Key: {part.name}")
    limit = MAX_HASH_KEY if is_hash else MAX_RANGE_KEY
    if value_size({part.kind: value}) > limit:
        if is_hash:
            raise invalid("Size of hashkey has exceeded the maximum size limit of2048 bytes")
        raise invalid("Aggregated size of all range keys has exceeded the size limit of 1024 bytes")


def _check_index_value(
    index: Index, part: KeyPart, av: dict[str, Any], update: Update | None
) -> None:
    # A value that stands in the request is refused as in a put.
    is_computed = update is not None and part.name in update.computed
    if part.kind not in av:
        if is_computed:
            raise validation(f"{_ATTEMPTED} to unsupported type")
        (actual,) = av
        raise invalid(
            f"Type mismatch for Index Key {part.name} Expected: {part.kind} Actual: {actual} "
            f"IndexName: {index.name}"
        )
    value = av[part.kind]
    if not value:
        empty = _EMPTY.format("string" if part.kind == "S" else "binary")
        if update is not None and part.name in update.attributes:
            text = (
                "The update expression attempted to update a secondary index key to a value that "
                f"is not supported. {empty}"
            )
        else:
            text = (
                f"A value specified for a secondary index key is not supported. {empty} "
                f"IndexName: {index.name}, IndexKey: {part.name}"
            )
        raise EmptyKey("ValidationException", _NOT_VALID + text)
    limit = MAX_HASH_KEY if part in index.hash else MAX_RANGE_KEY
    if len(value) > SURELY_SHORT and value_size(av) > limit:
        if is_computed:
            raise validation(f"{_ATTEMPTED} beyond allowed size limits")
        raise invalid(
            "Size of hashkey has exceeded the maximum size limit of2048 bytes"
            if part in index.hash
            else "Aggregated size of all range keys has exceeded the size limit of 1024 bytes"
        )
