"""What surrounds the tables in a Terraform configuration: policies, network, access log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.deploy.templates.hcl import Block, Raw, expression
from tablewright.deploy.templates.iam import policies
from tablewright.deploy.templates.settings import Settings, snake
from tablewright.deploy.templates.tf_tables import TerraformNames
from tablewright.model.model import Model
from tablewright.model.table import Table


def policy_blocks(model: Model, wanted: Settings) -> list[Block]:
    """A policy for each component, and its ARN."""
    made: list[Block] = []
    documents = policies(model, TerraformNames(), wanted.calls, wanted.access)
    for component, document in documents.items():
        name = snake(component)
        attributes = {
            "name_prefix": f"{snake(model.name)}-{name}-"[:96],
            "description": f"What {component} of {model.name} does with its tables.",
            "policy": encoded(document),
        }
        made.append(Block("resource", ("aws_iam_policy", name), attributes))
        arn = {"value": Raw(f"aws_iam_policy.{name}.arn")}
        made.append(Block("output", (f"{name}_policy_arn",), arn))
    return made


def encoded(document: Mapping[str, Any]) -> Raw:
    """A JSON document that may refer to resources."""
    return Raw(f"jsonencode({expression(document, '  ')})")


def endpoint_blocks(model: Model, wanted: Settings) -> list[Block]:
    """A gateway for DynamoDB, through which only these tables are reached."""
    documents = policies(model, TerraformNames(), wanted.calls, wanted.access)
    statements = [each for document in documents.values() for each in document["Statement"]]
    statement = {
        "Effect": "Allow",
        "Principal": "*",
        "Action": sorted({action for each in statements for action in each["Action"]}),
        "Resource": [Raw(text) for text in _everything(model)],
    }
    policy = {"Version": "2012-10-17", "Statement": [statement]}
    attributes = {
        "vpc_endpoint_type": "Gateway",
        "service_name": Raw('"com.amazonaws.${data.aws_region.current.region}.dynamodb"'),
        "vpc_id": Raw("var.vpc_id"),
        "route_table_ids": Raw("var.route_table_ids"),
        "policy": encoded(policy),
    }
    return [
        Block("data", ("aws_region", "current")),
        Block("resource", ("aws_vpc_endpoint", "dynamodb"), attributes),
    ]


def _everything(model: Model) -> list[str]:
    found: list[str] = []
    for table in model.tables.values():
        own = f"aws_dynamodb_table.{snake(table.name)}.arn"
        found.append(own)
        if table.indexes:
            found.append(f'"${{{own}}}/index/*"')
        if table.stream is not None:
            found.append(f'"${{{own}}}/stream/*"')
    return found


def access_log_blocks(tables: Sequence[Table]) -> list[Block]:
    """A trail of every request for an item, into a bucket of its own."""
    bucket = "aws_s3_bucket.access_log"
    settings = (
        "block_public_acls",
        "block_public_policy",
        "ignore_public_acls",
        "restrict_public_buckets",
    )
    blocked = dict.fromkeys(settings, True)
    return [
        Block("data", ("aws_caller_identity", "current")),
        Block("resource", ("aws_s3_bucket", "access_log"), {"bucket_prefix": "access-log-"}),
        Block(
            "resource",
            ("aws_s3_bucket_public_access_block", "access_log"),
            {"bucket": Raw(f"{bucket}.id"), **blocked},
        ),
        Block(
            "resource",
            ("aws_s3_bucket_policy", "access_log"),
            {"bucket": Raw(f"{bucket}.id"), "policy": encoded(_bucket_policy(bucket))},
        ),
        Block(
            "resource",
            ("aws_cloudtrail", "access_log"),
            {
                "name": "dynamodb-access-log",
                "s3_bucket_name": Raw(f"{bucket}.id"),
                "enable_log_file_validation": True,
                "depends_on": [Raw("aws_s3_bucket_policy.access_log")],
            },
            [Block("advanced_event_selector", (), {"name": "Items"}, _selectors(tables))],
        ),
    ]


def _bucket_policy(bucket: str) -> dict[str, Any]:
    account = Raw("data.aws_caller_identity.current.account_id")
    objects = f'"${{{bucket}.arn}}/AWSLogs/${{{account.text}}}/*"'
    trail = {"Service": "cloudtrail.amazonaws.com"}
    written = {"aws:SourceAccount": account, "s3:x-amz-acl": "bucket-owner-full-control"}
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": trail,
                "Action": ["s3:GetBucketAcl"],
                "Resource": Raw(f"{bucket}.arn"),
                "Condition": {"StringEquals": {"aws:SourceAccount": account}},
            },
            {
                "Effect": "Allow",
                "Principal": trail,
                "Action": ["s3:PutObject"],
                "Resource": Raw(objects),
                "Condition": {"StringEquals": written},
            },
        ],
    }


def _selectors(tables: Sequence[Table]) -> list[Block]:
    arns = [TerraformNames().table(table.name) for table in tables]
    fields: dict[str, list[Any]] = {
        "eventCategory": ["Data"],
        "resources.type": ["AWS::DynamoDB::Table"],
        "resources.ARN": list(arns),
    }
    return [
        Block("field_selector", attributes={"field": name, "equals": values})
        for name, values in fields.items()
    ]
