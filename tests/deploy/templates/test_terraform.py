"""Terraform: read back by a parser, and compared with what the model says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.deploy.templates import corners
from tests.deploy.templates.hcl import Name, Read, Text, parse
from tests.deploy.templates.samples import ALL, sample

from tablewright.deploy.naming import Naming
from tablewright.deploy.templates.cloudformation import cloudformation
from tablewright.deploy.templates.hcl import Block, Raw, to_hcl
from tablewright.deploy.templates.iam import Account, policies
from tablewright.deploy.templates.settings import Settings, snake
from tablewright.deploy.templates.terraform import terraform
from tablewright.model import Provisioned
from tablewright.model.tables import create_request


def everything(name: str) -> Settings:
    return Settings(
        Naming("osem", "prod"),
        policies=True,
        vpc_endpoint=True,
        access_log=True,
        calls=sample(name).calls,
    )


def resources(blocks: list[Read], kind: str) -> dict[str, Read]:
    return {each.labels[1]: each for each in blocks if each.labels[:1] == (kind,)}


# --- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_the_tables_say_what_create_table_says(name: str) -> None:
    given = sample(name)
    found = resources(parse(terraform(given.model)), "aws_dynamodb_table")
    assert set(found) == {snake(table) for table in given.model.tables}
    for table in given.model.tables.values():
        asked, read = create_request(table), found[snake(table.name)]
        own = read.attributes
        assert own["name"] == Text(f"${{var.name_prefix}}{table.name}")
        assert own["billing_mode"] == asked["BillingMode"]
        assert [own["hash_key"], own.get("range_key")] == [
            table.pk.name,
            None if table.sk is None else table.sk.name,
        ]
        units = asked.get("ProvisionedThroughput", {})
        assert own.get("read_capacity") == units.get("ReadCapacityUnits")
        assert own.get("write_capacity") == units.get("WriteCapacityUnits")
        assert own["table_class"] == asked.get("TableClass", "STANDARD")
        assert own["deletion_protection_enabled"] == table.deletion_protection
        assert own.get("stream_view_type") == table.stream
        assert {
            each.attributes["name"]: each.attributes["type"] for each in read.of("attribute")
        } == {
            each["AttributeName"]: each["AttributeType"] for each in asked["AttributeDefinitions"]
        }
        assert [each.attributes["attribute_name"] for each in read.of("ttl")] == (
            [] if table.ttl is None else [table.ttl]
        )
        assert len(read.of("point_in_time_recovery")) == bool(table.pitr)
        both = asked.get("GlobalSecondaryIndexes", []) + asked.get("LocalSecondaryIndexes", [])
        assert {each["IndexName"]: _asked_index(each) for each in both} == {
            each.attributes["name"]: _read_index(each)
            for each in read.blocks
            if "_index" in each.kind
        }


def _asked_index(index: dict[str, Any]) -> tuple[Any, ...]:
    units = index.get("ProvisionedThroughput", {})
    return (
        [(each["AttributeName"], each["KeyType"]) for each in index["KeySchema"]],
        index["Projection"]["ProjectionType"],
        index["Projection"].get("NonKeyAttributes"),
        units.get("ReadCapacityUnits"),
        units.get("WriteCapacityUnits"),
    )


def _read_index(block: Read) -> tuple[Any, ...]:
    own = block.attributes
    schema = [
        (each.attributes["attribute_name"], each.attributes["key_type"])
        for each in block.of("key_schema")
    ]
    if "hash_key" in own:
        schema.append((own["hash_key"], "HASH"))
    elif block.kind == "local_secondary_index":
        schema.append(("PK", "HASH"))
    if "range_key" in own:
        schema.append((own["range_key"], "RANGE"))
    return (
        schema,
        own["projection_type"],
        own.get("non_key_attributes"),
        own.get("read_capacity"),
        own.get("write_capacity"),
    )


def test_a_table_is_not_destroyed_and_keeps_units_that_scaled() -> None:
    found = resources(parse(terraform(corners.model)), "aws_dynamodb_table")
    (lifecycle,) = found["accounts"].of("lifecycle")
    assert lifecycle.attributes["prevent_destroy"] is True
    assert Name("read_capacity") in lifecycle.attributes["ignore_changes"]
    (plain,) = found["events_2_log"].of("lifecycle")
    assert plain.attributes == {"prevent_destroy": True}
    (ceiling,) = found["events_2_log"].of("on_demand_throughput")
    assert ceiling.attributes == {"max_read_request_units": 100, "max_write_request_units": 50}


# --- the rest is what CloudFormation has ---------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_it_has_as_many_of_everything_as_cloudformation(name: str) -> None:
    blocks = parse(terraform(sample(name).model, everything(name)))
    kinds = [
        each["Type"]
        for each in cloudformation(sample(name).model, everything(name))["Resources"].values()
    ]
    for ours, theirs in {
        "aws_dynamodb_table": "AWS::DynamoDB::Table",
        "aws_appautoscaling_target": "AWS::ApplicationAutoScaling::ScalableTarget",
        "aws_appautoscaling_policy": "AWS::ApplicationAutoScaling::ScalingPolicy",
        "aws_cloudwatch_metric_alarm": "AWS::CloudWatch::Alarm",
        "aws_iam_policy": "AWS::IAM::ManagedPolicy",
        "aws_vpc_endpoint": "AWS::EC2::VPCEndpoint",
        "aws_cloudtrail": "AWS::CloudTrail::Trail",
    }.items():
        assert len(resources(blocks, ours)) == kinds.count(theirs), ours


def test_one_minute_with_more_than_ten_throttles_is_told() -> None:
    found = resources(parse(terraform(corners.model)), "aws_cloudwatch_metric_alarm")
    alarms = [each.attributes for name, each in found.items() if "throttles" in name]
    assert alarms
    for each in alarms:
        assert (each["statistic"], each["period"], each["threshold"]) == ("Sum", 60, 10)
        assert (each["evaluation_periods"], each["datapoints_to_alarm"]) == (1, 1)


@pytest.mark.parametrize("name", ALL)
def test_every_reference_leads_somewhere(name: str) -> None:
    blocks = parse(terraform(sample(name).model, everything(name)))
    known = {".".join(each.labels) for each in blocks if each.kind == "resource"}
    known |= {f"data.{'.'.join(each.labels)}" for each in blocks if each.kind == "data"}
    known |= {f"var.{each.labels[0]}" for each in blocks if each.kind == "variable"}
    used = {text for block in blocks for text in _references(block)}
    assert used
    for text in used:
        assert any(text == each or text.startswith(f"{each}.") for each in known), text
    names = [(each.kind, each.labels) for each in blocks]
    assert len(names) == len(set(names)), "two blocks with one name"


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Read):
        if value.kind == "variable":
            return
        for name, each in value.attributes.items():
            if name != "ignore_changes":
                yield from _references(each)
        for block in value.blocks:
            yield from _references(block)
    elif isinstance(value, Name):
        yield value.text
    elif isinstance(value, Text):
        yield from re.findall(r"\$\{([\w.]+)\}", value.text)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


@pytest.mark.parametrize("name", ALL)
def test_policies_are_the_same_as_everywhere(name: str) -> None:
    given = sample(name)
    found = resources(parse(terraform(given.model, everything(name))), "aws_iam_policy")
    expected = policies(given.model, Account(), given.calls)
    arns = {snake(table): Account().table(table) for table in given.model.tables}
    for component, document in expected.items():
        policy = found[snake(component)].attributes["policy"]["jsonencode"]
        assert _resolved(policy, arns) == document


def _resolved(value: Any, arns: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _resolved(each, arns) for key, each in value.items()}
    if isinstance(value, list):
        return [_resolved(each, arns) for each in value]
    if isinstance(value, Name):
        return arns[value.text.split(".")[1]]
    if isinstance(value, Text):
        return re.sub(
            r"\$\{aws_dynamodb_table\.(\w+)\.arn\}", lambda match: arns[match[1]], value.text
        )
    return value


def test_scaling_has_the_same_bounds() -> None:
    found = resources(parse(terraform(corners.model)), "aws_appautoscaling_target")
    billing = corners.accounts.billing
    assert isinstance(billing, Provisioned)
    own = found["accounts_write"].attributes
    assert (own["min_capacity"], own["max_capacity"]) == (
        billing.write_units,
        10 * billing.write_units,
    )
    assert own["scalable_dimension"] == "dynamodb:table:WriteCapacityUnits"


# --- the writer ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", 'a "b"', "${a}", "%{ if }", "a\\b", "a\nb", "ä", "$", "${*}"])
def test_any_text_survives(text: str) -> None:
    block = Block("x", ("y",), {"a": text, "b": [text], "c": {"k k": text}, "d": Raw("var.z")})
    (read,) = parse(to_hcl([block]))
    assert read.attributes == {"a": text, "b": [text], "c": {"k k": text}, "d": Name("var.z")}
