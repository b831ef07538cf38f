"""Tags of a table: TagResource, UntagResource, ListTagsOfResource."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tablewright.engine.errors import validation
from tablewright.engine.handler import Request, Response
from tablewright.engine.schema import Table
from tablewright.engine.storage.transaction import Transaction, Work
from tablewright.engine.tables.resources import Resource, tagged_table

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine


MAX_TAGS = 50
MAX_KEY = 128
MAX_VALUE = 256
#: All keys and values of a table together, in bytes.
MAX_BYTES = 10_240

_PUNCTUATION = frozenset("+-=._:/@")
_TOO_MANY = "Number of Tags exceed the current limit for the provided ResourceArn"


def check_tags(tags: Iterable[Request]) -> dict[str, str]:
    """The tags of a request as a dict, or the error that one of them deserves."""
    checked: dict[str, str] = {}
    for tag in tags:
        key, value = tag.get("Key"), tag.get("Value")
        _check_key(key)
        if value is None or len(value) > MAX_VALUE or not _is_legal(value):
            shown = "null" if value is None else value
            raise validation(f"The Tag Value provided is invalid, Value: {shown}")
        if key in checked:
            raise validation(f"Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}")
        checked[str(key)] = value
    if len(checked) > MAX_TAGS:
        raise validation(_TOO_MANY)
    return checked


def _check_key(key: str | None) -> None:
    if not key or len(key) > MAX_KEY or not _is_legal(key):
        raise validation(f"The Tag Key provided is invalid, Key: {'null' if key is None else key}")
    if key.lower().startswith("aws:"):
        raise validation(f"Tag Key cannot be prefixed with aws:, Key: {key}")


def _is_legal(text: str) -> bool:
    # Letters, digits and spaces of any script, and a few marks.
    return all(
        char in _PUNCTUATION
        or unicodedata.category(char)[0] in "LN"
        or unicodedata.category(char) == "Zs"
        for char in text
    )


def tag_resource(engine: Engine, request: Request, shape: object) -> Work:
    resource = Resource(request["ResourceArn"])
    if not request["Tags"]:
        raise validation("Atleast one Tag needs to be provided as Input.")
    new = check_tags(request["Tags"])
    table = tagged_table(engine, resource, "TagResource")

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        tags = {**tags_of(table), **new}
        if len(tags) > MAX_TAGS:
            raise validation(_TOO_MANY)
        size = sum(len(text.encode()) for pair in tags.items() for text in pair)
        if size > MAX_BYTES:
            raise validation(
                f"Tag set size {size} bytes is above max size limit of {MAX_BYTES} bytes"
            )
        engine.catalog.save(transaction, {**table.body, "tags": tags})
        return {}

    return work


def untag_resource(engine: Engine, request: Request, shape: object) -> Work:
    resource = Resource(request["ResourceArn"])
    keys: list[str] = request["TagKeys"]
    if not keys:
        raise validation("Atleast one Tag Key needs to be provided as Input.")
    for key in keys:
        _check_key(key)
    if len(keys) > MAX_TAGS:
        raise validation(_TOO_MANY)
    table = tagged_table(engine, resource, "UntagResource")

    def work(transaction: Transaction) -> Response:
        engine.catalog.check_current(table)
        kept = {key: value for key, value in tags_of(table).items() if key not in keys}
        engine.catalog.save(transaction, {**table.body, "tags": kept})
        return {}

    return work


def list_tags_of_resource(engine: Engine, request: Request, shape: object) -> Response:
    table = tagged_table(engine, Resource(request["ResourceArn"]), "ListTagsOfResource")
    # All tags fit into one answer, and a token that was never given out is ignored.
    return {"Tags": [{"Key": key, "Value": value} for key, value in tags_of(table).items()]}


def tags_of(table: Table) -> dict[str, str]:
    tags: dict[str, str] = table.body.get("tags") or {}
    return tags


OPERATIONS = {
    "TagResource": (tag_resource, True),
    "UntagResource": (untag_resource, True),
    "ListTagsOfResource": (list_tags_of_resource, False),
}
