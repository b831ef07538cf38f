"""boto3's low-level client: the whole data plane in wire shapes, paginators, waiters."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError, WaiterError

MakeTable = Callable[..., str]

EVERY_TYPE = {
    "string": {"S": "Gr\u00fc\u00dfe \U0001f600 \u0000"},
    "empty": {"S": ""},
    "number": {"N": "-123.000000000000000000000000000000000045"[:40]},
    "large": {"N": "9.9999999999999999999999999999999999999E+125"},
    "small": {"N": "1E-130"},
    "binary": {"B": b"\x00\x01\xff"},
    "no bytes": {"B": b""},
    "true": {"BOOL": True},
    "false": {"BOOL": False},
    "null": {"NULL": True},
    "strings": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2.5"]},
    "binaries": {"BS": [b"\x00", b"\xff"]},
    "list": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"NULL": True}]},
    "map": {"M": {"a": {"M": {"b": {"L": [{"M": {}}]}}}, "\u00e4": {"S": "y"}}},
}


def gsi(name: str, *keys: str) -> dict[str, Any]:
    roles = ["HASH", "RANGE"]
    return {
        "IndexName": name,
        "KeySchema": [
            {"AttributeName": key, "KeyType": role} for key, role in zip(keys, roles, strict=False)
        ],
        "Projection": {"ProjectionType": "ALL"},
    }


class TestTables:
    def test_the_life_of_a_table(self, client: Any, name: str) -> None:
        created = client.create_table(
            TableName=name,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 2},
        )["TableDescription"]
        assert created["TableName"] == name
        client.get_waiter("table_exists").wait(
            TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 5}
        )
        table = client.describe_table(TableName=name)["Table"]
        assert table["TableStatus"] == "ACTIVE"
        assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
        # botocore turns the epoch seconds into a datetime with a time zone.
        assert table["CreationDateTime"].tzinfo is not None
        assert client.describe_table(TableName=table["TableArn"])["Table"] == table
        assert client.delete_table(TableName=name)["TableDescription"]["TableStatus"] == "DELETING"
        client.get_waiter("table_not_exists").wait(
            TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 5}
        )
        with pytest.raises(client.exceptions.ResourceNotFoundException):
            client.describe_table(TableName=name)

    def test_a_waiter_gives_up_on_a_table_that_never_comes(self, client: Any, name: str) -> None:
        with pytest.raises(WaiterError):
            client.get_waiter("table_exists").wait(
                TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 1}
            )

    def test_list_tables_in_pages(self, client: Any, make_table: MakeTable) -> None:
        made = {make_table() for _ in range(5)}
        pages = list(client.get_paginator("list_tables").paginate(PaginationConfig={"PageSize": 2}))
        assert all(len(page["TableNames"]) <= 2 for page in pages)
        assert made <= {table for page in pages for table in page["TableNames"]}

    def test_an_index_is_added_and_removed(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        client.put_item(TableName=table, Item={"pk": {"S": "a"}, "colour": {"S": "o"}})
        client.update_table(
            TableName=table,
            AttributeDefinitions=[{"AttributeName": "colour", "AttributeType": "S"}],
            GlobalSecondaryIndexUpdates=[{"Create": gsi("by-colour", "colour")}],
        )
        client.get_waiter("table_exists").wait(TableName=table)
        for _ in range(100):
            (index,) = client.describe_table(TableName=table)["Table"]["GlobalSecondaryIndexes"]
            if index["IndexStatus"] == "ACTIVE":
                break
        found = client.query(
            TableName=table,
            IndexName="by-colour",
            KeyConditionExpression="colour = :o",
            ExpressionAttributeValues={":o": {"S": "o"}},
        )
        assert [item["pk"]["S"] for item in found["Items"]] == ["a"]
        client.update_table(
            TableName=table,
            GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-colour"}}],
        )

    def test_tags_protection_and_endpoints(self, client: Any, make_table: MakeTable) -> None:
        table = make_table(Tags=[{"Key": "team", "Value": "a"}], DeletionProtectionEnabled=True)
        arn = client.describe_table(TableName=table)["Table"]["TableArn"]
        client.tag_resource(ResourceArn=arn, Tags=[{"Key": "more", "Value": "b"}])
        client.untag_resource(ResourceArn=arn, TagKeys=["team"])
        (page,) = client.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn)
        assert page["Tags"] == [{"Key": "more", "Value": "b"}]
        with pytest.raises(ClientError, match="deletion protection"):
            client.delete_table(TableName=table)
        client.update_table(TableName=table, DeletionProtectionEnabled=False)
        assert client.describe_limits()["TableMaxReadCapacityUnits"] > 0
        assert client.describe_endpoints()["Endpoints"]

    def test_time_to_live(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        client.update_time_to_live(
            TableName=table,
            TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"},
        )
        description = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
        assert description == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}

    def test_continuous_backups_and_a_backup(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        client.update_continuous_backups(
            TableName=table,
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )
        found = client.describe_continuous_backups(TableName=table)
        recovery = found["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]
        assert recovery["PointInTimeRecoveryStatus"] == "ENABLED"
        details = client.create_backup(TableName=table, BackupName="first")["BackupDetails"]
        pages = client.get_paginator("list_backups").paginate(TableName=table)
        listed = [each["BackupArn"] for page in pages for each in page["BackupSummaries"]]
        assert listed == [details["BackupArn"]]


class TestItems:
    def test_every_type_comes_back_as_it_was(self, client: Any, make_table: MakeTable) -> None:
        table = make_table("B", "N")
        item = {"pk": {"B": b"\x00key"}, "sk": {"N": "7"}, **EVERY_TYPE}
        client.put_item(TableName=table, Item=item)
        key = {"pk": item["pk"], "sk": item["sk"]}
        back = client.get_item(TableName=table, Key=key, ConsistentRead=True)["Item"]
        for attribute, (given,) in ((a, v.items()) for a, v in item.items()):
            kind, value = given
            if kind in ("SS", "NS", "BS"):
                assert sorted(back[attribute][kind]) == sorted(value)
            elif kind == "N":
                assert float(back[attribute]["N"]) == float(value)
            else:
                assert back[attribute] == {kind: value}, attribute
        # Numbers are spelt out, as AWS does.
        assert back["large"]["N"] == "99999999999999999999999999999999999999" + "0" * 88

    def test_a_missing_item_is_no_error(self, client: Any, make_table: MakeTable) -> None:
        answer = client.get_item(TableName=make_table(), Key={"pk": {"S": "none"}})
        assert "Item" not in answer
        assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200
        assert answer["ResponseMetadata"]["RequestId"]

    def test_update_returns_what_was_asked_for(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        key = {"pk": {"S": "a"}}

        def update(expression: str, returns: str, **values: Any) -> Any:
            return client.update_item(
                TableName=table,
                Key=key,
                UpdateExpression=expression,
                ReturnValues=returns,
                **({"ExpressionAttributeValues": values} if values else {}),
            ).get("Attributes")

        one = {":one": {"N": "1"}}
        assert update("SET n = :one, m = :one", "ALL_NEW", **one) == {
            **key,
            "n": {"N": "1"},
            "m": {"N": "1"},
        }
        assert update("SET n = n + :one", "UPDATED_OLD", **one) == {"n": {"N": "1"}}
        assert update("ADD n :one", "UPDATED_NEW", **one) == {"n": {"N": "3"}}
        assert update("REMOVE m", "NONE") is None
        assert update("SET x = if_not_exists(x, :one)", "ALL_OLD", **one) == {
            **key,
            "n": {"N": "3"},
        }
        old = client.delete_item(TableName=table, Key=key, ReturnValues="ALL_OLD")["Attributes"]
        assert old == {**key, "n": {"N": "3"}, "x": {"N": "1"}}

    def test_conditions(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        item = {"pk": {"S": "a"}, "v": {"N": "1"}}
        client.put_item(TableName=table, Item=item, ConditionExpression="attribute_not_exists(pk)")
        with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
            client.put_item(
                TableName=table,
                Item=item,
                ConditionExpression="#v > :v",
                ExpressionAttributeNames={"#v": "v"},
                ExpressionAttributeValues={":v": {"N": "1"}},
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        error = caught.value.response
        assert error["Error"] == {
            "Code": "ConditionalCheckFailedException",
            "Message": "The conditional request failed",
        }
        assert error["Item"] == item
        assert error["ResponseMetadata"]["HTTPStatusCode"] == 400

    def test_capacity_and_collection_metrics(self, client: Any, make_table: MakeTable) -> None:
        local = {**gsi("by-lsi", "pk", "lsi")}
        table = make_table(
            "S",
            "S",
            AttributeDefinitions=[{"AttributeName": "lsi", "AttributeType": "S"}],
            LocalSecondaryIndexes=[local],
        )
        answer = client.put_item(
            TableName=table,
            Item={"pk": {"S": "a"}, "sk": {"S": "b"}, "lsi": {"S": "c"}},
            ReturnConsumedCapacity="INDEXES",
            ReturnItemCollectionMetrics="SIZE",
        )
        assert answer["ConsumedCapacity"]["CapacityUnits"] == 2.0
        assert answer["ConsumedCapacity"]["LocalSecondaryIndexes"]["by-lsi"]["CapacityUnits"] == 1
        assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": {"S": "a"}}

    def test_legacy_parameters(self, client: Any, make_table: MakeTable) -> None:
        table = make_table("S", "N")
        key = {"pk": {"S": "a"}, "sk": {"N": "1"}}
        client.put_item(
            TableName=table, Item={**key, "v": {"N": "1"}}, Expected={"pk": {"Exists": False}}
        )
        client.update_item(
            TableName=table,
            Key=key,
            AttributeUpdates={"v": {"Action": "ADD", "Value": {"N": "4"}}},
        )
        found = client.query(
            TableName=table,
            KeyConditions={
                "pk": {"AttributeValueList": [{"S": "a"}], "ComparisonOperator": "EQ"},
                "sk": {"AttributeValueList": [{"N": "0"}], "ComparisonOperator": "GT"},
            },
            QueryFilter={"v": {"AttributeValueList": [{"N": "5"}], "ComparisonOperator": "EQ"}},
        )
        assert found["Items"] == [{**key, "v": {"N": "5"}}]


class TestReads:
    @pytest.fixture
    def table(self, client: Any, make_table: MakeTable) -> str:
        table = make_table(
            "S",
            "N",
            AttributeDefinitions=[{"AttributeName": "colour", "AttributeType": "S"}],
            GlobalSecondaryIndexes=[gsi("by-colour", "colour", "sk")],
        )
        for start in range(0, 60, 20):
            requests = [
                {
                    "PutRequest": {
                        "Item": {
                            "pk": {"S": "odd" if number % 2 else "even"},
                            "sk": {"N": str(number)},
                            "colour": {"S": ["red", "green", "blue"][number % 3]},
                            "text": {"S": "x" * 50},
                        }
                    }
                }
                for number in range(start, start + 20)
            ]
            client.batch_write_item(RequestItems={table: requests})
        return table

    def test_query_in_pages(self, client: Any, table: str) -> None:
        pages = client.get_paginator("query").paginate(
            TableName=table,
            KeyConditionExpression="pk = :p AND sk BETWEEN :a AND :b",
            ExpressionAttributeValues={
                ":p": {"S": "odd"},
                ":a": {"N": "10"},
                ":b": {"N": "41"},
            },
            ScanIndexForward=False,
            PaginationConfig={"PageSize": 3},
        )
        numbers = [int(item["sk"]["N"]) for page in pages for item in page["Items"]]
        assert numbers == list(range(41, 10, -2))

    def test_a_paginator_stops_and_goes_on_with_its_token(self, client: Any, table: str) -> None:
        paginator = client.get_paginator("scan")
        first = paginator.paginate(
            TableName=table, PaginationConfig={"MaxItems": 25, "PageSize": 10}
        ).build_full_result()
        rest = paginator.paginate(
            TableName=table, PaginationConfig={"StartingToken": first["NextToken"]}
        ).build_full_result()
        numbers = [item["sk"]["N"] for item in first["Items"] + rest["Items"]]
        assert len(first["Items"]) == 25
        assert len(numbers) == len(set(numbers)) == 60

    def test_query_an_index(self, client: Any, table: str) -> None:
        found = client.query(
            TableName=table,
            IndexName="by-colour",
            KeyConditionExpression="colour = :c AND sk < :n",
            FilterExpression="pk = :p",
            ProjectionExpression="sk, #t",
            ExpressionAttributeNames={"#t": "text"},
            ExpressionAttributeValues={
                ":c": {"S": "red"},
                ":n": {"N": "20"},
                ":p": {"S": "even"},
            },
        )
        assert [item["sk"]["N"] for item in found["Items"]] == ["0", "6", "12", "18"]
        assert set(found["Items"][0]) == {"sk", "text"}
        assert (found["Count"], found["ScannedCount"]) == (4, 7)

    def test_scan_in_segments(self, client: Any, table: str) -> None:
        numbers = []
        for segment in range(4):
            pages = client.get_paginator("scan").paginate(
                TableName=table, TotalSegments=4, Segment=segment, Limit=7
            )
            numbers += [int(item["sk"]["N"]) for page in pages for item in page["Items"]]
        assert sorted(numbers) == list(range(60))

    def test_count(self, client: Any, table: str) -> None:
        found = client.scan(TableName=table, Select="COUNT")
        assert found["Count"] == 60
        assert "Items" not in found

    def test_a_page_ends_at_one_megabyte(self, client: Any, make_table: MakeTable) -> None:
        table = make_table("S", "N")
        for number in range(12):
            client.put_item(
                TableName=table,
                Item={"pk": {"S": "a"}, "sk": {"N": str(number)}, "x": {"S": "x" * 100_000}},
            )
        query = {
            "TableName": table,
            "KeyConditionExpression": "pk = :p",
            "ExpressionAttributeValues": {":p": {"S": "a"}},
        }
        first = client.query(**query)
        assert first["Count"] == 11
        second = client.query(**query, ExclusiveStartKey=first["LastEvaluatedKey"])
        assert second["Count"] == 1
        assert "LastEvaluatedKey" not in second


class TestBatches:
    def test_write_and_read(self, client: Any, make_table: MakeTable) -> None:
        first, second = make_table(), make_table("N")
        written = client.batch_write_item(
            RequestItems={
                first: [{"PutRequest": {"Item": {"pk": {"S": str(n)}}}} for n in range(20)],
                second: [{"PutRequest": {"Item": {"pk": {"N": str(n)}}}} for n in range(5)],
            }
        )
        assert written["UnprocessedItems"] == {}
        client.batch_write_item(
            RequestItems={first: [{"DeleteRequest": {"Key": {"pk": {"S": "3"}}}}]}
        )
        found = client.batch_get_item(
            RequestItems={
                first: {"Keys": [{"pk": {"S": str(n)}} for n in range(20)]},
                second: {"Keys": [{"pk": {"N": "1"}}], "ConsistentRead": True},
            }
        )
        assert len(found["Responses"][first]) == 19
        assert found["Responses"][second] == [{"pk": {"N": "1"}}]
        assert found["UnprocessedKeys"] == {}

    def test_too_much_for_one_answer_is_left_over(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        for number in range(50):
            client.put_item(
                TableName=table, Item={"pk": {"S": str(number)}, "x": {"S": "x" * 390_000}}
            )
        wanted = {table: {"Keys": [{"pk": {"S": str(n)}} for n in range(50)]}}
        seen = []
        rounds = 0
        while wanted:
            answer = client.batch_get_item(RequestItems=wanted)
            seen += [item["pk"]["S"] for item in answer["Responses"][table]]
            wanted = answer["UnprocessedKeys"]
            rounds += 1
        assert rounds == 2
        assert sorted(seen, key=int) == [str(n) for n in range(50)]


class TestTransactions:
    def test_all_or_nothing(self, client: Any, make_table: MakeTable) -> None:
        accounts, ledger = make_table(), make_table("S", "N")
        client.put_item(TableName=accounts, Item={"pk": {"S": "a"}, "money": {"N": "10"}})

        def pay(amount: str, token: str) -> Any:
            return client.transact_write_items(
                ClientRequestToken=token,
                TransactItems=[
                    {
                        "Update": {
                            "TableName": accounts,
                            "Key": {"pk": {"S": "a"}},
                            "UpdateExpression": "SET money = money - :n",
                            "ConditionExpression": "money >= :n",
                            "ExpressionAttributeValues": {":n": {"N": amount}},
                            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
                        }
                    },
                    {
                        "Put": {
                            "TableName": ledger,
                            "Item": {"pk": {"S": "a"}, "sk": {"N": amount}},
                        }
                    },
                ],
            )

        token = str(uuid.uuid4())
        pay("7", token)
        pay("7", token)  # a repeated token does nothing more
        with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
            pay("5", str(uuid.uuid4()))
        reasons = caught.value.response["CancellationReasons"]
        assert [reason["Code"] for reason in reasons] == ["ConditionalCheckFailed", "None"]
        assert reasons[0]["Item"] == {"pk": {"S": "a"}, "money": {"N": "3"}}
        assert "[ConditionalCheckFailed, None]" in str(caught.value)
        with pytest.raises(client.exceptions.IdempotentParameterMismatchException):
            pay("1", token)
        read = client.transact_get_items(
            TransactItems=[
                {"Get": {"TableName": accounts, "Key": {"pk": {"S": "a"}}}},
                {"Get": {"TableName": ledger, "Key": {"pk": {"S": "a"}, "sk": {"N": "5"}}}},
            ]
        )
        assert read["Responses"] == [{"Item": {"pk": {"S": "a"}, "money": {"N": "3"}}}, {}]

    def test_a_condition_check_and_a_delete(self, client: Any, make_table: MakeTable) -> None:
        table = make_table()
        for key in "ab":
            client.put_item(TableName=table, Item={"pk": {"S": key}})
        client.transact_write_items(
            TransactItems=[
                {
                    "ConditionCheck": {
                        "TableName": table,
                        "Key": {"pk": {"S": "a"}},
                        "ConditionExpression": "attribute_exists(pk)",
                    }
                },
                {"Delete": {"TableName": table, "Key": {"pk": {"S": "b"}}}},
            ]
        )
        assert client.scan(TableName=table)["Items"] == [{"pk": {"S": "a"}}]
