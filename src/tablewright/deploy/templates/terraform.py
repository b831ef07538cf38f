"""Terraform: the same as the CloudFormation template, as HCL.

Written for version 6 of the AWS provider. A table cannot be destroyed by Terraform, and units that
scale are left to what scales them.
"""

from __future__ import annotations

from typing import Any

from tablewright.deploy.templates import tf_alarms, tf_around, tf_tables
from tablewright.deploy.templates.hcl import Block, Raw, to_hcl
from tablewright.deploy.templates.settings import Settings, check_distinct, snake
from tablewright.model.model import Model

#: Keys of several attributes came with this one.
PROVIDER = ">= 6.31"


def terraform(model: Model, settings: Settings | None = None) -> str:
    """The text of a file, such as ``tables.tf``."""
    wanted = settings or Settings()
    tables = wanted.tables(model)
    check_distinct(tables, snake)
    blocks: list[Block] = [_required(), *_variables(wanted)]
    for table in tables:
        blocks.append(tf_tables.table_block(table, wanted))
        blocks += tf_tables.scaling_blocks(table, wanted)
        if wanted.alarms:
            blocks += tf_alarms.alarm_blocks(table, model, wanted)
    if wanted.alarms:
        blocks += tf_alarms.metric_alarm_blocks(model, wanted)
    if wanted.policies:
        blocks += tf_around.policy_blocks(model, wanted)
    if wanted.vpc_endpoint:
        blocks += tf_around.endpoint_blocks(model, wanted)
    if wanted.access_log:
        blocks += tf_around.access_log_blocks(tables)
    blocks += [each for table in tables for each in tf_tables.output_blocks(table)]
    head = f"# Tables of {model.name}, made from its data model by tablewright.\n\n"
    return head + to_hcl(blocks)


def _required() -> Block:
    aws = {"source": "hashicorp/aws", "version": PROVIDER}
    return Block("terraform", blocks=[Block("required_providers", attributes={"aws": aws})])


def _variables(wanted: Settings) -> list[Block]:
    made = [
        _variable("name_prefix", "What the name of every table begins with.", wanted.prefix),
        _variable("environment", "The environment, in names and tags.", wanted.naming.environment),
    ]
    if wanted.alarms:
        told = "The SNS topics that alarms are sent to."
        made.append(_variable("alarm_topics", told, [], "list(string)"))
    if wanted.vpc_endpoint:
        made.append(_variable("vpc_id", "The network that reaches the tables directly."))
        told = "The route tables of its subnets."
        made.append(_variable("route_table_ids", told, kind="list(string)"))
    return made


def _variable(name: str, told: str, default: Any = None, kind: str = "string") -> Block:
    attributes: dict[str, Any] = {"description": told, "type": Raw(kind)}
    if default is not None:
        attributes["default"] = default
    return Block("variable", (name,), attributes)
