"""Ids of models, and of the inference profiles in front of them.

A profile's id is its model's with a prefix that says how far requests may travel:
``global.anthropic.claude-…`` anywhere, ``eu.anthropic.claude-…`` within Europe. The price depends
on that, and is kept under the model's own id.
"""

from __future__ import annotations

from tablewright.systems.pricekeeper.config import Label, RegionClass
from tablewright.systems.pricekeeper.rules.usage import Usage

_GLOBAL = "global"
_GEOGRAPHIES = frozenset(
    {"us", "us-gov", "eu", "apac", "ap", "jp", "au", "ca", "sa", "uk", "in", "il", "me", "af"}
)


def model_of(model_id: str) -> str:
    """The model behind a profile; anything else is itself."""
    prefix, dot, rest = model_id.partition(".")
    # A model's own id has a dot too, between its maker and its name: amazon.nova-lite-v1:0.
    return rest if dot and "." in rest and _class_of(prefix) else model_id


def class_of(model_id: str) -> RegionClass | None:
    """How far requests to it may travel, where its id says so."""
    prefix, _, rest = model_id.partition(".")
    return _class_of(prefix) if "." in rest else None


def class_for(usage: Usage, label: Label) -> RegionClass:
    """How far a call has travelled: as it says, as the model that it names says, as its label."""
    named = class_of(usage.bedrock_model_id) if usage.bedrock_model_id else None
    return usage.region_class or named or label.region_class


def _class_of(prefix: str) -> RegionClass | None:
    if prefix == _GLOBAL:
        return "global"
    return "geo" if prefix in _GEOGRAPHIES else None
