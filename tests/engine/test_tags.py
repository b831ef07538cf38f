"""Tags and resource policies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.engine.samples import composite_table, index, simple_table

from tablewright.engine import Engine


def tags(**pairs: str) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in pairs.items()]


@pytest.fixture
def arn(call) -> str:
    created = call("CreateTable", **simple_table(Tags=tags(first="1")))
    return str(created["TableDescription"]["TableArn"])


@pytest.fixture
def listed(call):
    return lambda arn: call("ListTagsOfResource", ResourceArn=arn)


# --- tags --------------------------------------------------------------------------------


def test_tags_are_added_replaced_and_removed(call, arn, listed):
    assert listed(arn) == {"Tags": tags(first="1")}
    assert call("TagResource", ResourceArn=arn, Tags=tags(second="2", first="new")) == {}
    assert listed(arn) == {"Tags": tags(first="new", second="2")}
    assert call("UntagResource", ResourceArn=arn, TagKeys=["first", "never there"]) == {}
    assert listed(arn) == {"Tags": tags(second="2")}
    call("UntagResource", ResourceArn=arn, TagKeys=["second"])
    assert listed(arn) == {"Tags": []}


def test_tags_survive_the_process_and_other_changes(tmp_path: Path):
    with Engine(tmp_path) as engine:
        created = engine.call("CreateTable", simple_table())
        arn = created["TableDescription"]["TableArn"]
        engine.call("TagResource", {"ResourceArn": arn, "Tags": tags(a="1")})
        engine.call("UpdateTable", {"TableName": "Simple", "DeletionProtectionEnabled": True})
    with Engine(tmp_path) as engine:
        answer = engine.call("ListTagsOfResource", {"ResourceArn": arn})
        assert answer == {"Tags": tags(a="1")}
        assert engine.call("DescribeTable", {"TableName": "Simple"})["Table"][
            "DeletionProtectionEnabled"
        ]


def test_fifty_tags_and_no_more(call, arn, listed, refused):
    call("UntagResource", ResourceArn=arn, TagKeys=["first"])
    fifty = tags(**{f"key{number}": "v" for number in range(50)})
    call("TagResource", ResourceArn=arn, Tags=fifty)
    assert listed(arn) == {"Tags": fifty}
    # Replacing is possible even when the table is full.
    call("TagResource", ResourceArn=arn, Tags=tags(key0="new"))
    too_many = "Number of Tags exceed the current limit for the provided ResourceArn"
    error = refused("TagResource", ResourceArn=arn, Tags=tags(more="v"))
    assert (error.code, error.message) == ("ValidationException", too_many)
    request = simple_table("Other", Tags=[*fifty, *tags(more="v")])
    assert refused("CreateTable", **request).message == too_many
    assert call("ListTables")["TableNames"] == ["Simple"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([], "Atleast one Tag needs to be provided as Input."),
        (tags(**{"": "v"}), "The Tag Key provided is invalid, Key: "),
        (tags(**{"k" * 129: "v"}), "The Tag Key provided is invalid, Key: " + "k" * 129),
        (tags(**{"a#b": "v"}), "The Tag Key provided is invalid, Key: a#b"),
        (tags(k="v" * 257), "The Tag Value provided is invalid, Value: " + "v" * 257),
        (tags(k="100%"), "The Tag Value provided is invalid, Value: 100%"),
        ([{"Key": "k"}], "The Tag Value provided is invalid, Value: null"),
        ([{"Value": "v"}], "The Tag Key provided is invalid, Key: null"),
        (tags(**{"aws:x": "v"}), "Tag Key cannot be prefixed with aws:, Key: aws:x"),
        (
            [*tags(k="1"), *tags(k="2")],
            "Duplicate Tag Keys provided as input: Duplicate Tag Key found k",
        ),
    ],
)
def test_wrong_tags(arn, listed, refused, wrong, message):
    good = tags(good="1") if wrong else []
    error = refused("TagResource", ResourceArn=arn, Tags=[*good, *wrong])
    assert (error.code, error.message) == ("ValidationException", message)
    assert listed(arn) == {"Tags": tags(first="1")}


@pytest.mark.parametrize("text", ["ключ", "café", "表", "a+b-c=d.e_f:g/h@i", "a b", "k" * 128, " "])
def test_letters_of_any_script_are_fine(call, arn, listed, text):
    call("TagResource", ResourceArn=arn, Tags=tags(**{text: text}))
    assert listed(arn)["Tags"][-1] == {"Key": text, "Value": text}
    call("TagResource", ResourceArn=arn, Tags=tags(**{text: ""}))
    assert listed(arn)["Tags"][-1] == {"Key": text, "Value": ""}


def test_tags_are_looked_at_before_the_table(arn, refused):
    error = refused("TagResource", ResourceArn=arn + "x", Tags=[])
    assert error.message == "Atleast one Tag needs to be provided as Input."
    error = refused("UntagResource", ResourceArn=arn + "x", TagKeys=[])
    assert error.message == "Atleast one Tag Key needs to be provided as Input."


def test_keys_to_remove(arn, refused):
    error = refused("UntagResource", ResourceArn=arn, TagKeys=[])
    assert error.message == "Atleast one Tag Key needs to be provided as Input."
    error = refused("UntagResource", ResourceArn=arn, TagKeys=["k" * 129])
    assert error.message == "The Tag Key provided is invalid, Key: " + "k" * 129
    error = refused("UntagResource", ResourceArn=arn, TagKeys=[f"k{n}" for n in range(51)])
    assert error.message == ("Number of Tags exceed the current limit for the provided ResourceArn")


def test_all_tags_together_are_limited(call, arn, refused):
    for number in range(40):
        call("TagResource", ResourceArn=arn, Tags=tags(**{f"key{number:02}": "v" * 250}))
    error = refused("TagResource", ResourceArn=arn, Tags=tags(one="v" * 250))
    assert error.code == "ValidationException"
    assert error.message.startswith("Tag set size ")
    assert error.message.endswith(" bytes is above max size limit of 10240 bytes")


OPERATIONS: list[tuple[str, dict[str, Any]]] = [
    ("TagResource", {"Tags": tags(a="1")}),
    ("UntagResource", {"TagKeys": ["a"]}),
    ("ListTagsOfResource", {}),
]


@pytest.mark.parametrize(("operation", "more"), OPERATIONS)
def test_arns(arn, refused, operation, more):
    error = refused(operation, ResourceArn=arn + "x", **more)
    assert error.code == "ResourceNotFoundException"
    assert error.message == f"Requested resource not found: ResourceArn: {arn}x not found"
    for wrong, message in (
        ("Simple", "One or more parameter values were invalid: ARNs must start with 'arn:': "),
        (
            "arn:aws:s3:::bucket",
            "One or more parameter values were invalid: Provided Arn is not a DynamoDB "
            "resource arn: ",
        ),
        (
            "arn:aws:dynamodb:us-east-1:000000000000:table/ab",
            "Invalid TableArn: Invalid ResourceArn provided as input ",
        ),
    ):
        error = refused(operation, ResourceArn=wrong, **more)
        assert (error.code, error.message) == ("ValidationException", message + wrong)
    foreign = "arn:aws:dynamodb:us-east-1:999999999999:table/Simple"
    error = refused(operation, ResourceArn=foreign, **more)
    assert error.code == "AccessDeniedException"
    assert f"is not authorized to perform: dynamodb:{operation} on resource" in error.message


def test_an_index_has_no_tags(call, refused):
    attributes = [{"AttributeName": "x", "AttributeType": "S"}]
    request = composite_table(
        AttributeDefinitions=attributes, GlobalSecondaryIndexes=[index("ByX", "x")]
    )
    created = call("CreateTable", **request)["TableDescription"]
    arn = created["GlobalSecondaryIndexes"][0]["IndexArn"]
    error = refused("ListTagsOfResource", ResourceArn=arn)
    assert error.code == "ValidationException"
    assert "only table or stream is accepted" in error.message


def test_a_new_table_of_an_old_name_has_no_tags(call, arn, listed):
    call("DeleteTable", TableName="Simple")
    call("CreateTable", **simple_table())
    assert listed(arn) == {"Tags": []}


# --- policies ----------------------------------------------------------------------------


def policy(action: str = "GetItem", **more: Any) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"AWS": "arn:aws:iam::111122223333:root"},
        "Action": f"dynamodb:{action}",
        "Resource": "*",
        **more,
    }
    return orjson.dumps({"Version": "2012-10-17", "Statement": [statement]}).decode()


def test_a_policy_is_put_got_and_deleted(call, arn, refused, clock):
    error = refused("GetResourcePolicy", ResourceArn=arn)
    assert error.code == "PolicyNotFoundException"
    assert error.message == (f"Resource-based policy not found for the provided ResourceArn: {arn}")
    first = call("PutResourcePolicy", ResourceArn=arn, Policy=policy())
    assert first == {"RevisionId": str(int(clock.now() * 1000))}
    assert call("GetResourcePolicy", ResourceArn=arn) == {**first, "Policy": policy()}
    # The same document in other words is the same policy.
    spaced = orjson.dumps(orjson.loads(policy()), option=orjson.OPT_INDENT_2).decode()
    assert call("PutResourcePolicy", ResourceArn=arn, Policy=spaced) == first
    second = call("PutResourcePolicy", ResourceArn=arn, Policy=policy("PutItem"))
    assert second != first
    assert call("DeleteResourcePolicy", ResourceArn=arn) == second
    assert call("DeleteResourcePolicy", ResourceArn=arn) == {}
    assert refused("GetResourcePolicy", ResourceArn=arn).code == "PolicyNotFoundException"


def test_revisions_guard_against_lost_updates(call, arn, refused):
    put = {"ResourceArn": arn, "Policy": policy()}
    error = refused("PutResourcePolicy", **put, ExpectedRevisionId="1")
    assert error.code == "PolicyNotFoundException"
    revision = call("PutResourcePolicy", **put, ExpectedRevisionId="NO_POLICY")["RevisionId"]
    other = {"ResourceArn": arn, "Policy": policy("PutItem")}
    error = refused("PutResourcePolicy", **other, ExpectedRevisionId="NO_POLICY")
    assert error.message == (
        "Resource-based policy not found for the provided ResourceArn: Requested policy update "
        "expecting none to be present for table Simple, but a policy exists with revision id "
        f"{revision}."
    )
    for operation in ("PutResourcePolicy", "DeleteResourcePolicy"):
        more = {"Policy": policy("PutItem")} if operation.startswith("Put") else {}
        error = refused(operation, ResourceArn=arn, ExpectedRevisionId="1", **more)
        assert (error.code, error.message) == (
            "PolicyNotFoundException",
            "Resource-based policy not found for the provided ResourceArn: Requested update for "
            "policy with revision id 1, but the policy associated to target table Simple has "
            f"revision id {revision}.",
        )
    call("PutResourcePolicy", **other, ExpectedRevisionId=revision)


def test_a_policy_from_the_start(call):
    created = call("CreateTable", **simple_table(ResourcePolicy=policy()))["TableDescription"]
    assert "policy" not in created
    answer = call("GetResourcePolicy", ResourceArn=created["TableArn"])
    assert answer["Policy"] == policy()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "This policy contains invalid Json"),
        ("[]", "This policy contains invalid Json"),
        ("{}", "Syntax error at position (1,3)"),
        ('{"Statement": []}', "Could not parse the policy: Statement is empty!"),
        ('{"Statement": [{}]}', "Missing required field Effect"),
        ('{"Statement": [{"Effect": "Deny"}]}', "Missing required field Resource"),
    ],
)
def test_documents_that_are_no_policies(arn, refused, text, reason):
    error = refused("PutResourcePolicy", ResourceArn=arn, Policy=text)
    assert (error.code, error.message) == (
        "ValidationException",
        "One or more parameter values were invalid: Invalid policy document: " + reason,
    )


def test_a_policy_has_a_size(arn, refused):
    error = refused("PutResourcePolicy", ResourceArn=arn, Policy=policy(Sid="x" * 20_480))
    assert error.message == (
        "One or more parameter values were invalid: Maximum policy size of 20480 bytes exceeded"
    )


def test_a_stream_has_a_policy_of_its_own(call, refused, clock):
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    created = call("CreateTable", **simple_table("Streaming", StreamSpecification=stream))
    table, arn = (created["TableDescription"][name] for name in ("TableArn", "LatestStreamArn"))
    assert refused("GetResourcePolicy", ResourceArn=arn).code == "PolicyNotFoundException"
    put = {"ResourceArn": arn, "Policy": policy("GetRecords")}
    error = refused("PutResourcePolicy", **put, ExpectedRevisionId="1")
    assert error.code == "PolicyNotFoundException"
    first = call("PutResourcePolicy", **put)
    assert call("GetResourcePolicy", ResourceArn=arn) == {**first, "Policy": put["Policy"]}
    assert refused("GetResourcePolicy", ResourceArn=table).code == "PolicyNotFoundException"
    # It is nothing that describing the stream tells, and stays while the stream can be read.
    described = call("DescribeStream", StreamArn=arn)["StreamDescription"]
    assert "policy" not in described
    error = refused("PutResourcePolicy", **put, ExpectedRevisionId="NO_POLICY")
    assert f"expecting none to be present for stream {arn}" in error.message
    call("DeleteTable", TableName="Streaming")
    assert call("GetResourcePolicy", ResourceArn=arn)["Policy"] == put["Policy"]
    assert call("DeleteResourcePolicy", ResourceArn=arn) == first
    assert refused("GetResourcePolicy", ResourceArn=arn).code == "PolicyNotFoundException"
    clock.advance(25 * 3600)
    error = refused("GetResourcePolicy", ResourceArn=arn)
    assert error.code == "ResourceNotFoundException"
    assert error.message == f"Requested resource not found: Stream: {arn} not found"


def test_a_stream_has_no_tags(call, refused):
    stream = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    created = call("CreateTable", **simple_table("Streaming", StreamSpecification=stream))
    arn = created["TableDescription"]["LatestStreamArn"]
    assert refused("ListTagsOfResource", ResourceArn=arn).code == "ValidationException"
    foreign = arn.replace(arn.split(":")[4], "999999999999")
    assert refused("GetResourcePolicy", ResourceArn=foreign).code == "ValidationException"


def test_policies_of_other_tables(arn, refused):
    error = refused("GetResourcePolicy", ResourceArn=arn + "x")
    assert error.code == "ResourceNotFoundException"
    assert error.message == "Requested resource not found: Table: Simplex not found"
    foreign = "arn:aws:dynamodb:us-east-1:999999999999:table/Simple"
    assert refused("GetResourcePolicy", ResourceArn=foreign).code == "ValidationException"
