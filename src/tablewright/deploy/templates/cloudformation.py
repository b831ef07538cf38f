"""CloudFormation: everything a model needs in an account, as one stack.

Each part of the template is made by a function of its own, and joined here: the tables
(``cfn_tables``), what watches them (``cfn_alarms``), and what surrounds them (``cfn_around``).
Tables are retained when the stack goes: data is not deleted by a mistake in a template.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from tablewright.deploy.templates import cfn_alarms, cfn_around, cfn_tables
from tablewright.deploy.templates.settings import Settings, check_distinct, identifier
from tablewright.model.model import Model

Document: TypeAlias = dict[str, Any]


def cloudformation(model: Model, settings: Settings | None = None) -> Document:
    """The template of a model."""
    wanted = settings or Settings()
    tables = wanted.tables(model)
    check_distinct(tables, identifier)
    resources: Document = {}
    outputs: Document = {}
    for table in tables:
        resources |= cfn_tables.table_resource(table, wanted)
        resources |= cfn_tables.scaling_resources(table, wanted)
        if wanted.alarms:
            resources |= cfn_alarms.alarm_resources(table, model, wanted)
        outputs |= cfn_tables.outputs(table)
    if wanted.alarms:
        resources |= cfn_alarms.metric_alarm_resources(model, wanted)
    if wanted.policies:
        resources |= cfn_around.policy_resources(model, wanted)
        outputs |= cfn_around.policy_outputs(model, wanted)
    if wanted.vpc_endpoint:
        resources |= cfn_around.endpoint_resource(model, wanted)
    if wanted.access_log:
        resources |= cfn_around.access_log_resources(tables)
    template: Document = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"Tables of {model.name}, made from its data model by tablewright.",
        "Parameters": _parameters(tables, wanted),
    }
    if wanted.alarms:
        template["Conditions"] = cfn_alarms.CONDITIONS
    template["Resources"] = resources
    template["Outputs"] = outputs
    return template


def _parameters(tables: list[Any], wanted: Settings) -> Document:
    parameters: Document = {
        "NamePrefix": {
            "Type": "String",
            "Default": wanted.prefix,
            "AllowedPattern": "[a-zA-Z0-9_.-]*",
            "Description": "What the name of every table begins with.",
        }
    }
    if cfn_tables.names_environment(tables, wanted):
        parameters["Environment"] = {
            "Type": "String",
            "Default": wanted.naming.environment,
            "AllowedPattern": "[a-zA-Z0-9_.-]+",
            "Description": "The environment, in the names and tags of the tables.",
        }
    if wanted.alarms:
        parameters |= cfn_alarms.PARAMETERS
    if wanted.vpc_endpoint:
        parameters |= cfn_around.ENDPOINT_PARAMETERS
    return parameters
