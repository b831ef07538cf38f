"""boto3 in front of an engine, in one process."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from typing import Any

import boto3
import botocore.session
import pytest
from boto3.dynamodb.conditions import Key
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionClosedError, HTTPClientError

from tablewright.engine import Engine, Fault
from tablewright.testing import connect, injected, patched, sdk

TABLE = {
    "TableName": "Music",
    "KeySchema": [
        {"AttributeName": "artist", "KeyType": "HASH"},
        {"AttributeName": "song", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "artist", "AttributeType": "S"},
        {"AttributeName": "song", "AttributeType": "S"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
}
ITEM = {"artist": {"S": "Nina"}, "song": {"S": "Sinnerman"}, "bytes": {"B": b"\x00\xff"}}
NO_RETRIES = Config(retries={"max_attempts": 0})


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as engine:
        engine.call("CreateTable", TABLE)
        yield engine


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials, no region, and no network to find any on."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("somebody wanted to use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


class TestConnect:
    def test_a_new_client(self, engine: Engine) -> None:
        client = connect(engine)
        client.put_item(TableName="Music", Item=ITEM)
        key = {name: ITEM[name] for name in ("artist", "song")}
        assert client.get_item(TableName="Music", Key=key)["Item"] == ITEM
        assert engine.call("Scan", {"TableName": "Music"})["Count"] == 1

    def test_the_answers_have_what_botocore_adds(self, engine: Engine) -> None:
        metadata = connect(engine).list_tables()["ResponseMetadata"]
        assert metadata["HTTPStatusCode"] == 200
        assert len(metadata["RequestId"]) == 52
        assert metadata["RetryAttempts"] == 0

    def test_errors_are_botocores_own(self, engine: Engine) -> None:
        client = connect(engine)
        client.put_item(TableName="Music", Item=ITEM)
        with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
            client.put_item(
                TableName="Music",
                Item=ITEM,
                ConditionExpression="attribute_not_exists(artist)",
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        assert caught.value.response["Item"] == ITEM
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.scan(TableName="Nowhere")

    def test_waiters_and_paginators_work(self, engine: Engine) -> None:
        client = connect(engine)
        client.get_waiter("table_exists").wait(TableName="Music")
        for number in range(5):
            client.put_item(TableName="Music", Item={**ITEM, "song": {"S": str(number)}})
        pages = client.get_paginator("scan").paginate(TableName="Music", Limit=2)
        assert [page["Count"] for page in pages] == [2, 2, 1]

    def test_a_clients_own_engine(self, engine: Engine) -> None:
        with Engine.memory() as other:
            first, second = connect(engine), connect(other)
            assert first.list_tables()["TableNames"] == ["Music"]
            assert second.list_tables()["TableNames"] == []

    def test_a_given_client(self, engine: Engine) -> None:
        client = boto3.client("dynamodb", region_name="eu-west-1")
        assert connect(engine, client) is client
        assert client.list_tables()["TableNames"] == ["Music"]

    def test_the_last_engine_counts(self, engine: Engine) -> None:
        with Engine.memory() as other:
            client = connect(other, connect(engine))
            assert client.list_tables()["TableNames"] == []

    def test_a_given_resource(self, engine: Engine) -> None:
        resource = boto3.resource("dynamodb", region_name="eu-west-1")
        table = connect(engine, resource).Table("Music")
        table.put_item(Item={"artist": "Nina", "song": "Sinnerman", "year": 1965})
        found = table.query(KeyConditionExpression=Key("artist").eq("Nina"))
        assert found["Items"] == [{"artist": "Nina", "song": "Sinnerman", "year": 1965}]
        with table.batch_writer() as batch:
            batch.delete_item(Key={"artist": "Nina", "song": "Sinnerman"})
        assert table.scan()["Count"] == 0

    @pytest.mark.parametrize("make", [boto3.Session, botocore.session.Session])
    def test_a_given_session(self, engine: Engine, make: Any) -> None:
        session = make()
        assert connect(engine, session) is session
        create = session.client if hasattr(session, "client") else session.create_client
        for service, call in (("dynamodb", "list_tables"), ("dynamodbstreams", "list_streams")):
            client = create(service, region_name="eu-west-1")
            assert getattr(client, call)()["ResponseMetadata"]["HTTPStatusCode"] == 200

    def test_anything_else_is_refused(self, engine: Engine) -> None:
        with pytest.raises(TypeError, match="not a boto3 or botocore client"):
            connect(engine, object())

    def test_streams(self, engine: Engine) -> None:
        connect(engine).put_item(TableName="Music", Item=ITEM)
        streams = connect(engine, sdk.new_client(engine, "dynamodbstreams"))
        (stream,) = streams.list_streams(TableName="Music")["Streams"]
        arn = stream["StreamArn"]
        shards = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
        records = []
        for shard in shards:
            iterator = streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            records += streams.get_records(ShardIterator=iterator)["Records"]
        assert [record["dynamodb"]["NewImage"] for record in records] == [ITEM]

    def test_without_boto3_the_error_says_what_to_do(
        self, engine: Engine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(__import__("sys").modules, "boto3", None)
        with pytest.raises(ImportError, match="pip install boto3"):
            connect(engine)
        with pytest.raises(ImportError, match="pip install boto3"), patched():
            pass


class TestFaults:
    def test_a_dropped_connection_looks_like_one(self, engine: Engine) -> None:
        client = boto3.client("dynamodb", region_name="x", config=NO_RETRIES)
        connect(engine, client)
        with injected(engine, Fault("PutItem", drop=True)), pytest.raises(ConnectionClosedError):
            client.put_item(TableName="Music", Item=ITEM)
        client.put_item(TableName="Music", Item=ITEM)

    def test_botocore_tries_again(self, engine: Engine) -> None:
        client = connect(engine)
        faults = (
            Fault("PutItem", error="InternalServerError", times=1),
            Fault("PutItem", drop=True, times=2),
        )
        with injected(engine, *faults):
            answer = client.put_item(TableName="Music", Item=ITEM)
        assert answer["ResponseMetadata"]["RetryAttempts"] == 2

    def test_faults_end_with_the_block(self, engine: Engine) -> None:
        client = boto3.client("dynamodb", region_name="x", config=NO_RETRIES)
        connect(engine, client)
        with injected(engine, Fault("ListTables", error="ThrottlingException")):
            with injected(engine, Fault("DescribeLimits", error="ThrottlingException")):
                with pytest.raises(ClientError):
                    client.describe_limits()
                with pytest.raises(ClientError):
                    client.list_tables()
            client.describe_limits()
            with pytest.raises(ClientError):
                client.list_tables()
        client.list_tables()
        assert engine.faults is None


class TestPatched:
    def test_every_client_made_inside(self) -> None:
        with patched() as engine:
            boto3.client("dynamodb").create_table(**TABLE)
            assert engine.call("ListTables", {})["TableNames"] == ["Music"]
            table = boto3.resource("dynamodb").Table("Music")
            table.put_item(Item={"artist": "Nina", "song": "Sinnerman"})
            assert boto3.Session().client("dynamodb").scan(TableName="Music")["Count"] == 1
            assert len(boto3.client("dynamodbstreams").list_streams()["Streams"]) == 1
            plain = botocore.session.Session().create_client("dynamodb")
            assert plain.list_tables()["TableNames"] == ["Music"]

    def test_a_given_engine_stays_open(self, engine: Engine) -> None:
        with patched(engine) as same:
            assert same is engine
            assert boto3.client("dynamodb").list_tables()["TableNames"] == ["Music"]
        assert engine.call("ListTables", {})["TableNames"] == ["Music"]

    def test_the_endpoint_of_the_code_under_test_does_not_matter(self) -> None:
        with patched():
            client = boto3.client(
                "dynamodb",
                "ap-south-1",
                endpoint_url="http://localhost:1",
                aws_access_key_id="mine",
                aws_secret_access_key="mine",
            )
            assert client.list_tables()["TableNames"] == []
            assert client.meta.region_name == "ap-south-1"

    def test_regions_that_are_given_are_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with patched() as engine:
            assert boto3.client("dynamodb").meta.region_name == engine.region
            config = Config(region_name="eu-north-1")
            assert boto3.client("dynamodb", config=config).meta.region_name == "eu-north-1"
            monkeypatch.setenv("AWS_DEFAULT_REGION", "sa-east-1")
            assert boto3.Session().client("dynamodb").meta.region_name == "sa-east-1"

    def test_blocks_within_blocks(self, engine: Engine) -> None:
        with patched(engine):
            outer = boto3.client("dynamodb")
            with patched():
                assert boto3.client("dynamodb").list_tables()["TableNames"] == []
                assert outer.list_tables()["TableNames"] == ["Music"]
            assert boto3.client("dynamodb").list_tables()["TableNames"] == ["Music"]

    def test_a_client_from_a_block_that_is_over_does_not_reach_the_network(self) -> None:
        with patched():
            client = boto3.client("dynamodb")
        with pytest.raises(RuntimeError, match="block that is over"):
            client.list_tables()

    def test_afterwards_everything_is_as_before(self) -> None:
        before = botocore.session.Session.create_client
        with patched():
            assert botocore.session.Session.create_client is not before
        assert botocore.session.Session.create_client is before

    def test_clients_made_before_are_meant_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
        client, resource = boto3.client("dynamodb"), boto3.resource("dynamodb")
        streams = boto3.client("dynamodbstreams")
        for _ in range(2):
            # An engine of its own each time: nothing is left from the block before.
            with patched():
                assert client.list_tables()["TableNames"] == []
                client.create_table(**TABLE)
                resource.Table("Music").put_item(Item={"artist": "Nina", "song": "x"})
                assert resource.Table("Music").scan()["Count"] == 1
                assert len(streams.list_streams()["Streams"]) == 1

    def test_a_client_of_an_earlier_block_works_in_a_later_one(self) -> None:
        with patched():
            client = boto3.client("dynamodb")
            client.create_table(**TABLE)
        with patched():
            assert client.list_tables()["TableNames"] == []

    def test_other_services_and_clients_with_an_endpoint_are_left_alone(self) -> None:
        options: Any = {
            "aws_access_key_id": "k",
            "aws_secret_access_key": "s",
            "region_name": "us-east-1",
            "endpoint_url": "http://127.0.0.1:1",
            "config": NO_RETRIES,
        }
        earlier = boto3.client("dynamodb", **options)
        with patched():
            other = boto3.client("sqs", **options)
            for call in (earlier.list_tables, other.list_queues):
                with pytest.raises(HTTPClientError, match="use the network"):
                    call()
