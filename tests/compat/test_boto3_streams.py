"""boto3's dynamodbstreams client, and what TTL leaves in a stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.compat.conftest import Local

from tablewright.engine.expiry.sweep import sweep

MakeTable = Callable[..., str]


def records(streams: Any, arn: str, **start: Any) -> list[dict[str, Any]]:
    """Every record of the stream's shards."""
    description = streams.describe_stream(StreamArn=arn)["StreamDescription"]
    found = []
    for shard in description["Shards"]:
        iterator = streams.get_shard_iterator(
            StreamArn=arn,
            ShardId=shard["ShardId"],
            **(start or {"ShardIteratorType": "TRIM_HORIZON"}),
        )["ShardIterator"]
        while iterator:
            answer = streams.get_records(ShardIterator=iterator, Limit=2)
            found += answer["Records"]
            iterator = answer.get("NextShardIterator") if answer["Records"] else None
    return found


@pytest.fixture
def table(make_table: MakeTable) -> str:
    return make_table(
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    )


def test_every_change_in_order(client: Any, streams: Any, table: str) -> None:
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    for number in range(3):
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "n": {"N": str(number)}})
    client.put_item(TableName=table, Item={"pk": {"S": "a"}, "n": {"N": "2"}})  # no change
    client.delete_item(TableName=table, Key={"pk": {"S": "a"}})
    found = records(streams, arn)
    assert [record["eventName"] for record in found] == ["INSERT", "MODIFY", "MODIFY", "REMOVE"]
    change = found[1]["dynamodb"]
    assert change["Keys"] == {"pk": {"S": "a"}}
    assert change["OldImage"]["n"] == {"N": "0"}
    assert change["NewImage"]["n"] == {"N": "1"}
    assert change["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert change["SizeBytes"] > 0
    assert change["ApproximateCreationDateTime"].year >= 2025
    numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in found]
    assert numbers == sorted(set(numbers))
    after = records(
        streams,
        arn,
        ShardIteratorType="AFTER_SEQUENCE_NUMBER",
        SequenceNumber=str(numbers[1]).zfill(21),
    )
    assert [record["eventName"] for record in after] == ["MODIFY", "REMOVE"]


def test_list_streams(client: Any, streams: Any, table: str) -> None:
    (found,) = streams.list_streams(TableName=table)["Streams"]
    described = client.describe_table(TableName=table)["Table"]
    assert found["StreamArn"] == described["LatestStreamArn"]
    assert found["StreamLabel"] == described["LatestStreamLabel"]


def test_errors(streams: Any, client: Any, table: str) -> None:
    arn = client.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    with pytest.raises(streams.exceptions.ResourceNotFoundException):
        streams.describe_stream(StreamArn=arn.replace(table, table + "-no"))
    with pytest.raises(streams.exceptions.ClientError, match="Invalid ShardIterator"):
        streams.get_records(ShardIterator="not-an-iterator")


def test_an_expired_item_leaves_by_the_service(local: Local) -> None:
    client = local.client()
    created = client.create_table(
        TableName="Expiring",
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"},
    )
    client.update_time_to_live(
        TableName="Expiring", TimeToLiveSpecification={"Enabled": True, "AttributeName": "end"}
    )
    due = str(int(local.clock.now()) + 60)
    client.put_item(TableName="Expiring", Item={"pk": {"S": "a"}, "end": {"N": due}})
    local.clock.advance(61)
    assert sweep(local.engine) == 1
    found = records(local.client("dynamodbstreams"), created["TableDescription"]["LatestStreamArn"])
    assert found[-1]["eventName"] == "REMOVE"
    assert found[-1]["userIdentity"] == {
        "PrincipalId": "dynamodb.amazonaws.com",
        "Type": "Service",
    }
