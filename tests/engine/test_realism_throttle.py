"""Throughput that runs out, and comes back with time."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine, Realism

TABLE_TEXT = (
    "The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API."
)
INDEX_TEXT = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the "
    "under-provisioned global secondary indexes with the UpdateTable API."
)
EXCEEDED = "ProvisionedThroughputExceededException"
#: One second's worth and no more, so that tests need few requests.
TIGHT = Realism(throughput=True, burst=1)


def units(read: int, write: int) -> dict[str, Any]:
    return {
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": write},
    }


def put(engine: Engine, table: str = "Simple", **attributes: str) -> Any:
    return engine.call("PutItem", {"TableName": table, "Item": strings(**attributes)})


def get(engine: Engine, table: str = "Simple", **key: str) -> Any:
    return engine.call(
        "GetItem", {"TableName": table, "Key": strings(**key), "ConsistentRead": True}
    )


def puts_until_refused(engine: Engine, table: str = "Simple", **attributes: str) -> int:
    """How many puts are accepted in a row."""
    for number in range(100_000):
        try:
            put(engine, table, pk=str(number), **attributes)
        except AwsError as error:
            if error.code in (EXCEEDED, "ThrottlingException"):
                return number
            raise
    raise AssertionError("never refused")


@pytest.fixture
def small(engine: Engine) -> Engine:
    """A table with 5 read and 5 write units, strictly enforced."""
    engine.call("CreateTable", simple_table(**units(5, 5)))
    engine.realism = TIGHT
    return engine


class TestTable:
    def test_writes_run_out_and_come_back(self, small: Engine, clock: ManualClock) -> None:
        assert puts_until_refused(small) == 5
        with pytest.raises(AwsError) as caught:
            put(small, pk="more")
        assert (caught.value.code, caught.value.message) == (EXCEEDED, TABLE_TEXT)
        assert caught.value.extra["ThrottlingReasons"] == [
            {
                "reason": "TableWriteProvisionedThroughputExceeded",
                "resource": f"arn:aws:dynamodb:{small.region}:{small.account}:table/Simple",
            }
        ]
        clock.advance(0.6)
        assert puts_until_refused(small) == 3
        clock.advance(60)
        assert puts_until_refused(small) == 5

    def test_a_refused_write_changes_nothing(self, small: Engine) -> None:
        puts_until_refused(small)
        with pytest.raises(AwsError):
            put(small, pk="never")
        small.realism = Realism()
        assert get(small, pk="never") == {}

    def test_reads_have_a_bucket_of_their_own(self, small: Engine, clock: ManualClock) -> None:
        puts_until_refused(small)
        for _ in range(5):
            get(small, pk="0")
        with pytest.raises(AwsError) as caught:
            get(small, pk="0")
        (reason,) = caught.value.extra["ThrottlingReasons"]
        assert reason["reason"] == "TableReadProvisionedThroughputExceeded"

    def test_eventual_reads_cost_half(self, small: Engine) -> None:
        request = {"TableName": "Simple", "Key": strings(pk="0")}
        for _ in range(10):
            small.call("GetItem", request)
        with pytest.raises(AwsError):
            small.call("GetItem", request)

    def test_one_large_item_runs_into_debt(self, small: Engine, clock: ManualClock) -> None:
        """Admitted while anything is left, charged afterwards: 49 units, 44 of them owed."""
        put(small, pk="big", v="x" * 50_000)
        clock.advance(8.7)
        with pytest.raises(AwsError):
            put(small, pk="small")
        clock.advance(0.2)
        put(small, pk="small")

    def test_unused_units_are_saved_up_for_five_minutes(
        self, engine: Engine, clock: ManualClock
    ) -> None:
        engine.call("CreateTable", simple_table(**units(1, 2)))
        engine.realism = Realism(throughput=True)
        assert puts_until_refused(engine) == 600
        clock.advance(100)
        assert puts_until_refused(engine) == 200
        clock.advance(100_000)
        assert puts_until_refused(engine) == 600

    def test_a_failed_condition_is_charged(self, small: Engine) -> None:
        put(small, pk="a", v="x" * 2000)
        request = {
            "TableName": "Simple",
            "Item": strings(pk="a"),
            "ConditionExpression": "attribute_not_exists(pk)",
        }
        codes = []
        for _ in range(3):
            with pytest.raises(AwsError) as caught:
                small.call("PutItem", request)
            codes.append(caught.value.code)
        # 2 units for the item itself, then 2 for each look at it.
        assert codes == ["ConditionalCheckFailedException"] * 2 + [EXCEEDED]

    def test_queries_and_scans_are_charged_by_what_they_read(self, engine: Engine) -> None:
        engine.call("CreateTable", simple_table(**units(2, 100)))
        put(engine, pk="a", v="x" * 15_000)
        engine.realism = TIGHT
        engine.call("Scan", {"TableName": "Simple"})
        with pytest.raises(AwsError) as caught:
            engine.call(
                "Query",
                {
                    "TableName": "Simple",
                    "KeyConditionExpression": "pk = :a",
                    "ExpressionAttributeValues": {":a": {"S": "a"}},
                },
            )
        assert caught.value.code == EXCEEDED

    def test_more_units_help_at_once(self, small: Engine, clock: ManualClock) -> None:
        puts_until_refused(small)
        wanted = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 50}
        small.call("UpdateTable", {"TableName": "Simple", "ProvisionedThroughput": wanted})
        clock.advance(1)
        assert puts_until_refused(small) == 50

    def test_on_demand_tables_have_no_bound(self, engine: Engine) -> None:
        engine.call("CreateTable", simple_table())
        engine.realism = TIGHT
        for number in range(50):
            put(engine, pk=str(number))

    def test_unless_they_are_given_a_maximum(self, engine: Engine) -> None:
        most = {"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 3}
        engine.call("CreateTable", simple_table(OnDemandThroughput=most))
        engine.realism = TIGHT
        assert puts_until_refused(engine) == 3
        with pytest.raises(AwsError) as caught:
            put(engine, pk="more")
        assert caught.value.code == "ThrottlingException"
        (reason,) = caught.value.extra["throttlingReasons"]
        assert reason["reason"] == "TableWriteMaxOnDemandThroughputExceeded"

    def test_a_stale_read_is_charged_to_the_table(self, small: Engine) -> None:
        small.realism = Realism(throughput=True, burst=1, lag=1)
        request = {"TableName": "Simple", "Limit": 1}
        for _ in range(10):
            small.call("Scan", request)
        with pytest.raises(AwsError):
            small.call("GetItem", {"TableName": "Simple", "Key": strings(pk="0")})


class TestIndexes:
    @pytest.fixture
    def indexed(self, engine: Engine) -> Engine:
        """100 units each way for the table, 3 for its index."""
        engine.call(
            "CreateTable",
            simple_table(
                AttributeDefinitions=[
                    {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")
                ],
                GlobalSecondaryIndexes=[
                    {
                        **index("Gsi", "g", projection="KEYS_ONLY"),
                        "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 3},
                    }
                ],
                **units(100, 100),
            ),
        )
        engine.realism = TIGHT
        return engine

    def test_an_index_that_cannot_keep_up_holds_the_table_back(self, indexed: Engine) -> None:
        assert puts_until_refused(indexed, g="x") == 3
        with pytest.raises(AwsError) as caught:
            put(indexed, pk="more", g="x")
        assert (caught.value.code, caught.value.message) == (EXCEEDED, INDEX_TEXT)
        (reason,) = caught.value.extra["ThrottlingReasons"]
        assert reason["reason"] == "IndexWriteProvisionedThroughputExceeded"
        assert reason["resource"].endswith("table/Simple/index/Gsi")

    def test_writes_that_do_not_concern_the_index_go_on(self, indexed: Engine) -> None:
        puts_until_refused(indexed, g="x")
        put(indexed, pk="without")
        put(indexed, pk="0", g="x", v="not projected")
        with pytest.raises(AwsError):
            put(indexed, pk="0", g="other")

    def test_reads_of_the_index_use_its_own_units(self, indexed: Engine) -> None:
        def query() -> None:
            indexed.call(
                "Query",
                {
                    "TableName": "Simple",
                    "IndexName": "Gsi",
                    "KeyConditionExpression": "g = :g",
                    "ExpressionAttributeValues": {":g": {"S": "x"}},
                },
            )

        for _ in range(6):
            query()
        with pytest.raises(AwsError, match="global secondary indexes"):
            query()
        get(indexed, pk="0")


class TestPartitions:
    def test_one_hot_key_is_held_back_and_others_are_not(
        self, engine: Engine, clock: ManualClock
    ) -> None:
        engine.call("CreateTable", composite_table())
        engine.realism = Realism(partitions=True)
        put(engine, "Composite", pk="hot", sk="1", v="x" * 300_000)
        put(engine, "Composite", pk="hot", sk="2", v="x" * 300_000)
        for number in "345":
            put(engine, "Composite", pk="hot", sk=number, v="x" * 200_000)
        with pytest.raises(AwsError) as caught:
            put(engine, "Composite", pk="hot", sk="7")
        assert caught.value.code == "ThrottlingException"
        assert "check if you have a hot key" in caught.value.message
        (reason,) = caught.value.extra["throttlingReasons"]
        assert reason["reason"] == "TableWriteKeyRangeThroughputExceeded"
        put(engine, "Composite", pk="cold", sk="1")
        clock.advance(1)
        put(engine, "Composite", pk="hot", sk="7")

    def test_a_provisioned_table_says_so_in_its_own_words(self, engine: Engine) -> None:
        engine.call("CreateTable", simple_table(**units(40_000, 40_000)))
        engine.realism = Realism(partitions=True)
        for _ in range(3):
            put(engine, pk="hot", v="x" * 400_000)
        with pytest.raises(AwsError) as caught:
            put(engine, pk="hot")
        assert (caught.value.code, caught.value.message) == (EXCEEDED, TABLE_TEXT)

    def test_a_queried_partition_is_charged(self, engine: Engine) -> None:
        engine.call("CreateTable", composite_table())
        for number in range(4):
            put(engine, "Composite", pk="hot", sk=str(number), v="x" * 250_000)
        engine.realism = Realism(partitions=True)

        def query(pk: str) -> Any:
            return engine.call(
                "Query",
                {
                    "TableName": "Composite",
                    "KeyConditionExpression": "pk = :p",
                    "ExpressionAttributeValues": {":p": {"S": pk}},
                    "ConsistentRead": True,
                },
            )

        # 4 x 250 kB are 245 units: 13 queries make a debt of 3000.
        for _ in range(13):
            query("hot")
        with pytest.raises(AwsError, match="hot key"):
            query("hot")
        query("cold")

    def test_partitions_of_an_index_count_as_well(self, engine: Engine) -> None:
        engine.call(
            "CreateTable",
            simple_table(
                AttributeDefinitions=[
                    {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")
                ],
                GlobalSecondaryIndexes=[index("Gsi", "g")],
            ),
        )
        engine.realism = Realism(partitions=True)
        for number in range(6):
            put(engine, pk=str(number), g="hot", v="x" * 200_000)
        with pytest.raises(AwsError) as caught:
            put(engine, pk="6", g="hot")
        (reason,) = caught.value.extra["throttlingReasons"]
        assert reason["reason"] == "IndexWriteKeyRangeThroughputExceeded"
        put(engine, pk="7", g="cold")

    def test_partitions_that_rest_are_forgotten(
        self, engine: Engine, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tablewright.engine.realism.throttle.MANY_BUCKETS", 10)
        engine.call("CreateTable", simple_table())
        engine.realism = Realism(partitions=True)
        for number in range(50):
            put(engine, pk=str(number))
            clock.advance(1)
        assert engine.throttle is not None
        assert len(engine.throttle._buckets) <= 10


class TestBatches:
    def test_what_could_not_be_written_comes_back(self, small: Engine) -> None:
        asked = [{"PutRequest": {"Item": strings(pk=str(number))}} for number in range(8)]
        answer = small.call("BatchWriteItem", {"RequestItems": {"Simple": asked}})
        assert answer["UnprocessedItems"] == {"Simple": asked[5:]}
        small.realism = Realism()
        assert small.call("Scan", {"TableName": "Simple"})["Count"] == 5

    def test_what_could_not_be_read_comes_back(self, small: Engine) -> None:
        keys = [strings(pk=str(number)) for number in range(8)]
        asked = {"Keys": keys, "ConsistentRead": True, "ProjectionExpression": "pk"}
        answer = small.call("BatchGetItem", {"RequestItems": {"Simple": asked}})
        assert answer["UnprocessedKeys"] == {"Simple": {**asked, "Keys": keys[5:]}}

    def test_if_nothing_could_be_done_it_is_an_error(self, small: Engine) -> None:
        puts_until_refused(small)
        for _ in range(5):
            get(small, pk="0")
        put_request = {"PutRequest": {"Item": strings(pk="a")}}
        for operation, asked in (
            ("BatchWriteItem", [put_request]),
            ("BatchGetItem", {"Keys": [strings(pk="a")]}),
        ):
            with pytest.raises(AwsError) as caught:
                small.call(operation, {"RequestItems": {"Simple": asked}})
            assert caught.value.code == EXCEEDED

    def test_other_tables_of_the_batch_are_served(self, small: Engine) -> None:
        small.call("CreateTable", simple_table("Plenty"))
        puts_until_refused(small)
        request = [{"PutRequest": {"Item": strings(pk="a")}}]
        answer = small.call(
            "BatchWriteItem", {"RequestItems": {"Simple": request, "Plenty": request}}
        )
        assert answer["UnprocessedItems"] == {"Simple": request}
        assert get(small, "Plenty", pk="a") == {"Item": strings(pk="a")}


class TestTransactions:
    def put_of(self, table: str, pk: str) -> dict[str, Any]:
        return {"Put": {"TableName": table, "Item": strings(pk=pk)}}

    def test_a_member_that_is_throttled_cancels_all(self, small: Engine) -> None:
        small.call("CreateTable", simple_table("Plenty"))
        puts_until_refused(small)
        members = [self.put_of("Plenty", "a"), self.put_of("Simple", "a")]
        with pytest.raises(AwsError) as caught:
            small.call("TransactWriteItems", {"TransactItems": members})
        assert caught.value.code == "TransactionCanceledException"
        assert caught.value.extra["CancellationReasons"] == [
            {"Code": "None"},
            {"Code": "ProvisionedThroughputExceeded", "Message": TABLE_TEXT},
        ]
        assert get(small, "Plenty", pk="a") == {}

    def test_transactions_cost_double(self, small: Engine) -> None:
        for pk in "abc":
            small.call("TransactWriteItems", {"TransactItems": [self.put_of("Simple", pk)]})
        with pytest.raises(AwsError):
            small.call("TransactWriteItems", {"TransactItems": [self.put_of("Simple", "d")]})

    def test_reading_transactions(self, small: Engine) -> None:
        small.call("CreateTable", simple_table("Plenty"))
        members = [
            {"Get": {"TableName": table, "Key": strings(pk="a")}} for table in ("Simple", "Plenty")
        ]
        for _ in range(3):
            small.call("TransactGetItems", {"TransactItems": members})
        with pytest.raises(AwsError) as caught:
            small.call("TransactGetItems", {"TransactItems": members})
        codes = [reason["Code"] for reason in caught.value.extra["CancellationReasons"]]
        assert codes == ["ProvisionedThroughputExceeded", "None"]

    def test_an_on_demand_partition_is_a_throttling_error(self, engine: Engine) -> None:
        engine.call("CreateTable", simple_table())
        engine.realism = Realism(partitions=True)
        for _ in range(3):
            put(engine, pk="hot", v="x" * 400_000)
        with pytest.raises(AwsError) as caught:
            engine.call("TransactWriteItems", {"TransactItems": [self.put_of("Simple", "hot")]})
        (reason,) = caught.value.extra["CancellationReasons"]
        assert reason["Code"] == "ThrottlingError"

    def test_a_cancelled_transaction_is_charged(self, small: Engine) -> None:
        member = self.put_of("Simple", "a")
        member["Put"]["ConditionExpression"] = "attribute_exists(pk)"
        codes = []
        for _ in range(4):
            with pytest.raises(AwsError) as caught:
                small.call("TransactWriteItems", {"TransactItems": [member]})
            codes.append(caught.value.extra["CancellationReasons"][0]["Code"])
        assert codes == ["ConditionalCheckFailed"] * 3 + ["ProvisionedThroughputExceeded"]


class TestPartiql:
    def insert(self, pk: str) -> dict[str, Any]:
        return {"Statement": f"INSERT INTO Simple VALUE {{'pk': '{pk}'}}"}

    def test_statements(self, small: Engine) -> None:
        for number in range(5):
            small.call("ExecuteStatement", self.insert(str(number)))
        with pytest.raises(AwsError) as caught:
            small.call("ExecuteStatement", self.insert("more"))
        assert (caught.value.code, caught.value.message) == (EXCEEDED, TABLE_TEXT)

    def test_batches_report_each_statement(self, small: Engine) -> None:
        statements = [self.insert(str(number)) for number in range(7)]
        answer = small.call("BatchExecuteStatement", {"Statements": statements})
        codes = [each.get("Error", {}).get("Code") for each in answer["Responses"]]
        assert codes == [None] * 5 + ["ProvisionedThroughputExceeded"] * 2

    def test_transactions(self, small: Engine) -> None:
        puts_until_refused(small)
        request = {"TransactStatements": [self.insert("more")]}
        with pytest.raises(AwsError) as caught:
            small.call("ExecuteTransaction", request)
        (reason,) = caught.value.extra["CancellationReasons"]
        assert reason["Code"] == "ProvisionedThroughputExceeded"
