"""What a component needs that follows a table's changes: the stream, and its own bookkeeping.

See :mod:`tablewright.client.feed`: checkpoints and marks are entities of some table of the model,
made where the model is declared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tablewright.client.feed.entities import is_own
from tablewright.deploy.templates.iam.arns import Arns
from tablewright.deploy.templates.iam.needs import Need
from tablewright.deploy.templates.iam.prefixes import leading_keys
from tablewright.model.errors import ModelError
from tablewright.model.table import Table

_STREAM = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
_BOOKKEEPING = (
    "BatchGetItem",
    "BatchWriteItem",
    "ConditionCheckItem",
    "GetItem",
    "PutItem",
    "UpdateItem",
)


#: To ask how far a consumer has come.
ASKING = ("GetItem",)


def feed_needs(tables: Iterable[Table], actions: Sequence[str] = _BOOKKEEPING) -> list[Need]:
    """Reading and writing the checkpoints, wherever the model keeps them."""
    return [
        Need(action, table, keys=leading_keys(entity.primary, entity))
        for table in tables
        for entity in table.entities.values()
        if is_own(entity)
        for action in actions
    ]


def stream_statements(tables: Sequence[Table], arns: Arns) -> list[dict[str, object]]:
    """Reading the streams of these tables."""
    for table in tables:
        if table.stream is None:
            raise ModelError(f"table {table.name} has no stream to follow: declare it with stream=")
    return [statement for table in tables for statement in _statements(table, arns)]


def _statements(table: Table, arns: Arns) -> list[dict[str, Any]]:
    name = re.sub(r"[^A-Za-z0-9]", "", table.name)
    return [
        {
            "Sid": f"{name}Stream",
            "Effect": "Allow",
            "Action": [f"dynamodb:{action}" for action in _STREAM],
            "Resource": arns.streams(table.name),
        },
        {
            # Which stream the table has now.
            "Sid": f"{name}Description",
            "Effect": "Allow",
            "Action": ["dynamodb:DescribeTable"],
            "Resource": arns.table(table.name),
        },
    ]
