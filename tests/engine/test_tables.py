"""CreateTable, DescribeTable, ListTables, DeleteTable, and what is said of the account."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.clock import ManualClock
from tablewright.engine import AwsError, Engine

UNITS = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}


def key(name: str, kind: str = "HASH") -> dict[str, str]:
    return {"AttributeName": name, "KeyType": kind}


def attribute(name: str, kind: str = "S") -> dict[str, str]:
    return {"AttributeName": name, "AttributeType": kind}


def provisioned(**more: Any) -> dict[str, Any]:
    request = simple_table(ProvisionedThroughput=UNITS)
    del request["BillingMode"]
    return {**request, **more}


def indexed(*indexes: Any, attributes: str = "", **more: Any) -> dict[str, Any]:
    """A composite table with global indexes over the given attributes."""
    return composite_table(
        AttributeDefinitions=[attribute(name) for name in attributes],
        GlobalSecondaryIndexes=list(indexes),
        **more,
    )


# --- what is answered --------------------------------------------------------------------


def test_create_answers_creating_and_the_table_is_there_at_once(call, clock):
    created = call("CreateTable", **simple_table("Orders"))["TableDescription"]
    table_id = created.pop("TableId")
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", table_id)
    arn = created.pop("TableArn")
    assert re.fullmatch(r"arn:aws:dynamodb:us-east-1:\d{12}:table/Orders", arn)
    # Exactly what the service has in this answer: no warm throughput, no time of the switch.
    assert created == {
        "AttributeDefinitions": [attribute("pk")],
        "TableName": "Orders",
        "KeySchema": [key("pk")],
        "TableStatus": "CREATING",
        "CreationDateTime": clock.now(),
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "TableThroughputModeSummary": {"TableThroughputMode": "PAY_PER_REQUEST"},
        "DeletionProtectionEnabled": False,
    }
    described = call("DescribeTable", TableName="Orders")["Table"]
    assert described["TableStatus"] == "ACTIVE"
    assert described["TableId"] == table_id
    assert described["BillingModeSummary"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": described["CreationDateTime"],
    }
    assert described["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }
    assert described.keys() - created.keys() == {"TableId", "TableArn", "WarmThroughput"}


def test_a_provisioned_table_has_its_units_and_no_billing_summary(call):
    call("CreateTable", **provisioned())
    described = call("DescribeTable", TableName="Simple")["Table"]
    assert described["ProvisionedThroughput"] == {"NumberOfDecreasesToday": 0, **UNITS}
    assert described["WarmThroughput"]["ReadUnitsPerSecond"] == 5
    assert described["WarmThroughput"]["WriteUnitsPerSecond"] == 6
    assert "BillingModeSummary" not in described
    assert "TableThroughputModeSummary" not in described


def test_the_older_name_of_the_billing_mode_is_read(call):
    request = simple_table()
    request["TableThroughputMode"] = request.pop("BillingMode")
    summary = call("CreateTable", **request)["TableDescription"]["BillingModeSummary"]
    assert summary == {"BillingMode": "PAY_PER_REQUEST"}


def test_indexes_are_described(call):
    created = call(
        "CreateTable",
        **composite_table(
            AttributeDefinitions=[attribute("z", "N"), attribute("a")],
            GlobalSecondaryIndexes=[
                index("Second", "z", "a", projection="INCLUDE", include=("y", "b")),
                index("First", "a", projection="KEYS_ONLY"),
            ],
            LocalSecondaryIndexes=[index("Local", "pk", "z")],
        ),
    )["TableDescription"]
    # Attributes are told sorted, indexes in the order they were given in.
    assert [each["AttributeName"] for each in created["AttributeDefinitions"]] == [
        "a",
        "pk",
        "sk",
        "z",
    ]
    second, first = created["GlobalSecondaryIndexes"]
    assert second == {
        "IndexName": "Second",
        "KeySchema": [key("z"), key("a", "RANGE")],
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "y"]},
        "IndexStatus": "CREATING",
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "IndexSizeBytes": 0,
        "ItemCount": 0,
        "IndexArn": created["TableArn"] + "/index/Second",
    }
    assert first["IndexName"] == "First"
    assert created["LocalSecondaryIndexes"] == [
        {
            "IndexName": "Local",
            "KeySchema": [key("pk"), key("z", "RANGE")],
            "Projection": {"ProjectionType": "ALL"},
            "IndexSizeBytes": 0,
            "ItemCount": 0,
            "IndexArn": created["TableArn"] + "/index/Local",
        }
    ]
    described = call("DescribeTable", TableName="Composite")["Table"]
    assert [each["IndexStatus"] for each in described["GlobalSecondaryIndexes"]] == ["ACTIVE"] * 2
    assert described["GlobalSecondaryIndexes"][0]["WarmThroughput"] == {
        "ReadUnitsPerSecond": 12000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }
    assert "Backfilling" not in described["GlobalSecondaryIndexes"][0]


def test_items_and_bytes_are_counted(call):
    call("CreateTable", **indexed(index("ByX", "x", projection="KEYS_ONLY"), attributes="x"))
    call("PutItem", TableName="Composite", Item=strings(pk="1", sk="1", x="12", other="123"))
    call("PutItem", TableName="Composite", Item=strings(pk="1", sk="2"))
    described = call("DescribeTable", TableName="Composite")["Table"]
    assert described["ItemCount"] == 2
    assert described["TableSizeBytes"] == 6 + 3 + 8 + 6
    assert described["GlobalSecondaryIndexes"][0]["ItemCount"] == 1
    assert described["GlobalSecondaryIndexes"][0]["IndexSizeBytes"] == 6 + 3


def test_nothing_internal_is_told(call):
    call("CreateTable", **indexed(index("ByX", "x"), attributes="x", Tags=[]))
    described = call("DescribeTable", TableName="Composite")["Table"]
    for place in (described, *described["GlobalSecondaryIndexes"]):
        assert all(name[0].isupper() for name in place)
    assert "BillingMode" not in described


def test_all_options_of_a_new_table(call):
    call(
        "CreateTable",
        **simple_table(
            "Full",
            DeletionProtectionEnabled=True,
            OnDemandThroughput={"MaxReadRequestUnits": 100},
            SSESpecification={"Enabled": True},
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
            TableClass="STANDARD_INFREQUENT_ACCESS",
            Tags=[{"Key": "team", "Value": "red"}],
            WarmThroughput={"ReadUnitsPerSecond": 13000},
        ),
    )
    described = call("DescribeTable", TableName="Full")["Table"]
    assert described["DeletionProtectionEnabled"] is True
    assert described["OnDemandThroughput"] == {"MaxReadRequestUnits": 100}
    assert described["SSEDescription"]["Status"] == "ENABLED"
    assert described["SSEDescription"]["SSEType"] == "KMS"
    assert re.fullmatch(
        r"arn:aws:kms:us-east-1:\d+:key/[0-9a-f-]{36}",
        described["SSEDescription"]["KMSMasterKeyArn"],
    )
    assert described["StreamSpecification"] == {
        "StreamEnabled": True,
        "StreamViewType": "NEW_IMAGE",
    }
    assert described["LatestStreamArn"].endswith("/stream/" + described["LatestStreamLabel"])
    assert described["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert described["WarmThroughput"]["ReadUnitsPerSecond"] == 13000
    assert described["WarmThroughput"]["WriteUnitsPerSecond"] == 4000
    tags = call("ListTagsOfResource", ResourceArn=described["TableArn"])["Tags"]
    assert tags == [{"Key": "team", "Value": "red"}]


def test_warm_throughput_that_was_asked_for_is_in_the_answer(call):
    warm = {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}
    answer = call("CreateTable", **simple_table(WarmThroughput=warm))["TableDescription"]
    assert answer["WarmThroughput"] == {**warm, "Status": "UPDATING"}


def test_a_disabled_stream_is_no_stream(call):
    call("CreateTable", **simple_table(StreamSpecification={"StreamEnabled": False}))
    described = call("DescribeTable", TableName="Simple")["Table"]
    assert "StreamSpecification" not in described
    assert "LatestStreamArn" not in described


def test_the_same_alias_always_means_the_same_key(call):
    arns = set()
    for name in ("One", "Two"):
        specification = {"SSEType": "KMS", "KMSMasterKeyId": "alias/mine"}
        call("CreateTable", **simple_table(name, SSESpecification=specification))
        described = call("DescribeTable", TableName=name)["Table"]
        arns.add(described["SSEDescription"]["KMSMasterKeyArn"])
    assert len(arns) == 1
    given = "arn:aws:kms:us-east-1:111122223333:key/abc"
    specification = {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": given}
    call("CreateTable", **simple_table("Three", SSESpecification=specification))
    described = call("DescribeTable", TableName="Three")["Table"]
    assert described["SSEDescription"]["KMSMasterKeyArn"] == given


def test_an_empty_encryption_specification_means_none(call):
    call("CreateTable", **simple_table(SSESpecification={}))
    assert "SSEDescription" not in call("DescribeTable", TableName="Simple")["Table"]


def test_a_table_is_found_by_its_arn(call):
    arn = call("CreateTable", **simple_table())["TableDescription"]["TableArn"]
    assert call("DescribeTable", TableName=arn)["Table"]["TableName"] == "Simple"
    call("DeleteTable", TableName=arn)
    assert call("ListTables")["TableNames"] == []


# --- existing and missing tables ---------------------------------------------------------


def test_a_name_is_taken_once_and_case_matters(call, refused):
    call("CreateTable", **simple_table("Orders"))
    error = refused("CreateTable", **provisioned(TableName="Orders"))
    assert error.code == "ResourceInUseException"
    assert error.message == "Table already exists: Orders"
    call("CreateTable", **simple_table("orders"))
    assert call("ListTables")["TableNames"] == ["Orders", "orders"]


@pytest.mark.parametrize("operation", ["DescribeTable", "DeleteTable"])
def test_a_missing_table_is_named(refused, operation):
    error = refused(operation, TableName="Missing")
    assert error.code == "ResourceNotFoundException"
    assert error.message == "Requested resource not found: Table: Missing not found"


def test_of_many_creators_one_wins(disk_engine):
    outcomes: list[str] = []
    barrier = threading.Barrier(8)

    def create() -> None:
        barrier.wait()
        try:
            disk_engine.call("CreateTable", simple_table("Race", Tags=[]))
            outcomes.append("created")
        except AwsError as error:
            outcomes.append(error.code)

    threads = [threading.Thread(target=create) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["ResourceInUseException"] * 7 + ["created"]


def test_create_and_delete_at_once_leave_nothing_half_done(disk_engine):
    allowed = {"ResourceInUseException", "ResourceNotFoundException"}
    codes: set[str] = set()
    request = indexed(index("ByX", "x"), attributes="x", Tags=[{"Key": "k", "Value": "v"}])

    def repeat(operation: str, body: dict[str, Any]) -> None:
        for _ in range(15):
            try:
                disk_engine.call(operation, body)
            except AwsError as error:
                codes.add(error.code)

    threads = [
        threading.Thread(target=repeat, args=("CreateTable", request)),
        threading.Thread(target=repeat, args=("DeleteTable", {"TableName": "Composite"})),
        threading.Thread(target=repeat, args=("CreateTable", request)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert codes <= allowed
    if not disk_engine.call("ListTables", {})["TableNames"]:
        disk_engine.call("CreateTable", request)
    disk_engine.call("PutItem", {"TableName": "Composite", "Item": strings(pk="1", sk="1", x="1")})
    assert disk_engine.call("Scan", {"TableName": "Composite", "IndexName": "ByX"})["Count"] == 1


# --- ListTables --------------------------------------------------------------------------


def test_list_tables_in_pages(call):
    names = ["Beta", "alpha", "Alpha", "gamma"]
    for name in names:
        call("CreateTable", **simple_table(name))
    first = call("ListTables", Limit=3)
    assert first == {
        "TableNames": ["Alpha", "Beta", "alpha"],
        "LastEvaluatedTableName": "alpha",
    }
    assert call("ListTables", ExclusiveStartTableName="alpha") == {"TableNames": ["gamma"]}
    # The last name of all ends the listing even if the page is full.
    assert call("ListTables", Limit=4) == {"TableNames": sorted(names)}
    # A name that does not exist, or no longer, is a place like any other.
    assert call("ListTables", ExclusiveStartTableName="Azz") == {
        "TableNames": ["Beta", "alpha", "gamma"]
    }


def test_a_page_of_tables_holds_a_hundred(call):
    for number in range(101):
        call("CreateTable", **simple_table(f"Table{number:03}"))
    page = call("ListTables")
    assert len(page["TableNames"]) == 100
    assert page["LastEvaluatedTableName"] == "Table099"
    rest = call("ListTables", ExclusiveStartTableName="Table099")
    assert rest == {"TableNames": ["Table100"]}


# --- DeleteTable -------------------------------------------------------------------------


def test_delete_answers_deleting_and_the_table_is_gone_at_once(call, refused):
    call("CreateTable", **indexed(index("ByX", "x"), attributes="x"))
    call("PutItem", TableName="Composite", Item=strings(pk="1", sk="1"))
    answer = call("DeleteTable", TableName="Composite")["TableDescription"]
    assert answer["TableStatus"] == "DELETING"
    assert answer["ItemCount"] == 1
    assert answer.keys() == {
        "TableName",
        "TableStatus",
        "ProvisionedThroughput",
        "TableSizeBytes",
        "ItemCount",
        "TableArn",
        "TableId",
        "BillingModeSummary",
        "TableThroughputModeSummary",
        "DeletionProtectionEnabled",
    }
    assert refused("DescribeTable", TableName="Composite").code == "ResourceNotFoundException"
    assert refused("Scan", TableName="Composite").code == "ResourceNotFoundException"
    call("CreateTable", **composite_table())
    assert call("Scan", TableName="Composite")["Count"] == 0
    assert call("DescribeTable", TableName="Composite")["Table"]["ItemCount"] == 0


def test_a_protected_table_stays(call, refused):
    call("CreateTable", **simple_table(DeletionProtectionEnabled=True))
    error = refused("DeleteTable", TableName="Simple")
    assert error.code == "ValidationException"
    assert error.message == (
        "Resource cannot be deleted as it is currently protected against deletion. "
        "Disable deletion protection first."
    )
    call("UpdateTable", TableName="Simple", DeletionProtectionEnabled=False)
    call("DeleteTable", TableName="Simple")


def test_a_table_that_is_still_being_made_is_left_alone(engine, call, refused):
    call("CreateTable", **simple_table())
    table = engine.catalog.table("Simple")
    engine.store.run(
        lambda transaction: engine.catalog.save(
            transaction, {**table.body, "TableStatus": "CREATING"}
        )
    )
    assert call("DescribeTable", TableName="Simple")["Table"]["TableStatus"] == "CREATING"
    expected = "Attempt to change a resource which is still in use: Table is being created: Simple"
    for operation, more in (
        ("DeleteTable", {}),
        ("UpdateTable", {"DeletionProtectionEnabled": True}),
    ):
        error = refused(operation, TableName="Simple", **more)
        assert (error.code, error.message) == ("ResourceInUseException", expected)


def test_tables_survive_the_process(tmp_path: Path):
    with Engine(tmp_path) as engine:
        engine.call("CreateTable", indexed(index("ByX", "x"), attributes="x"))
        engine.call("PutItem", {"TableName": "Composite", "Item": strings(pk="1", sk="1", x="1")})
        before = engine.call("DescribeTable", {"TableName": "Composite"})
    with Engine(tmp_path) as engine:
        assert engine.call("DescribeTable", {"TableName": "Composite"}) == before
        assert engine.call("Scan", {"TableName": "Composite", "IndexName": "ByX"})["Count"] == 1


# --- validation: attributes and keys -----------------------------------------------------

PREFIX = "One or more parameter values were invalid: "
TWO = [attribute("a"), attribute("b")]


def table_of(definitions: list[Any], keys: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "TableName": "Invalid",
        "AttributeDefinitions": definitions,
        "KeySchema": keys,
        "BillingMode": "PAY_PER_REQUEST",
        **more,
    }


@pytest.mark.parametrize(
    ("definitions", "keys", "message"),
    [
        ([], [key("a")], "Invalid KeySchema: Some index key attribute have no definition"),
        (
            [attribute("a")],
            [key("a"), key("a", "RANGE")],
            "Invalid KeySchema: Some index key attribute have no definition",
        ),
        (
            [attribute("b")],
            [key("a")],
            PREFIX + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [a], AttributeDefinitions: [b]",
        ),
        (
            TWO,
            [key("a"), key("a")],
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        (
            TWO,
            [key("a", "RANGE"), key("b")],
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
        (
            TWO,
            [key("a"), key("b")],
            "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type",
        ),
        (
            TWO,
            [key("a")],
            PREFIX + "Number of attributes in KeySchema does not exactly match number of "
            "attributes defined in AttributeDefinitions",
        ),
        (
            [attribute("a"), attribute("a", "N")],
            [key("a")],
            "Attribute Name is duplicated: a",
        ),
    ],
)
def test_keys_of_a_table(refused, definitions, keys, message):
    error = refused("CreateTable", **table_of(definitions, keys))
    assert (error.code, error.message) == ("ValidationException", message)


def local(name: str, *keys: dict[str, str], **projection: Any) -> dict[str, Any]:
    return {
        "IndexName": name,
        "KeySchema": list(keys),
        "Projection": projection or {"ProjectionType": "ALL"},
    }


BOTH = [key("a"), key("b", "RANGE")]


@pytest.mark.parametrize(
    ("keys", "indexes", "message"),
    [
        (BOTH, [], "List of LocalSecondaryIndexes is empty"),
        (
            [key("a")],
            [local("abc", key("c", "RANGE"))],
            "Table KeySchema does not have a range key, "
            "which is required when specifying a LocalSecondaryIndex",
        ),
        (
            BOTH,
            [local("abc", key("b"))],
            "Index KeySchema does not have a range key for index: abc",
        ),
        (
            BOTH,
            [local("abc", key("b"), key("a", "RANGE"))],
            "Index KeySchema does not have the same leading hash key as table KeySchema for "
            "index: abc. index hash key: b, table hash key: a",
        ),
        (BOTH, [local("abc", *BOTH, NonKeyAttributes=["x"])], "Unknown ProjectionType: null"),
        (BOTH, [local("abc", *BOTH), local("abc", *BOTH)], "Duplicate index name: abc"),
        (
            BOTH,
            [local(f"abc{number}", *BOTH) for number in range(6)],
            "Number of LocalSecondaryIndexes exceeds per-table limit of 5",
        ),
    ],
)
def test_local_indexes(refused, keys, indexes, message):
    error = refused("CreateTable", **table_of(TWO, keys, LocalSecondaryIndexes=indexes))
    assert (error.code, error.message) == ("ValidationException", PREFIX + message)


@pytest.mark.parametrize(
    ("indexes", "message"),
    [
        ([], PREFIX + "List of GlobalSecondaryIndexes is empty"),
        (
            [local("abc", key("a"), key("c", "RANGE"))],
            PREFIX + "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [a, c], AttributeDefinitions: [a, b]",
        ),
        (
            [local("abc", key("a", "RANGE"))],
            "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
        ),
        (
            [local("abc", key("a"), key("a", "RANGE"))],
            "Both the Hash Key and the Range Key element in the KeySchema have the same name",
        ),
        ([local("abc", key("b"), NonKeyAttributes=["x"])], PREFIX + "Unknown ProjectionType: null"),
        (
            [local("abc", key("b"), ProjectionType="ALL", NonKeyAttributes=["x"])],
            PREFIX + "ProjectionType is ALL, but NonKeyAttributes is specified",
        ),
        (
            [local("abc", key("b"), ProjectionType="KEYS_ONLY", NonKeyAttributes=["x"])],
            PREFIX + "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
        ),
        (
            [local("abc", key("b"), ProjectionType="INCLUDE")],
            PREFIX + "ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
        ),
        (
            [local("abc", key("b"), ProjectionType="INCLUDE", NonKeyAttributes=["x", "x"])],
            PREFIX + "Duplicate element in NonKeyAttributes: x",
        ),
        ([local("abc", key("b"))] * 2, PREFIX + "Duplicate index name: abc"),
        (
            [local(f"abc{number}", key("b")) for number in range(21)],
            PREFIX + "GlobalSecondaryIndex count exceeds the per-table limit of 20",
        ),
    ],
)
def test_global_indexes(refused, indexes, message):
    request = table_of(TWO, BOTH, GlobalSecondaryIndexes=indexes)
    error = refused("CreateTable", **request)
    assert (error.code, error.message) == ("ValidationException", message)


def test_an_index_name_is_taken_once_among_all_indexes(refused):
    request = table_of(
        TWO,
        BOTH,
        GlobalSecondaryIndexes=[local("abc", key("b"))],
        LocalSecondaryIndexes=[local("abc", *BOTH)],
    )
    assert refused("CreateTable", **request).message == PREFIX + "Duplicate index name: abc"


def test_unused_definitions_come_before_the_details_of_indexes(refused):
    request = table_of(
        [attribute("a"), attribute("b"), attribute("c")],
        [key("a")],
        GlobalSecondaryIndexes=[local("abc", key("b"), NonKeyAttributes=["x"])],
    )
    assert refused("CreateTable", **request).message == (
        PREFIX + "Some AttributeDefinitions are not used. "
        "AttributeDefinitions: [a, b, c], keys used: [a, b]"
    )


def test_all_indexes_together_name_at_most_a_hundred_attributes(call, refused):
    def including(count: int) -> list[Any]:
        return [
            local(
                f"abc{each}",
                key("b"),
                ProjectionType="INCLUDE",
                NonKeyAttributes=[f"x{n}" for n in range(20)],
            )
            for each in range(count)
        ]

    call("CreateTable", **table_of(TWO, BOTH, GlobalSecondaryIndexes=including(5)))
    request = table_of(TWO, BOTH, GlobalSecondaryIndexes=including(6), TableName="More")
    assert refused("CreateTable", **request).code == "ValidationException"


# --- validation: keys of several attributes ----------------------------------------------


def multi(*kinds: str) -> tuple[list[Any], Any]:
    names = [f"k{number}" for number in range(len(kinds))]
    return (
        [attribute(name) for name in names],
        local("multi", *(key(name, kind) for name, kind in zip(names, kinds, strict=True))),
    )


@pytest.mark.parametrize(
    "kinds",
    [("HASH", "HASH"), ("HASH", "RANGE", "RANGE"), ("HASH",) * 4 + ("RANGE",) * 4],
)
def test_a_global_index_may_have_several_key_attributes(call, kinds):
    definitions, wanted = multi(*kinds)
    request = table_of(
        [attribute("pk"), *definitions], [key("pk")], GlobalSecondaryIndexes=[wanted]
    )
    call("CreateTable", **request)
    (described,) = call("DescribeTable", TableName="Invalid")["Table"]["GlobalSecondaryIndexes"]
    assert described["KeySchema"] == wanted["KeySchema"]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        (
            ("HASH",) * 5,
            PREFIX + "The KeySchema exceeds the maximum allowed number of HASH key attributes",
        ),
        (
            ("HASH",) + ("RANGE",) * 5,
            PREFIX + "The KeySchema exceeds the maximum allowed number of RANGE key attributes",
        ),
        (
            ("HASH", "RANGE", "HASH"),
            PREFIX + "All HASH key attributes must precede RANGE key attributes in the KeySchema",
        ),
    ],
)
def test_limits_of_keys_with_several_attributes(refused, kinds, message):
    definitions, wanted = multi(*kinds)
    request = table_of(
        [attribute("pk"), *definitions], [key("pk")], GlobalSecondaryIndexes=[wanted]
    )
    error = refused("CreateTable", **request)
    assert (error.code, error.message) == ("ValidationException", message)


def test_key_attributes_differ(refused):
    wanted = local("multi", key("a"), key("b"), key("a", "RANGE"))
    request = table_of(TWO, [key("a")], GlobalSecondaryIndexes=[wanted])
    assert refused("CreateTable", **request).message == (
        "The KeySchema contains multiple key attributes with the same name"
    )


# --- validation: throughput and the rest -------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            simple_table(ProvisionedThroughput=UNITS),
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
            "BillingMode is PAY_PER_REQUEST",
        ),
        (
            simple_table(BillingMode="PROVISIONED"),
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED",
        ),
        (
            provisioned(OnDemandThroughput={"MaxReadRequestUnits": 1}),
            "MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
            "BillingMode is PROVISIONED.",
        ),
        (
            simple_table(OnDemandThroughput={"MaxWriteRequestUnits": -1}),
            "Requested MaxWriteRequestUnits for OnDemandThroughput for table is outside of "
            "valid range",
        ),
        (
            provisioned(WarmThroughput={"ReadUnitsPerSecond": 4}),
            "Requested ReadUnitsPerSecond for WarmThroughput for table is lower than "
            "ReadCapacityUnits of ProvisionedThroughput",
        ),
        (
            simple_table(StreamSpecification={"StreamEnabled": True}),
            "Table is being created with a stream enabled, UpdateViewType is required",
        ),
        (
            simple_table(
                StreamSpecification={"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}
            ),
            "Table is being created with a stream disabled, UpdateViewType should not be specified",
        ),
        (
            simple_table(SSESpecification={"Enabled": False, "SSEType": "KMS"}),
            "SSEType can not be specified if Enabled is false",
        ),
        (
            simple_table(SSESpecification={"Enabled": False, "KMSMasterKeyId": "x"}),
            "KMSMasterKeyId can not be specified if Enabled is false",
        ),
        (
            simple_table(SSESpecification={"Enabled": True, "SSEType": "AES256"}),
            "SSEType AES256 is not supported",
        ),
        (
            simple_table(SSESpecification={"Enabled": True, "KMSMasterKeyId": "x"}),
            "SSEType KMS is required if KMSMasterKeyId is specified",
        ),
        (
            indexed({**index("ByX", "x"), "ProvisionedThroughput": UNITS}, attributes="x"),
            "ProvisionedThroughput should not be specified for index: ByX when BillingMode is "
            "PAY_PER_REQUEST",
        ),
        (
            indexed(
                index("ByX", "x"),
                attributes="x",
                BillingMode="PROVISIONED",
                ProvisionedThroughput=UNITS,
            ),
            "ProvisionedThroughput is not specified for index: ByX",
        ),
    ],
)
def test_options_that_do_not_fit(refused, request_, message):
    error = refused("CreateTable", **request_)
    assert (error.code, error.message) == ("ValidationException", PREFIX + message)


def test_units_beyond_all_bounds(refused):
    units = {"ReadCapacityUnits": 1_000_000_000_001, "WriteCapacityUnits": 1}
    assert refused("CreateTable", **provisioned(ProvisionedThroughput=units)).message == (
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds"
    )


def test_what_is_not_offered_is_refused_and_not_ignored(refused):
    error = refused("CreateTable", **simple_table(GlobalTableSettingsReplicationMode="ENABLED"))
    assert error.code == "ValidationException"
    assert "GlobalTableSettingsReplicationMode is not supported" in error.message
    vectors = [
        {
            "IndexName": "vectors",
            "VectorAttribute": {"AttributeName": "embedding"},
            "Dimensions": 3,
            "DistanceFunction": "COSINE",
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ]
    error = refused("CreateTable", **simple_table(VectorIndexes=vectors))
    assert error.code == "ValidationException"
    assert "VectorIndexes is not supported" in error.message


def test_operations_that_are_not_offered_are_unknown(refused):
    error = refused("SearchVectors", TableName="Simple")
    assert error.code == "UnknownOperationException"
    assert "SearchVectors is not supported" in error.message


# --- the account -------------------------------------------------------------------------


def test_limits_and_endpoints(call):
    assert call("DescribeLimits") == {
        "AccountMaxReadCapacityUnits": 80000,
        "AccountMaxWriteCapacityUnits": 80000,
        "TableMaxReadCapacityUnits": 40000,
        "TableMaxWriteCapacityUnits": 40000,
    }
    (endpoint,) = call("DescribeEndpoints")["Endpoints"]
    # Not AWS: a client that follows must stay on this machine.
    assert endpoint == {"Address": "localhost", "CachePeriodInMinutes": 1440}


def test_an_engine_with_one_region_has_no_global_tables(call, refused):
    call("CreateTable", **simple_table())
    assert call("ListGlobalTables") == {"GlobalTables": []}
    assert call("DescribeTableReplicaAutoScaling", TableName="Simple") == {
        "TableAutoScalingDescription": {
            "TableName": "Simple",
            "TableStatus": "ACTIVE",
            "Replicas": [],
        }
    }
    error = refused("DescribeTableReplicaAutoScaling", TableName="Absent")
    assert error.code == "ResourceNotFoundException"
    for operation in ("DescribeGlobalTable", "DescribeGlobalTableSettings"):
        error = refused(operation, GlobalTableName="Simple")
        assert error.code == "GlobalTableNotFoundException"
    for operation in ("CreateGlobalTable", "UpdateContributorInsights", "StartBulkPutItems"):
        assert refused(operation).code == "UnknownOperationException"


def test_no_table_has_contributor_insights(call, refused):
    call("CreateTable", **simple_table())
    assert call("ListContributorInsights") == {"ContributorInsightsSummaries": []}
    assert call("ListContributorInsights", TableName="Simple") == {
        "ContributorInsightsSummaries": []
    }
    error = refused("ListContributorInsights", TableName="Absent")
    assert error.code == "ResourceNotFoundException"


def test_what_a_table_does_not_have(call, refused):
    call("CreateTable", **simple_table())
    assert call("DescribeKinesisStreamingDestination", TableName="Simple") == {
        "TableName": "Simple",
        "KinesisDataStreamDestinations": [],
    }
    assert call("DescribeContributorInsights", TableName="Simple") == {
        "TableName": "Simple",
        "ContributorInsightsStatus": "DISABLED",
    }
    error = refused("DescribeContributorInsights", TableName="Simple", IndexName="None")
    assert error.code == "ResourceNotFoundException"


def test_times_are_to_the_millisecond():
    clock = ManualClock(1_800_000_000.123456)
    with Engine.memory(clock=clock) as engine:
        answer = engine.call("CreateTable", simple_table())["TableDescription"]
    assert answer["CreationDateTime"] == 1_800_000_000.123


def test_requests_and_answers_are_the_callers_to_change(call: Any) -> None:
    request = simple_table()
    expected = [{"AttributeName": "pk", "KeyType": "HASH"}]
    call("CreateTable", **request)
    request["KeySchema"][0]["AttributeName"] = "other"
    for _ in range(2):
        table = call("DescribeTable", TableName="Simple")["Table"]
        assert table["KeySchema"] == expected
        table["KeySchema"].clear()
        table["AttributeDefinitions"].clear()


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_table_that_goes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_disk: bool
) -> None:
    with Engine(tmp_path / "data") if on_disk else Engine.memory() as engine:
        engine.call("CreateTable", simple_table())
        key = strings(pk="a")
        for way, operation, more in (
            ("find", "GetItem", {"Key": key}),
            ("table", "GetItem", {"Key": key, "ConsistentRead": True}),
            ("table", "Scan", {}),
        ):
            look_up = getattr(engine.catalog, way)

            def find_and_delete(name: str, look_up: Any = look_up) -> Any:
                table = look_up(name)
                monkeypatch.undo()
                engine.call("DeleteTable", {"TableName": name})
                engine.jobs.wait()
                return table

            monkeypatch.setattr(engine.catalog, way, find_and_delete)
            with pytest.raises(AwsError, match="resource not found") as caught:
                engine.call(operation, {"TableName": "Simple", **more})
            assert caught.value.code == "ResourceNotFoundException"
            engine.call("CreateTable", simple_table())
