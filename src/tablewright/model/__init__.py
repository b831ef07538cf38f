"""Declare a DynamoDB data model once, in Python.

Tables and indexes (:class:`Table`, :class:`Index`), entities with keys (:class:`Entity`,
:class:`Key`), and named access patterns (:func:`get`, :func:`query`, :func:`write` and so on). A
pattern call makes an op; :mod:`tablewright.client` runs it. All errors are drawn in
:mod:`tablewright.model.errors`.
"""

from pydantic import Field

from tablewright.clock import UlidSource
from tablewright.model.counter import Counter, increment, shard_of
from tablewright.model.definition import definition
from tablewright.model.entity import Entity
from tablewright.model.expressions.attributes import Attr, attr
from tablewright.model.expressions.conditions import Condition
from tablewright.model.expressions.operands import param
from tablewright.model.expressions.places import some
from tablewright.model.facts import CopyOf, CountOf, RefersTo, Secret
from tablewright.model.keys import Key
from tablewright.model.making import check, delete, put, update
from tablewright.model.model import Model
from tablewright.model.ops import (
    Batch,
    Check,
    Delete,
    Get,
    InTransaction,
    Op,
    PageOp,
    Put,
    Transaction,
    Update,
    together,
)
from tablewright.model.pattern import Pattern, Range, Rate
from tablewright.model.projection import Projection
from tablewright.model.queries import count, find, query
from tablewright.model.reads import collect, get, scan, total
from tablewright.model.table import Binary, Index, Number, OnDemand, Provisioned, Table
from tablewright.model.types import (
    Attribute,
    EpochMillis,
    EpochSeconds,
    IsoMillis,
    IsoSeconds,
    Personal,
    Shaped,
    Shard,
    Ttl,
    Ulid,
    Uuid,
    Version,
)
from tablewright.model.unique import Unique
from tablewright.model.writing import batch, transaction, write

#: Makes ids by the machine's time; a test that moves the clock makes its own ``UlidSource``.
new_ulid = UlidSource()

__all__ = [
    "Attr",
    "Attribute",
    "Batch",
    "Binary",
    "Check",
    "Condition",
    "CopyOf",
    "CountOf",
    "Counter",
    "Delete",
    "Entity",
    "EpochMillis",
    "EpochSeconds",
    "Field",
    "Get",
    "InTransaction",
    "Index",
    "IsoMillis",
    "IsoSeconds",
    "Key",
    "Model",
    "Number",
    "OnDemand",
    "Op",
    "PageOp",
    "Pattern",
    "Personal",
    "Projection",
    "Provisioned",
    "Put",
    "Range",
    "Rate",
    "RefersTo",
    "Secret",
    "Shaped",
    "Shard",
    "Table",
    "Transaction",
    "Ttl",
    "Ulid",
    "Unique",
    "Update",
    "Uuid",
    "Version",
    "attr",
    "batch",
    "check",
    "collect",
    "count",
    "definition",
    "delete",
    "find",
    "get",
    "increment",
    "new_ulid",
    "param",
    "put",
    "query",
    "scan",
    "shard_of",
    "some",
    "together",
    "total",
    "transaction",
    "update",
    "write",
]
