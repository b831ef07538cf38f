"""Tables as CloudFormation resources, with the scaling of their units."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from tablewright.deploy.naming import ENV
from tablewright.deploy.templates.scaling import (
    SCALE_IN_AFTER,
    SCALE_OUT_AFTER,
    UTILISATION,
    Target,
    scalable,
)
from tablewright.deploy.templates.settings import Settings, identifier
from tablewright.model.table import Table
from tablewright.model.tables import create_request, pitr_request, ttl_request

Document: TypeAlias = dict[str, Any]


class References:
    """Names of resources as a template refers to its own."""

    def table(self, name: str) -> Document:
        return {"Fn::GetAtt": [table_id(name), "Arn"]}

    def index(self, name: str, index: str) -> Document:
        return {"Fn::Sub": f"${{{table_id(name)}.Arn}}/index/{index}"}

    def streams(self, name: str) -> Document:
        return {"Fn::Sub": f"${{{table_id(name)}.Arn}}/stream/*"}

    def backups(self, name: str) -> Document:
        return {"Fn::Sub": f"${{{table_id(name)}.Arn}}/backup/*"}


def table_id(name: str) -> str:
    """The logical id of a table."""
    return identifier(name, "Table")


def names_environment(tables: Iterable[Table], wanted: Settings) -> bool:
    """Whether names or tags depend on the environment."""
    tagged = any(ENV in value for table in tables for value in table.tags.values())
    return bool(wanted.naming.env) or tagged


def table_resource(table: Table, wanted: Settings) -> Document:
    """One table, kept when the stack is deleted or the table would be replaced."""
    return {
        table_id(table.name): {
            "Type": "AWS::DynamoDB::Table",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": properties(table, wanted),
        }
    }


def properties(table: Table, wanted: Settings) -> Document:
    """The properties of a table: those of CreateTable, and what the API sets by other calls."""
    made: Document = create_request(table)
    made["TableName"] = {"Fn::Sub": _name(table.name, wanted)}
    stream = made.pop("StreamSpecification", None)
    if stream is not None:
        made["StreamSpecification"] = {"StreamViewType": stream["StreamViewType"]}
    ttl = ttl_request(table)
    if ttl is not None:
        made["TimeToLiveSpecification"] = ttl["TimeToLiveSpecification"]
    pitr = pitr_request(table)
    if pitr is not None:
        made["PointInTimeRecoverySpecification"] = pitr["PointInTimeRecoverySpecification"]
    # Said even where it is the default: a template is also read by people.
    made["TableClass"] = table.table_class
    made["DeletionProtectionEnabled"] = table.deletion_protection
    tags = made.pop("Tags", None)
    if tags:
        made["Tags"] = [{"Key": each["Key"], "Value": _tag(each["Value"])} for each in tags]
    return made


def _name(table: str, wanted: Settings) -> str:
    env = "${Environment}-" if wanted.naming.env else ""
    return f"${{NamePrefix}}{env}{wanted.naming.own_name(table)}"


def _tag(value: str) -> str | Document:
    if ENV not in value:
        return value
    return {"Fn::Sub": value.replace("${", "${!").replace(ENV, "${Environment}")}


def outputs(table: Table) -> Document:
    """The names that others need: of the table, and of its stream."""
    own = table_id(table.name)
    made: Document = {
        f"{own}Name": {
            "Description": f"Name of the table {table.name}.",
            "Value": {"Ref": own},
        },
        f"{own}Arn": {
            "Description": f"ARN of the table {table.name}.",
            "Value": {"Fn::GetAtt": [own, "Arn"]},
        },
    }
    if table.stream is not None:
        made[f"{own}StreamArn"] = {
            "Description": f"ARN of the stream of {table.name}.",
            "Value": {"Fn::GetAtt": [own, "StreamArn"]},
        }
    return made


# --- scaling -------------------------------------------------------------------------------------


def scaling_resources(table: Table, wanted: Settings) -> Document:
    """A target and a policy for each side of the table and of its indexes."""
    made: Document = {}
    for target in scalable(table, wanted.scale):
        name = identifier(table.name, target.index or "", target.side)
        made[f"{name}Target"] = _target(table, target)
        made[f"{name}Scaling"] = _policy(f"{name}Target", target)
    return made


def _target(table: Table, target: Target) -> Document:
    place = f"table/${{{table_id(table.name)}}}"
    if target.index is not None:
        place += f"/index/{target.index}"
    return {
        "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
        "Properties": {
            "ServiceNamespace": "dynamodb",
            "ResourceId": {"Fn::Sub": place},
            "ScalableDimension": target.dimension,
            "MinCapacity": target.least,
            "MaxCapacity": target.most,
        },
    }


def _policy(target_id: str, target: Target) -> Document:
    return {
        "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
        "Properties": {
            "PolicyName": target_id.removesuffix("Target"),
            "PolicyType": "TargetTrackingScaling",
            "ScalingTargetId": {"Ref": target_id},
            "TargetTrackingScalingPolicyConfiguration": {
                "PredefinedMetricSpecification": {"PredefinedMetricType": target.metric},
                "TargetValue": UTILISATION,
                "ScaleOutCooldown": SCALE_OUT_AFTER,
                "ScaleInCooldown": SCALE_IN_AFTER,
            },
        },
    }
