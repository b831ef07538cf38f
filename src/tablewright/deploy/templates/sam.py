"""SAM: the same stack as CloudFormation's, for those who add their functions to it.

Functions find the tables by environment variables and take the policy of their component:
``Policies: [!Ref CheckoutPolicy]``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, TypeAlias

from tablewright.deploy.templates.cfn_tables import table_id
from tablewright.deploy.templates.cloudformation import cloudformation
from tablewright.deploy.templates.settings import Settings
from tablewright.model.model import Model

Document: TypeAlias = dict[str, Any]

TRANSFORM = "AWS::Serverless-2016-10-31"


def sam(model: Model, settings: Settings | None = None) -> Document:
    """The template of a model, with a policy for each component."""
    wanted = replace(settings or Settings(), policies=True)
    made = cloudformation(model, wanted)
    head = {
        "AWSTemplateFormatVersion": made.pop("AWSTemplateFormatVersion"),
        "Transform": TRANSFORM,
        "Description": made.pop("Description"),
        "Globals": {"Function": {"Environment": {"Variables": _variables(model)}}},
    }
    return {**head, **made}


def _variables(model: Model) -> Document:
    """The physical name of each table, for ``Db(names=...)``."""
    return {
        f"{re.sub('[^A-Z0-9]+', '_', name.upper())}_TABLE": {"Ref": table_id(name)}
        for name in model.tables
    }
