"""Small tables and items that the engine's tests are about."""

from __future__ import annotations

from typing import Any


def simple_table(name: str = "Simple", **more: Any) -> dict[str, Any]:
    """A CreateTable request: a string partition key ``pk``."""
    return {
        "TableName": name,
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def composite_table(name: str = "Composite", sort: str = "S", **more: Any) -> dict[str, Any]:
    """A CreateTable request: ``pk`` (S) and ``sk`` (of type ``sort``)."""
    definitions = [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": sort},
        *more.pop("AttributeDefinitions", ()),
    ]
    return {
        "TableName": name,
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "AttributeDefinitions": definitions,
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


def index(name: str, *keys: str, projection: str = "ALL", include: tuple[str, ...] = ()) -> Any:
    """One index of a CreateTable request: the first key is the partition key."""
    types = ["HASH"] + ["RANGE"] * (len(keys) - 1)
    described: dict[str, Any] = {"ProjectionType": projection}
    if include:
        described["NonKeyAttributes"] = list(include)
    return {
        "IndexName": name,
        "KeySchema": [
            {"AttributeName": key, "KeyType": kind} for key, kind in zip(keys, types, strict=True)
        ],
        "Projection": described,
    }


def strings(**attributes: str) -> dict[str, Any]:
    """An item of string attributes."""
    return {name: {"S": value} for name, value in attributes.items()}
