"""Sample items in scenario files, so that sizes are measured and not guessed."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright.plan.outlook import ScenarioError
from tablewright.values import AttributeValue, InvalidValue, format_number, item_size


def sample_sizes(told: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Bytes of each sample, by its name."""
    return {name: sample_size(attributes) for name, attributes in told.items()}


def sample_size(attributes: Mapping[str, Any]) -> int:
    """Bytes of an item that is written as plain TOML: texts, numbers, booleans, lists, tables."""
    try:
        return item_size({name: _value(value) for name, value in attributes.items()})
    except InvalidValue as error:
        raise ScenarioError(f"a sample holds what no item can: {error}") from None


def _value(value: Any) -> AttributeValue:
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, int | float):
        return {"N": format_number(Decimal(str(value)))}
    if isinstance(value, list):
        return {"L": [_value(each) for each in value]}
    if isinstance(value, Mapping):
        return {"M": {name: _value(each) for name, each in value.items()}}
    return {"S": str(value)}
