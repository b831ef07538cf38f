"""Ids of models, and of the inference profiles in front of them.

A profile's id is its model's with a prefix that says how far requests may travel:
``global.anthropic.claude-…`` anywhere, ``eu.anthropic.claude-…`` within Europe. The price depends
on that, and is kept under the model's own id.
"""

from __future__ import annotations

import re

from tablewright.systems.pricekeeper.config import Label, RegionClass
from tablewright.systems.pricekeeper.rules.usage import Usage

_ARN = re.compile(r"arn:[^:]*:bedrock:[^:]*:[^:]*:(?:inference-profile|foundation-model)/(.+)")
_GLOBAL = "global"
_GEOGRAPHIES = frozenset(
    {"us", "us-gov", "eu", "apac", "ap", "jp", "au", "ca", "sa", "uk", "in", "il", "me", "af"}
)


def model_of(model_id: str) -> str:
    """The model behind a profile; anything else is itself."""
    name = _named_in_arn(model_id)
    prefix, dot, rest = name.partition(".")
    # A model's own id has a dot too, between its maker and its name: amazon.nova-lite-v1:0.
    return rest if dot and "." in rest and _class_of(prefix) else name


def class_of(model_id: str) -> RegionClass | None:
    """How far requests to it may travel, where its id says so."""
    prefix, _, rest = _named_in_arn(model_id).partition(".")
    return _class_of(prefix) if "." in rest else None


def _named_in_arn(model_id: str) -> str:
    """Return the id that the ARN of a model or of AWS's own profile ends with; else the text.

    The ARN of an application's profile ends with letters that say nothing of its model.
    """
    found = _ARN.fullmatch(model_id)
    return found[1] if found else model_id


def class_for(usage: Usage, label: Label) -> RegionClass:
    """How far a call has travelled: as it says, as the model that it names says, as its label."""
    named = class_of(usage.bedrock_model_id) if usage.bedrock_model_id else None
    return usage.region_class or named or label.region_class


def _class_of(prefix: str) -> RegionClass | None:
    if prefix == _GLOBAL:
        return "global"
    return "geo" if prefix in _GEOGRAPHIES else None
