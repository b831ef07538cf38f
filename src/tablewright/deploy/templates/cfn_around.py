"""What surrounds the tables in a stack: policies, a way in from a VPC, a log of every access."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tablewright.deploy.templates.cfn_tables import References, table_id
from tablewright.deploy.templates.iam import policies
from tablewright.deploy.templates.settings import Settings, identifier
from tablewright.model.model import Model
from tablewright.model.table import Table

Document: TypeAlias = dict[str, Any]

ENDPOINT_PARAMETERS: Document = {
    "VpcId": {
        "Type": "AWS::EC2::VPC::Id",
        "Description": "The network that reaches the tables without the internet.",
    },
    "RouteTableIds": {
        "Type": "CommaDelimitedList",
        "Description": "The route tables of its subnets.",
    },
}


# --- policies ------------------------------------------------------------------------------------


def policy_id(component: str) -> str:
    return identifier(component, "Policy")


def policy_resources(model: Model, wanted: Settings) -> Document:
    """A managed policy for each component, to attach to whatever runs it."""
    made = policies(model, References(), wanted.calls, wanted.access)
    return {
        policy_id(component): {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "Description": f"What {component} of {model.name} does with its tables.",
                "PolicyDocument": document,
            },
        }
        for component, document in made.items()
    }


def policy_outputs(model: Model, wanted: Settings) -> Document:
    return {
        f"{name}Arn": {
            "Description": f"ARN of the managed policy {name}.",
            "Value": {"Ref": name},
        }
        for name in policy_resources(model, wanted)
    }


# --- the network ---------------------------------------------------------------------------------


def endpoint_resource(model: Model, wanted: Settings) -> Document:
    """A gateway for DynamoDB, through which only these tables are reached."""
    made = policies(model, References(), wanted.calls, wanted.access)
    actions = {
        action
        for document in made.values()
        for statement in document["Statement"]
        for action in statement["Action"]
    }
    return {
        "DynamoEndpoint": {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {
                "VpcEndpointType": "Gateway",
                "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.dynamodb"},
                "VpcId": {"Ref": "VpcId"},
                "RouteTableIds": {"Ref": "RouteTableIds"},
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": "*",
                            "Action": sorted(actions),
                            "Resource": _everything(model),
                        }
                    ],
                },
            },
        }
    }


def _everything(model: Model) -> list[Document]:
    names = References()
    found: list[Document] = []
    for table in model.tables.values():
        found.append(names.table(table.name))
        if table.indexes:
            found.append({"Fn::Sub": f"${{{table_id(table.name)}.Arn}}/index/*"})
        if table.stream is not None:
            found.append(names.streams(table.name))
    return found


# --- the access log ------------------------------------------------------------------------------


def access_log_resources(tables: Sequence[Table]) -> Document:
    """A trail of every request for an item, into a bucket of its own."""
    bucket = {"Fn::GetAtt": ["AccessLogBucket", "Arn"]}
    return {
        "AccessLogBucket": {
            "Type": "AWS::S3::Bucket",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {
                "BucketEncryption": {
                    "ServerSideEncryptionConfiguration": [
                        {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
                    ]
                },
                "PublicAccessBlockConfiguration": {
                    "BlockPublicAcls": True,
                    "BlockPublicPolicy": True,
                    "IgnorePublicAcls": True,
                    "RestrictPublicBuckets": True,
                },
                "LifecycleConfiguration": {
                    "Rules": [{"Id": "Expire", "Status": "Enabled", "ExpirationInDays": 365}]
                },
            },
        },
        "AccessLogBucketPolicy": {
            "Type": "AWS::S3::BucketPolicy",
            "Properties": {
                "Bucket": {"Ref": "AccessLogBucket"},
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        _written_by_trail("s3:GetBucketAcl", bucket, {}),
                        _written_by_trail(
                            "s3:PutObject",
                            {"Fn::Sub": "${AccessLogBucket.Arn}/AWSLogs/${AWS::AccountId}/*"},
                            {"s3:x-amz-acl": "bucket-owner-full-control"},
                        ),
                    ],
                },
            },
        },
        "AccessLog": {
            "Type": "AWS::CloudTrail::Trail",
            "DependsOn": "AccessLogBucketPolicy",
            "Properties": {
                "IsLogging": True,
                "EnableLogFileValidation": True,
                "S3BucketName": {"Ref": "AccessLogBucket"},
                "AdvancedEventSelectors": [_selector(tables)],
            },
        },
    }


def _written_by_trail(action: str, resource: Document, also: Document) -> Document:
    return {
        "Effect": "Allow",
        "Principal": {"Service": "cloudtrail.amazonaws.com"},
        "Action": [action],
        "Resource": resource,
        "Condition": {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}, **also}},
    }


def _selector(tables: Sequence[Table]) -> Document:
    arns = [{"Fn::GetAtt": [table_id(table.name), "Arn"]} for table in tables]
    return {
        "Name": "Items",
        "FieldSelectors": [
            {"Field": "eventCategory", "Equals": ["Data"]},
            {"Field": "resources.type", "Equals": ["AWS::DynamoDB::Table"]},
            {"Field": "resources.ARN", "Equals": arns},
        ],
    }
