"""The other clients, each used as its documentation shows.

None of them does all that the typed client does. PynamoDB fills models; boto3's resource and
aiodynamo fill dicts of Python values, without times; boto3's client leaves DynamoDB's own JSON as
it is, and is here to show what botocore alone costs.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import aiohttp
import boto3
from aiodynamo.client import Client as AioClient
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.expressions import HashKey
from aiodynamo.http.aiohttp import AIOHTTP
from aiodynamo.models import BatchWriteRequest
from boto3.dynamodb.conditions import Key as BotoKey
from boto3.dynamodb.types import TypeDeserializer
from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.models import Model
from yarl import URL

from benchmarks.client.clients import AsyncClient, Client
from benchmarks.client.workload import TABLE, Place, item

REGION = "us-east-1"
KEYS = {"aws_access_key_id": "benchmark", "aws_secret_access_key": "benchmark"}

_read = TypeDeserializer().deserialize


def values(place: Place) -> dict[str, Any]:
    """The item as a dict of Python values."""
    return {name: _read(av) for name, av in item(place).items()}


class Boto3Resource(Client):
    name = "boto3 resource"
    version = boto3.__version__

    def __init__(self, url: str) -> None:
        resource = boto3.resource("dynamodb", region_name=REGION, endpoint_url=url, **KEYS)
        self._table = resource.Table(TABLE)

    def thing(self, place: Place) -> dict[str, Any]:
        return values(place)

    def plain(self, answer: Any) -> dict[str, Any]:
        return dict(answer)

    def get(self, place: Place) -> Any:
        return self._table.get_item(Key={"pk": place.pk, "sk": place.sk})["Item"]

    def put(self, thing: dict[str, Any]) -> None:
        self._table.put_item(Item=thing)

    def query(self, place: Place) -> Any:
        return self._table.query(KeyConditionExpression=BotoKey("pk").eq(place.pk))["Items"]

    def batch(self, things: Sequence[dict[str, Any]]) -> None:
        with self._table.batch_writer() as writer:
            for thing in things:
                writer.put_item(Item=thing)


class Boto3Client(Client):
    name = "boto3 client"
    version = boto3.__version__

    def __init__(self, url: str) -> None:
        self._client = boto3.client("dynamodb", region_name=REGION, endpoint_url=url, **KEYS)

    def thing(self, place: Place) -> dict[str, Any]:
        return item(place)

    def plain(self, answer: Any) -> dict[str, Any]:
        return {name: _read(av) for name, av in answer.items()}

    def get(self, place: Place) -> Any:
        key = {"pk": {"S": place.pk}, "sk": {"S": place.sk}}
        return self._client.get_item(TableName=TABLE, Key=key)["Item"]

    def put(self, thing: dict[str, Any]) -> None:
        self._client.put_item(TableName=TABLE, Item=thing)

    def query(self, place: Place) -> Any:
        return self._client.query(
            TableName=TABLE,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": place.pk}},
        )["Items"]

    def batch(self, things: Sequence[dict[str, Any]]) -> None:
        requests = [{"PutRequest": {"Item": thing}} for thing in things]
        self._client.batch_write_item(RequestItems={TABLE: requests})


class PynamoAddress(MapAttribute[str, Any]):
    city = UnicodeAttribute()
    zip = UnicodeAttribute()


class PynamoOrder(Model):
    class Meta:
        table_name = TABLE
        region = REGION
        host = ""
        aws_access_key_id = KEYS["aws_access_key_id"]
        aws_secret_access_key = KEYS["aws_secret_access_key"]

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    entity_type = UnicodeAttribute()
    customer_id = UnicodeAttribute()
    order_id = UnicodeAttribute()
    serial = NumberAttribute()
    price = NumberAttribute()
    # Its own attribute for times stores another text.
    placed_at = UnicodeAttribute()
    paid = BooleanAttribute()
    status = UnicodeAttribute()
    tags = UnicodeSetAttribute()
    lines: ListAttribute[Any] = ListAttribute(of=UnicodeAttribute)
    address = PynamoAddress()  # type: ignore[no-untyped-call]
    note = UnicodeAttribute()


class Pynamo(Client):
    name = "PynamoDB"
    version = importlib.metadata.version("pynamodb")

    def __init__(self, url: str) -> None:
        PynamoOrder.Meta.host = url

    def thing(self, place: Place) -> PynamoOrder:
        given = values(place)
        given["price"] = float(given["price"])
        given["serial"] = int(given["serial"])
        given["address"] = PynamoAddress(**given["address"])  # type: ignore[no-untyped-call]
        return PynamoOrder(**given)

    def plain(self, answer: Any) -> dict[str, Any]:
        found = dict(answer.attribute_values)
        found["address"] = dict(found["address"].attribute_values)
        found["price"] = Decimal(str(found["price"]))
        return found

    def get(self, place: Place) -> PynamoOrder:
        return PynamoOrder.get(place.pk, place.sk)

    def put(self, thing: PynamoOrder) -> None:
        thing.save()

    def query(self, place: Place) -> list[PynamoOrder]:
        return list(PynamoOrder.query(place.pk))

    def batch(self, things: Sequence[PynamoOrder]) -> None:
        with PynamoOrder.batch_write() as writer:
            for thing in things:
                writer.save(thing)


class Aiodynamo(AsyncClient):
    name = "aiodynamo"
    version = importlib.metadata.version("aiodynamo")

    def __init__(self, url: str) -> None:
        super().__init__()
        self._runner.run(self._open(url))

    async def _open(self, url: str) -> None:
        self._session = aiohttp.ClientSession()
        credentials = StaticCredentials(
            Key(KEYS["aws_access_key_id"], KEYS["aws_secret_access_key"])
        )
        self._client = AioClient(AIOHTTP(self._session), credentials, REGION, URL(url))
        self._table = self._client.table(TABLE)

    def thing(self, place: Place) -> dict[str, Any]:
        return values(place)

    def plain(self, answer: Any) -> dict[str, Any]:
        return dict(answer) | {"price": Decimal(str(answer["price"]))}

    async def get(self, place: Place) -> Any:
        return await self._table.get_item({"pk": place.pk, "sk": place.sk})

    async def put(self, thing: dict[str, Any]) -> None:
        await self._table.put_item(thing)

    async def query(self, place: Place) -> list[Any]:
        return [found async for found in self._table.query(HashKey("pk", place.pk))]

    async def batch(self, things: Sequence[dict[str, Any]]) -> None:
        await self._client.batch_write({TABLE: BatchWriteRequest(items_to_put=list(things))})

    async def close_now(self) -> None:
        await self._session.close()
