"""CloudFormation and SAM: clean by cfn-lint, and the same tables as the model creates itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import yaml
from tests.deploy.templates import corners
from tests.deploy.templates.samples import ALL, sample

from tablewright.client import Db, Embedded
from tablewright.deploy.naming import Naming
from tablewright.deploy.problems import DeployError
from tablewright.deploy.templates.alarms import alarms_of
from tablewright.deploy.templates.cfn_tables import table_id
from tablewright.deploy.templates.cloudformation import cloudformation
from tablewright.deploy.templates.iam import components
from tablewright.deploy.templates.sam import sam
from tablewright.deploy.templates.settings import Settings
from tablewright.deploy.templates.terraform import terraform
from tablewright.deploy.templates.yaml import to_yaml
from tablewright.deploy.verify import verify
from tablewright.engine import Engine
from tablewright.model import Index, Model, Table

PROD = Naming("osem", "prod")


def everything(name: str) -> Settings:
    return Settings(
        PROD, policies=True, vpc_endpoint=True, access_log=True, calls=sample(name).calls
    )


def findings(text: str) -> list[str]:
    """What the command cfn-lint would say."""
    # It takes seconds to import, in each process of a parallel run that collects this file.
    from cfnlint.api import ManualArgs, lint

    return [str(each) for each in lint(text, config=ManualArgs(regions=["eu-central-1"]))]


# --- the linter ----------------------------------------------------------------------------------


def quick(*names: str) -> list[Any]:
    """All samples, of which a short run takes these: the whole templates hold nearly all of it."""
    slow = pytest.mark.slow
    return [pytest.param(name, marks=() if name in names else slow) for name in ALL]


@pytest.mark.parametrize("name", quick("corners", "kit"))
def test_plain_templates_are_clean(name: str) -> None:
    text = to_yaml(cloudformation(sample(name).model))
    assert findings(text) == []


@pytest.mark.parametrize("name", ALL)
def test_whole_templates_are_clean(name: str) -> None:
    text = to_yaml(cloudformation(sample(name).model, everything(name)))
    assert findings(text) == []


@pytest.mark.parametrize("name", quick("corners", "kit", "sentiment"))
def test_sam_templates_are_clean(name: str) -> None:
    given = sample(name)
    text = json.dumps(sam(given.model, Settings(calls=given.calls)))
    assert findings(text) == []


def test_the_linter_would_find_something() -> None:
    document = cloudformation(corners.model)
    properties = document["Resources"]["AccountsTable"]["Properties"]
    properties["BillingMode"] = "SOMETIMES"
    del properties["KeySchema"]
    text = " ".join(findings(json.dumps(document)))
    assert "E3030" in text
    assert "E3003" in text


@pytest.mark.parametrize("write", [cloudformation, sam, terraform])
@pytest.mark.parametrize(
    "tables",
    [
        [Table("order-items", pk="a"), Table("OrderItems", pk="a")],
        [Table("Orders", pk="a", indexes=[Index("by-day", pk="b"), Index("ByDay", pk="c")])],
    ],
)
def test_no_two_resources_are_called_the_same(write: Any, tables: list[Table]) -> None:
    module = ModuleType("twins")
    vars(module).update({f"table_{number}": table for number, table in enumerate(tables)})
    with pytest.raises(DeployError, match=r"would both be called \w+ in a template"):
        write(Model("twins", module))


# --- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize("env", ["dev", "prod"])
@pytest.mark.parametrize("name", ALL)
def test_the_tables_are_those_that_the_client_creates(name: str, env: str) -> None:
    """What the template says, given to CreateTable and its companions, is the same table."""
    naming = Naming(env=env)
    given = sample(name)
    resources = cloudformation(given.model, Settings(naming))["Resources"]
    with Engine.memory() as own, Engine.memory() as other:
        Db(Embedded(own)).create_tables(*naming.tables(given.model))
        for table in given.model.tables:
            _deploy(other, resources[table_id(table)]["Properties"], table, env)
            assert _described(other, table) == _described(own, table)
        db = Db(Embedded(other))
        reports = db.drive(verify(db.context, naming.tables(given.model)))
    assert [each.name for each in reports if each.differences] == []


def _deploy(engine: Engine, properties: dict[str, Any], table: str, env: str) -> None:
    """What CloudFormation does, in short."""
    asked = {**properties, "TableName": table}
    assert properties["TableName"] == {"Fn::Sub": f"${{NamePrefix}}${{Environment}}-{table}"}
    ttl = asked.pop("TimeToLiveSpecification", None)
    pitr = asked.pop("PointInTimeRecoverySpecification", None)
    if "StreamSpecification" in asked:
        asked["StreamSpecification"] = {"StreamEnabled": True, **asked["StreamSpecification"]}
    for tag in asked.get("Tags", ()):
        if not isinstance(tag["Value"], str):
            tag["Value"] = tag["Value"]["Fn::Sub"].replace("${Environment}", env)
    engine.call("CreateTable", asked)
    if ttl:
        engine.call("UpdateTimeToLive", {"TableName": table, "TimeToLiveSpecification": ttl})
    if pitr:
        body = {"TableName": table, "PointInTimeRecoverySpecification": pitr}
        engine.call("UpdateContinuousBackups", body)


def _described(engine: Engine, table: str) -> dict[str, Any]:
    named = {"TableName": table}
    found = engine.call("DescribeTable", named)["Table"]
    found["Tags"] = engine.call("ListTagsOfResource", {"ResourceArn": found["TableArn"]})["Tags"]
    found["Ttl"] = engine.call("DescribeTimeToLive", named)["TimeToLiveDescription"]
    recovery = engine.call("DescribeContinuousBackups", named)["ContinuousBackupsDescription"]
    found["Recovery"] = recovery["PointInTimeRecoveryDescription"]
    text = json.dumps(found, sort_keys=True, default=str)
    # Ids, and moments of creation.
    text = re.sub(r'"(TableId|LatestStreamLabel|LatestStreamArn)": "[^"]*"', r'"\1": ""', text)
    text = re.sub(r'"(\w*DateTime)": [^,}]+', r'"\1": 0', text)
    described: dict[str, Any] = json.loads(text)
    return described


def test_tables_are_kept_when_the_stack_goes() -> None:
    for name in ALL:
        for resource in cloudformation(sample(name).model)["Resources"].values():
            if resource["Type"] == "AWS::DynamoDB::Table":
                assert resource["DeletionPolicy"] == "Retain"
                assert resource["UpdateReplacePolicy"] == "Retain"


def test_production_is_protected() -> None:
    def protected(env: str) -> list[tuple[bool, bool]]:
        made = cloudformation(sample("ecommerce").model, Settings(Naming(env=env)))["Resources"]
        shop = made["ShopTable"]["Properties"]
        return [
            (shop["DeletionProtectionEnabled"], "PointInTimeRecoverySpecification" in shop),
        ]

    assert protected("prod") == [(True, True)]
    assert protected("dev") == [(False, False)]


def test_the_environment_is_a_parameter_where_it_is_used() -> None:
    plain = cloudformation(sample("ecommerce").model)
    assert set(plain["Parameters"]) == {"NamePrefix", "AlarmTopicArn"}
    assert plain["Parameters"]["NamePrefix"]["Default"] == ""
    named = cloudformation(sample("ecommerce").model, Settings(PROD))
    assert named["Parameters"]["NamePrefix"]["Default"] == "osem-"
    assert named["Parameters"]["Environment"]["Default"] == "prod"
    tagged = cloudformation(corners.model)["Resources"]["AccountsTable"]["Properties"]["Tags"]
    assert tagged == [
        {"Key": "Environment", "Value": {"Fn::Sub": "${Environment}"}},
        {"Key": "cost centre", "Value": "a: b/c = 1"},
    ]


# --- scaling -------------------------------------------------------------------------------------


def _targets(template: dict[str, Any]) -> Iterator[tuple[str, str, int, int]]:
    for resource in template["Resources"].values():
        if resource["Type"] == "AWS::ApplicationAutoScaling::ScalableTarget":
            own = resource["Properties"]
            yield (
                own["ResourceId"]["Fn::Sub"].replace("${AccountsTable}", "Accounts"),
                own["ScalableDimension"],
                own["MinCapacity"],
                own["MaxCapacity"],
            )


def test_provisioned_units_scale() -> None:
    expected = {
        ("table/Accounts", "dynamodb:table:ReadCapacityUnits", 5, 20),
        ("table/Accounts", "dynamodb:table:WriteCapacityUnits", 4, 16),
        ("table/Accounts/index/ByMail", "dynamodb:index:ReadCapacityUnits", 7, 28),
        ("table/Accounts/index/ByMail", "dynamodb:index:WriteCapacityUnits", 3, 12),
        *(
            (f"table/Accounts/index/{index}", f"dynamodb:index:{side}CapacityUnits", n, 4 * n)
            for index in ("GSI1", "ByPlace")
            for side, n in (("Read", 5), ("Write", 4))
        ),
    }
    template = cloudformation(corners.model, Settings(scale=4))
    assert set(_targets(template)) == expected
    policies = [
        each["Properties"]
        for each in template["Resources"].values()
        if each["Type"] == "AWS::ApplicationAutoScaling::ScalingPolicy"
    ]
    followed = {each["ScalingTargetId"]["Ref"] for each in policies}
    assert len(followed) == len(expected)
    assert followed <= set(template["Resources"])


def test_no_scaling_where_there_is_nothing_to_scale() -> None:
    assert list(_targets(cloudformation(corners.model, Settings(scale=1)))) == []
    assert list(_targets(cloudformation(sample("ecommerce").model))) == []


# --- alarms --------------------------------------------------------------------------------------


def test_alarms() -> None:
    model = corners.model
    names = {each.name for each in alarms_of(model.tables["Accounts"], model)}
    indexes = ("", "GSI1", "ByPlace", "ByMail")
    assert names == {
        *(f"{side}Throttles{index}" for side in ("Read", "Write") for index in indexes),
        *(f"{side}Capacity{index}" for side in ("Read", "Write") for index in indexes),
        "SystemErrors",
        "RefusedConditions",
        "TransactionConflicts",
    }
    kit = {each.name for each in alarms_of(sample("github").model.tables["CodeHost"], model)}
    assert "RefusedConditions" not in kit, "nobody says how many writes there are"
    events = {each.name: each for each in alarms_of(model.tables["events-2.log"], model)}
    # 80 % of 50 units a second, in a minute.
    assert events["WriteCapacity"].threshold == 2400
    # A fifth of 50 transactions a second.
    assert events["RefusedConditions"].threshold == 600


@pytest.mark.parametrize("made", [cloudformation, sam])
def test_one_minute_with_more_than_ten_throttles_is_told(
    made: Callable[[Model], dict[str, Any]],
) -> None:
    """A burst of them may be over before three minutes are bad."""
    alarms = [
        each["Properties"]
        for name, each in made(corners.model)["Resources"].items()
        if each["Type"] == "AWS::CloudWatch::Alarm" and "Throttles" in name
    ]
    assert alarms
    for each in alarms:
        assert (each["Statistic"], each["Period"]) == ("Sum", 60)
        assert (each["ComparisonOperator"], each["Threshold"]) == ("GreaterThanThreshold", 10)
        assert (each["EvaluationPeriods"], each["DatapointsToAlarm"]) == (1, 1)


def test_system_errors_are_watched_for_every_operation_in_use() -> None:
    model, calls = sample("corners").model, sample("corners").calls
    (alarm,) = (
        each for each in alarms_of(model.tables["Kit"], model, calls) if each.name == "SystemErrors"
    )
    watched = {each.operation for each in alarm.metrics}
    assert watched == {"GetItem", "TransactGetItems", "TransactWriteItems"}
    for name in ALL:
        given = sample(name)
        for table in given.model.tables.values():
            for each in alarms_of(table, given.model, given.calls):
                # CloudWatch takes ten metrics in one alarm.
                assert len(each.metrics) <= 10


def test_alarms_may_be_left_out() -> None:
    template = cloudformation(corners.model, Settings(alarms=False))
    kinds = {each["Type"] for each in template["Resources"].values()}
    assert "AWS::CloudWatch::Alarm" not in kinds
    assert "AlarmTopicArn" not in template["Parameters"]


# --- the rest ------------------------------------------------------------------------------------


def test_outputs_and_policies() -> None:
    template = cloudformation(corners.model, everything("corners"))
    assert {"AccountsTableName", "AccountsTableArn", "AccountsTableStreamArn"} <= set(
        template["Outputs"]
    )
    assert "Events2LogTableStreamArn" not in template["Outputs"]
    made = {
        name
        for name, each in template["Resources"].items()
        if each["Type"] == "AWS::IAM::ManagedPolicy"
    }
    assert len(made) == len(components(corners.model))
    assert all(f"{name}Arn" in template["Outputs"] for name in made)


def test_managed_policies_fit_into_their_limit() -> None:
    for name in ALL:
        template = cloudformation(sample(name).model, everything(name))
        for resource in template["Resources"].values():
            if resource["Type"] == "AWS::IAM::ManagedPolicy":
                text = json.dumps(resource["Properties"]["PolicyDocument"])
                # An ARN is longer than a reference to it: by some 60 signs each.
                assert len(re.sub(r"\s", "", text)) + 60 * text.count("Resource") < 6144, name


def test_sam_tells_functions_the_names_of_the_tables() -> None:
    made = sam(corners.model)
    variables = made["Globals"]["Function"]["Environment"]["Variables"]
    assert variables["EVENTS_2_LOG_TABLE"] == {"Ref": "Events2LogTable"}
    assert made["Transform"] == "AWS::Serverless-2016-10-31"


# --- YAML ----------------------------------------------------------------------------------------


class Loader(yaml.SafeLoader):
    """Reads the short forms of CloudFormation's functions back into the long ones."""


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    name = suffix if suffix == "Ref" else f"Fn::{suffix}"
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
        return {name: value.split(".") if suffix == "GetAtt" else value}
    assert isinstance(node, yaml.SequenceNode)
    return {name: loader.construct_sequence(node, deep=True)}


Loader.add_multi_constructor("!", _function)


@pytest.mark.parametrize("name", ALL)
def test_yaml_says_the_same_as_json(name: str) -> None:
    document = cloudformation(sample(name).model, everything(name))
    assert yaml.load(to_yaml(document), Loader) == json.loads(json.dumps(document))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no",
        "Yes",
        "null",
        "1.5",
        "1e3",
        "0x1F",
        "2026-01-01",
        "a: b",
        "a #b",
        "- a",
        "*",
        "&a",
        "!a",
        "'",
        '"',
        "a\nb",
        " a",
        "a ",
        "{a}",
        "[a]",
        "%a",
        "@a",
        "`a`",
        "ä",
        "a:",
        "::",
        "=",
        "<<",
        "~",
        "AWS::DynamoDB::Table",
        "12:30:45",
        "dynamodb:GetItem",
        "/x/y",
    ],
)
def test_any_text_survives(text: str) -> None:
    document = {"key": text, "list": [text, {"Fn::Sub": text}], text or "empty": {"in": text}}
    assert yaml.load(to_yaml(document), Loader) == document
