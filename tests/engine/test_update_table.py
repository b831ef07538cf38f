"""UpdateTable: billing, throughput, streams, protection, and its rules; indexes' definitions."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.samples import composite_table, index, simple_table, strings

from tablewright.engine import Engine

PREFIX = "One or more parameter values were invalid: "
STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}


def units(read: int, write: int) -> dict[str, int]:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


def attribute(name: str, kind: str = "S") -> dict[str, str]:
    return {"AttributeName": name, "AttributeType": kind}


def create(name: str, *keys: str, **more: Any) -> dict[str, Any]:
    return {"Create": {**index(name, *keys), **more}}


@pytest.fixture
def table(call):
    """An on-demand table ``Simple``; returns a function that updates it."""
    call("CreateTable", **simple_table())
    return lambda **request: call("UpdateTable", TableName="Simple", **request)["TableDescription"]


@pytest.fixture
def fixed(call):
    """A provisioned table ``Fixed`` with the index ``ByX``; returns a function to update it."""
    request = composite_table(
        "Fixed",
        AttributeDefinitions=[attribute("x")],
        GlobalSecondaryIndexes=[{**index("ByX", "x"), "ProvisionedThroughput": units(2, 2)}],
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(5, 5),
    )
    call("CreateTable", **request)
    return lambda **request: call("UpdateTable", TableName="Fixed", **request)["TableDescription"]


@pytest.fixture
def described(call):
    return lambda name="Simple": call("DescribeTable", TableName=name)["Table"]


# --- the request by itself ---------------------------------------------------------------

NOTHING = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)


@pytest.mark.parametrize(
    "request_",
    [
        {},
        {"GlobalSecondaryIndexUpdates": []},
        {"AttributeDefinitions": [attribute("pk")]},
        {"WarmThroughput": {}},
    ],
)
def test_nothing_to_do(refused, request_):
    # Said of a missing table as well: the request is looked at first.
    error = refused("UpdateTable", TableName="Missing", **request_)
    assert (error.code, error.message) == ("ValidationException", NOTHING)


def test_a_missing_table_is_named(refused):
    error = refused("UpdateTable", TableName="Missing", DeletionProtectionEnabled=True)
    assert error.code == "ResourceNotFoundException"
    assert error.message == "Requested resource not found: Table: Missing not found"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            {"DeletionProtectionEnabled": True, "GlobalSecondaryIndexUpdates": []},
            "List of GlobalSecondaryIndexUpdates is empty",
        ),
        (
            {"DeletionProtectionEnabled": True, "StreamSpecification": STREAM},
            "DeletionProtection modification must be the only operation in the request",
        ),
        (
            {"DeletionProtectionEnabled": True, "TableClass": "STANDARD"},
            "TableClass modification must be the only operation in the request",
        ),
        (
            {"TableClass": "STANDARD", "SSESpecification": {"Enabled": True}},
            "Server-Side Encryption modification must be the only operation in the request",
        ),
        (
            {"WarmThroughput": {"ReadUnitsPerSecond": 1}, "BillingMode": "PAY_PER_REQUEST"},
            "WarmThroughput must be the only operation in the request",
        ),
        (
            {"OnDemandThroughput": {"MaxReadRequestUnits": 1}, "StreamSpecification": STREAM},
            "OnDemandThroughput can only be combined with BillingMode in an UpdateTable request",
        ),
        (
            {"ProvisionedThroughput": units(1, 1), "StreamSpecification": STREAM},
            "You cannot modify stream status while updating table IOPS",
        ),
        (
            {
                "ProvisionedThroughput": units(1, 1),
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByX"}}],
            },
            "You cannot create or delete index while updating table IOPS",
        ),
        (
            {
                "StreamSpecification": STREAM,
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "ByX"}}],
            },
            "You cannot create or delete index while changing stream status",
        ),
        (
            {"BillingMode": "PROVISIONED"},
            "ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
        ),
        (
            {"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": units(1, 1)},
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
            "BillingMode is PAY_PER_REQUEST",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": True}},
            "If stream is being enabled then UpdateViewType is required",
        ),
        (
            {"StreamSpecification": {"StreamEnabled": False, "StreamViewType": "NEW_IMAGE"}},
            "If stream is being disabled, then UpdateViewType must not be specified",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [{}]},
            "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
            "GlobalSecondaryIndexUpdate.Delete must not be null",
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {"Delete": {"IndexName": "one"}, "Update": {"IndexName": "two"}}
                ]
            },
            "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate "
            "object",
        ),
        (
            {
                "GlobalSecondaryIndexUpdates": [
                    {"Delete": {"IndexName": "one"}},
                    {"Update": {"IndexName": "one"}},
                ]
            },
            "Only one global secondary index update per index is allowed simultaneously. "
            "Index: one",
        ),
        (
            {"GlobalSecondaryIndexUpdates": [create("New", "x")]},
            "AttributeDefinitions is not specified for index: New",
        ),
        (
            {
                "AttributeDefinitions": [attribute("y")],
                "GlobalSecondaryIndexUpdates": [create("New", "x")],
            },
            "Some index key attributes are not defined in AttributeDefinitions. "
            "Keys: [x], AttributeDefinitions: [y]",
        ),
    ],
)
def test_requests_that_are_wrong_by_themselves(table, refused, request_, message):
    error = refused("UpdateTable", TableName="Missing", **request_)
    assert (error.code, error.message) == ("ValidationException", PREFIX + message)


def test_what_is_not_offered_is_refused_and_not_ignored(table, refused):
    replicas = [{"Create": {"RegionName": "eu-west-1"}}]
    error = refused("UpdateTable", TableName="Simple", ReplicaUpdates=replicas)
    assert error.code == "ValidationException"
    assert "ReplicaUpdates is not supported" in error.message


# --- throughput --------------------------------------------------------------------------


def test_units_go_up_and_down(fixed, described, clock):
    answer = fixed(ProvisionedThroughput=units(9, 9))
    # The answer still has the old units, as the service is only about to change them.
    assert answer["TableStatus"] == "UPDATING"
    assert answer["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert answer["ProvisionedThroughput"]["LastIncreaseDateTime"] == clock.now()
    table = described("Fixed")
    assert table["TableStatus"] == "ACTIVE"
    assert table["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "LastIncreaseDateTime": clock.now(),
        **units(9, 9),
    }
    clock.advance(10)
    fixed(ProvisionedThroughput=units(3, 12))
    kept = described("Fixed")["ProvisionedThroughput"]
    assert kept == {
        "NumberOfDecreasesToday": 1,
        "LastIncreaseDateTime": clock.now(),
        "LastDecreaseDateTime": clock.now(),
        **units(3, 12),
    }
    # What could be served at once can still be served at once.
    warm = described("Fixed")["WarmThroughput"]
    assert (warm["ReadUnitsPerSecond"], warm["WriteUnitsPerSecond"]) == (9, 12)


def test_decreases_are_counted_by_the_day(fixed, described, clock):
    for read in (4, 3):
        fixed(ProvisionedThroughput=units(read, 5))
    assert described("Fixed")["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 2
    clock.advance(24 * 3600)
    assert described("Fixed")["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 0
    fixed(ProvisionedThroughput=units(2, 5))
    assert described("Fixed")["ProvisionedThroughput"]["NumberOfDecreasesToday"] == 1


@pytest.mark.parametrize("more", [{}, {"BillingMode": "PROVISIONED"}])
def test_the_same_units_again(fixed, refused, more):
    error = refused("UpdateTable", TableName="Fixed", ProvisionedThroughput=units(5, 5), **more)
    assert error.code == "ValidationException"
    assert error.message == (
        "The provisioned throughput for the table will not change. The requested value equals "
        "the current value. Current ReadCapacityUnits provisioned for the table: 5. Requested "
        "ReadCapacityUnits: 5. Current WriteCapacityUnits provisioned for the table: 5. "
        "Requested WriteCapacityUnits: 5. Refer to the Amazon DynamoDB Developer Guide for "
        "current limits and how to request higher limits."
    )


def test_units_of_an_index(fixed, described, refused):
    update = {"Update": {"IndexName": "ByX", "ProvisionedThroughput": units(4, 4)}}
    answer = fixed(GlobalSecondaryIndexUpdates=[update])
    assert answer["TableStatus"] == "ACTIVE"
    (shown,) = answer["GlobalSecondaryIndexes"]
    assert shown["IndexStatus"] == "UPDATING"
    assert shown["ProvisionedThroughput"]["ReadCapacityUnits"] == 2
    (kept,) = described("Fixed")["GlobalSecondaryIndexes"]
    assert kept["IndexStatus"] == "ACTIVE"
    assert kept["ProvisionedThroughput"]["ReadCapacityUnits"] == 4
    error = refused("UpdateTable", TableName="Fixed", GlobalSecondaryIndexUpdates=[update])
    assert error.message.startswith(
        "The provisioned throughput for the index ByX will not change. The requested value equals "
        "the current value. Current ReadCapacityUnits provisioned for index ByX: 4. "
    )


def test_nothing_is_changed_if_one_part_cannot_be(fixed, described, refused):
    before = described("Fixed")
    error = refused(
        "UpdateTable",
        TableName="Fixed",
        ProvisionedThroughput=units(9, 9),
        GlobalSecondaryIndexUpdates=[
            {"Update": {"IndexName": "Ghost", "ProvisionedThroughput": units(4, 4)}}
        ],
    )
    assert error.code == "ResourceNotFoundException"
    assert error.message == "Requested resource not found: Index Ghost for table Fixed"
    assert described("Fixed") == before


def test_units_of_an_index_beyond_all_bounds(fixed, refused):
    update = {"IndexName": "Ghost", "ProvisionedThroughput": units(1_000_000_000_001, 1)}
    error = refused(
        "UpdateTable", TableName="Fixed", GlobalSecondaryIndexUpdates=[{"Update": update}]
    )
    assert (error.code, error.message) == (
        "ValidationException",
        "This operation cannot be performed with given input values. Please contact DynamoDB "
        "service team for more info: Action Blocked: IndexUpdate",
    )


def test_units_of_an_on_demand_table(table, refused):
    error = refused("UpdateTable", TableName="Simple", ProvisionedThroughput=units(1, 1))
    assert error.message == (
        PREFIX + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
        "BillingMode is PAY_PER_REQUEST"
    )


# --- billing mode ------------------------------------------------------------------------


def test_from_provisioned_to_on_demand_and_back(fixed, described, refused, clock):
    answer = fixed(BillingMode="PAY_PER_REQUEST")
    assert answer["TableStatus"] == "UPDATING"
    assert answer["BillingModeSummary"] == {"BillingMode": "PAY_PER_REQUEST"}
    assert answer["GlobalSecondaryIndexes"][0]["IndexStatus"] == "UPDATING"
    table = described("Fixed")
    assert table["BillingModeSummary"] == {
        "BillingMode": "PAY_PER_REQUEST",
        "LastUpdateToPayPerRequestDateTime": clock.now(),
    }
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 0
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12000

    request = {"BillingMode": "PROVISIONED", "ProvisionedThroughput": units(5, 5)}
    error = refused("UpdateTable", TableName="Fixed", **request)
    assert error.message == PREFIX + "ProvisionedThroughput must be specified for index: ByX"
    update = {"Update": {"IndexName": "ByX", "ProvisionedThroughput": units(3, 3)}}
    answer = fixed(**request, GlobalSecondaryIndexUpdates=[update])
    assert answer["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    table = described("Fixed")
    assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert table["ProvisionedThroughput"]["ReadCapacityUnits"] == 5
    assert table["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 3
    assert table["WarmThroughput"]["ReadUnitsPerSecond"] == 12000


def test_the_same_billing_mode_again(table, described):
    assert table(BillingMode="PAY_PER_REQUEST")["TableStatus"] == "UPDATING"
    assert described()["TableStatus"] == "ACTIVE"


def test_bounds_of_an_on_demand_table(table, described, refused):
    answer = table(OnDemandThroughput={"MaxReadRequestUnits": 10, "MaxWriteRequestUnits": 20})
    assert answer["TableStatus"] == "ACTIVE"
    table(OnDemandThroughput={"MaxReadRequestUnits": 11})
    assert described()["OnDemandThroughput"] == {
        "MaxReadRequestUnits": 11,
        "MaxWriteRequestUnits": 20,
    }
    answer = table(OnDemandThroughput={"MaxReadRequestUnits": -1})
    assert answer["OnDemandThroughput"]["MaxReadRequestUnits"] == -1
    assert described()["OnDemandThroughput"] == {"MaxWriteRequestUnits": 20}
    table(OnDemandThroughput={"MaxWriteRequestUnits": -1})
    assert "OnDemandThroughput" not in described()
    error = refused(
        "UpdateTable", TableName="Simple", OnDemandThroughput={"MaxReadRequestUnits": 0}
    )
    assert error.message == (
        PREFIX + "Requested MaxReadRequestUnits for OnDemandThroughput for table is outside of "
        "valid range"
    )


def test_bounds_end_with_the_billing_mode(table, described, fixed, refused):
    table(OnDemandThroughput={"MaxReadRequestUnits": 10})
    table(BillingMode="PROVISIONED", ProvisionedThroughput=units(1, 1))
    assert "OnDemandThroughput" not in described()
    error = refused("UpdateTable", TableName="Fixed", OnDemandThroughput={"MaxReadRequestUnits": 1})
    assert error.message == (
        PREFIX + "MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED"
    )


def test_warm_throughput_only_grows(table, described, refused):
    answer = table(WarmThroughput={"ReadUnitsPerSecond": 13000})
    assert answer["TableStatus"] == "ACTIVE"
    assert answer["WarmThroughput"]["ReadUnitsPerSecond"] == 12000
    assert described()["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13000,
        "WriteUnitsPerSecond": 4000,
        "Status": "ACTIVE",
    }
    error = refused("UpdateTable", TableName="Simple", WarmThroughput={"WriteUnitsPerSecond": 1})
    assert error.message == (
        PREFIX + "Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
        "current WarmThroughput, decreasing WarmThroughput is not supported"
    )


def test_an_index_of_an_on_demand_table(call, described, refused):
    request = composite_table(
        AttributeDefinitions=[attribute("x")], GlobalSecondaryIndexes=[index("ByX", "x")]
    )
    call("CreateTable", **request)

    def update(**more: Any) -> dict[str, Any]:
        return {
            "TableName": "Composite",
            "GlobalSecondaryIndexUpdates": [{"Update": {"IndexName": "ByX", **more}}],
        }

    call("UpdateTable", **update(OnDemandThroughput={"MaxReadRequestUnits": 7}))
    call("UpdateTable", **update(WarmThroughput={"WriteUnitsPerSecond": 4100}))
    (kept,) = described("Composite")["GlobalSecondaryIndexes"]
    assert kept["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
    assert kept["WarmThroughput"]["WriteUnitsPerSecond"] == 4100
    only = (
        PREFIX + "The only Updates for index: ByX when TableThroughputMode is PAY_PER_REQUEST "
        "can be to OnDemandThroughput, WarmThroughput"
    )
    assert refused("UpdateTable", **update()).message == only
    assert refused("UpdateTable", **update(ProvisionedThroughput=units(1, 1))).message == only
    assert refused("UpdateTable", **update(WarmThroughput={})).message == (
        PREFIX + "WarmThroughput must have at least one of ReadUnitsPerSecond or "
        "WriteUnitsPerSecond specified for index: ByX"
    )


# --- streams, protection, encryption, class ----------------------------------------------


def test_a_stream_on_and_off(table, described, refused):
    answer = table(StreamSpecification=STREAM)
    assert answer["TableStatus"] == "UPDATING"
    assert answer["StreamSpecification"] == STREAM
    first = described()["LatestStreamArn"]
    error = refused("UpdateTable", TableName="Simple", StreamSpecification=STREAM)
    assert error.message == "Table already has an enabled stream: TableName: Simple"
    table(StreamSpecification={"StreamEnabled": False})
    assert "StreamSpecification" not in described()
    assert described()["LatestStreamArn"] == first
    error = refused("UpdateTable", TableName="Simple", StreamSpecification={"StreamEnabled": False})
    assert error.message == "Table has no stream to disable: TableName: Simple"
    table(StreamSpecification=STREAM)
    assert described()["LatestStreamArn"] != first


def test_a_stream_together_with_a_billing_mode(fixed, described):
    fixed(BillingMode="PAY_PER_REQUEST", StreamSpecification=STREAM)
    assert described("Fixed")["StreamSpecification"] == STREAM
    assert described("Fixed")["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"


def test_protection_against_deletion(table, described):
    for wanted in (True, True, False):
        answer = table(DeletionProtectionEnabled=wanted)
        assert answer["TableStatus"] == "ACTIVE"
        assert answer["DeletionProtectionEnabled"] is wanted
        assert described()["DeletionProtectionEnabled"] is wanted


def test_encryption(table, described, refused):
    error = refused("UpdateTable", TableName="Simple", SSESpecification={"Enabled": False})
    assert error.message == PREFIX + "Table is already encrypted by default"
    answer = table(SSESpecification={"Enabled": True})
    assert answer["SSEDescription"]["Status"] == "UPDATING"
    assert answer["TableStatus"] == "ACTIVE"
    kept = described()["SSEDescription"]
    assert kept["Status"] == "ENABLED"
    same = {"SSEType": "KMS", "KMSMasterKeyId": kept["KMSMasterKeyArn"]}
    error = refused("UpdateTable", TableName="Simple", SSESpecification=same)
    assert error.message == (
        PREFIX + "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId "
        "parameter if you want to change Master Key"
    )
    table(SSESpecification={"Enabled": False})
    assert "SSEDescription" not in described()


def test_table_class(table, described, clock):
    table(TableClass="STANDARD")
    assert "TableClassSummary" not in described()
    answer = table(TableClass="STANDARD_INFREQUENT_ACCESS")
    assert answer["TableStatus"] == "UPDATING"
    assert "TableClassSummary" not in answer
    assert described()["TableClassSummary"] == {
        "TableClass": "STANDARD_INFREQUENT_ACCESS",
        "LastUpdateDateTime": clock.now(),
    }
    table(TableClass="STANDARD")
    assert described()["TableClassSummary"]["TableClass"] == "STANDARD"


# --- adding and removing indexes ---------------------------------------------------------


def test_an_index_is_added_and_removed(table, described, call, refused):
    answer = table(
        AttributeDefinitions=[attribute("y", "N"), attribute("x"), attribute("unused")],
        GlobalSecondaryIndexUpdates=[create("ByX", "x", "y")],
    )
    assert answer["TableStatus"] == "UPDATING"
    (shown,) = answer["GlobalSecondaryIndexes"]
    assert (shown["IndexStatus"], shown["Backfilling"]) == ("CREATING", False)
    assert shown["ItemCount"] == 0
    kept = described()
    # Attributes that no key uses are not kept.
    assert [each["AttributeName"] for each in kept["AttributeDefinitions"]] == ["pk", "x", "y"]
    assert kept["GlobalSecondaryIndexes"][0]["IndexStatus"] == "ACTIVE"
    assert "Backfilling" not in kept["GlobalSecondaryIndexes"][0]

    answer = table(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByX"}}])
    (shown,) = answer["GlobalSecondaryIndexes"]
    assert shown["IndexStatus"] == "DELETING"
    kept = described()
    assert "GlobalSecondaryIndexes" not in kept
    assert [each["AttributeName"] for each in kept["AttributeDefinitions"]] == ["pk"]
    assert refused("Scan", TableName="Simple", IndexName="ByX").code == "ValidationException"
    # The attribute is nobody's key any more and may be of any type.
    call("PutItem", TableName="Simple", Item={"pk": {"S": "1"}, "x": {"N": "1"}})


def test_an_attribute_that_another_key_uses_stays_defined(call, described):
    request = composite_table(
        AttributeDefinitions=[attribute("x")],
        GlobalSecondaryIndexes=[index("ByX", "x")],
        LocalSecondaryIndexes=[index("Local", "pk", "x")],
    )
    call("CreateTable", **request)
    call(
        "UpdateTable",
        TableName="Composite",
        GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByX"}}],
    )
    names = [each["AttributeName"] for each in described("Composite")["AttributeDefinitions"]]
    assert names == ["pk", "sk", "x"]


def test_indexes_that_cannot_be_added(fixed, call, refused):
    def add(*updates: Any, kind: str = "S") -> Any:
        return refused(
            "UpdateTable",
            TableName="Fixed",
            AttributeDefinitions=[attribute("x", kind), attribute("pk"), attribute("new")],
            GlobalSecondaryIndexUpdates=list(updates),
        )

    more = {"ProvisionedThroughput": units(1, 1)}
    error = add(create("ByX", "new", **more))
    assert error.code == "ValidationException"
    assert error.message == "Attempting to create an index which already exists"
    error = add(create("New", "x", **more), kind="N")
    assert error.message == (
        PREFIX + "Attributes cannot be redefined. Please check that your attribute has the same "
        "type as previously defined. Existing schema: Schema:[SchemaElement: key{x:S:HASH}] "
        "New schema: Schema:[SchemaElement: key{x:N:HASH}]"
    )
    error = add(create("New", "new"))
    assert error.message == (
        PREFIX + "Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: New"
    )
    one_only = (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted "
        "simultaneously per table"
    )
    for updates in (
        (create("One", "new", **more), create("Two", "new", **more)),
        (create("One", "new", **more), {"Delete": {"IndexName": "ByX"}}),
        ({"Delete": {"IndexName": "Ghost"}}, {"Delete": {"IndexName": "ByX"}}),
    ):
        error = add(*updates)
        assert (error.code, error.message) == ("LimitExceededException", one_only)


def test_units_for_an_index_of_an_on_demand_table(table, refused):
    error = refused(
        "UpdateTable",
        TableName="Simple",
        AttributeDefinitions=[attribute("x")],
        GlobalSecondaryIndexUpdates=[create("ByX", "x", ProvisionedThroughput=units(1, 1))],
    )
    assert error.message == (
        PREFIX + "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
        "ByX when BillingMode is PAY_PER_REQUEST"
    )


def test_the_twenty_first_index(call, refused):
    request = composite_table(
        AttributeDefinitions=[attribute("x")],
        GlobalSecondaryIndexes=[index(f"Index{number}", "x") for number in range(20)],
    )
    call("CreateTable", **request)
    error = refused(
        "UpdateTable",
        TableName="Composite",
        AttributeDefinitions=[attribute("x")],
        GlobalSecondaryIndexUpdates=[create("More", "x")],
    )
    assert error.code == "LimitExceededException"
    assert error.message == (
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table "
        "limit of 20"
    )


@pytest.mark.parametrize("kind", ["Delete", "Update"])
def test_only_global_indexes_can_be_changed(call, refused, kind):
    request = composite_table(
        AttributeDefinitions=[attribute("x")], LocalSecondaryIndexes=[index("Local", "pk", "x")]
    )
    call("CreateTable", **request)
    for name, code, message in (
        (
            "Local",
            "ValidationException",
            f"Cannot {kind.lower()} an index that is not a GlobalSecondaryIndex: Local",
        ),
        (
            "Ghost",
            "ResourceNotFoundException",
            "Requested resource not found: Index Ghost for table Composite",
        ),
    ):
        error = refused(
            "UpdateTable",
            TableName="Composite",
            GlobalSecondaryIndexUpdates=[{kind: {"IndexName": name}}],
        )
        assert (error.code, error.message) == (code, message)


def test_an_index_that_was_removed_can_be_added_again(table, call):
    call("PutItem", TableName="Simple", Item=strings(pk="1", x="1"))
    for _ in range(2):
        table(
            AttributeDefinitions=[attribute("x")],
            GlobalSecondaryIndexUpdates=[create("ByX", "x")],
        )
        assert call("Scan", TableName="Simple", IndexName="ByX")["Count"] == 1
        table(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "ByX"}}])


def test_an_index_together_with_a_billing_mode(fixed, described):
    fixed(
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[attribute("y")],
        GlobalSecondaryIndexUpdates=[create("ByY", "y")],
    )
    kept = described("Fixed")
    assert kept["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert [each["IndexName"] for each in kept["GlobalSecondaryIndexes"]] == ["ByX", "ByY"]


def test_a_change_survives_the_process(tmp_path):
    with Engine(tmp_path) as engine:
        engine.call("CreateTable", simple_table())
        engine.call(
            "UpdateTable",
            {
                "TableName": "Simple",
                "AttributeDefinitions": [attribute("x")],
                "GlobalSecondaryIndexUpdates": [create("ByX", "x")],
            },
        )
        before = engine.call("DescribeTable", {"TableName": "Simple"})
    with Engine(tmp_path) as engine:
        assert engine.call("DescribeTable", {"TableName": "Simple"}) == before
