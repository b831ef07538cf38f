"""Tables and streams by ARN, for the operations that name a *resource*: tags and policies."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from tablewright.engine.errors import AwsError, invalid, not_found, validation
from tablewright.engine.schema import Table
from tablewright.engine.streams.listing import Stream, is_stream_arn
from tablewright.engine.streams.listing import find as find_stream

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

_TABLE_ARN = re.compile(
    r"arn:[^:]+:dynamodb:[^:]*:(?P<account>[^:]*):table/(?P<name>[a-zA-Z0-9_.-]{3,255})(?P<rest>.*)"
).fullmatch


class Resource:
    """A well-formed ARN of a table, or of a stream where that is allowed, taken apart."""

    __slots__ = ("account", "arn", "is_stream", "name")

    def __init__(self, arn: str, *, streams: bool = False) -> None:
        if not arn.startswith("arn:"):
            raise invalid(f"ARNs must start with 'arn:': {arn}")
        match = _TABLE_ARN(arn)
        if match is None:
            if arn.split(":")[2:3] != ["dynamodb"]:
                raise invalid(f"Provided Arn is not a DynamoDB resource arn: {arn}")
            raise validation(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
        self.is_stream = streams and is_stream_arn(arn)
        if match["rest"] and not self.is_stream:
            raise invalid(
                "Invalid resource arn provided, only table or stream is accepted. "
                f"Provided resource arn: {arn}"
            )
        self.arn = arn
        self.account = match["account"]
        self.name = match["name"]

    def find(self, engine: Engine) -> Table | None:
        """The table, if it is one of this engine's."""
        table = engine.catalog.find(self.name)
        if table is None or self.account != table.arn.split(":")[4]:
            return None
        return table


def tagged_table(engine: Engine, resource: Resource, operation: str) -> Table:
    """The table whose tags an operation is about."""
    table = resource.find(engine)
    if table is not None:
        return table
    if resource.account != engine.account:
        _deny(engine, resource.arn, operation)
    raise not_found(f"Requested resource not found: ResourceArn: {resource.arn} not found")


def policy_owner(engine: Engine, arn: str) -> Table | Stream:
    """The table or the stream whose policy an operation is about."""
    resource = Resource(arn, streams=True)
    if resource.is_stream and resource.account == engine.account:
        return find_stream(engine, arn)
    table = resource.find(engine)
    if table is not None and not resource.is_stream:
        return table
    if resource.account != engine.account:
        raise validation(
            # The apostrophe is the service's own.
            "This action is only supported by accounts that match the resource owner’s account."  # noqa: RUF001
        )
    raise not_found(f"Requested resource not found: Table: {resource.name} not found")


def _deny(engine: Engine, arn: str, operation: str) -> NoReturn:
    action = f"dynamodb:{operation}"
    raise AwsError(
        "AccessDeniedException",
        f"User: arn:aws:iam::{engine.account}:root is not authorized to perform: {action} on "
        f"resource: {arn} because no resource-based policy allows the {action} action",
    )
