"""Sample items: one of each entity, as it is stored."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tablewright.document.markdown import block, paragraphs
from tablewright.model.definition import definition
from tablewright.model.entity import Entity
from tablewright.values import AttributeValue

_LONGEST = 120
_MOST = 3


def samples_section(items: Sequence[Entity]) -> str:
    first: dict[str, Entity] = {}
    for each in items:
        first.setdefault(type(each).__name__, each)
    if not first:
        return ""
    parts = ["## Sample items"]
    for name, each in first.items():
        item = definition(each).encode(each)
        plain = {key: plain_value(value) for key, value in _ordered(each, item).items()}
        text = json.dumps(plain, indent=2, ensure_ascii=False)
        parts += [f"### Sample {name}", block(text, "json")]
    return paragraphs(*parts)


def _ordered(entity: Entity, item: dict[str, AttributeValue]) -> dict[str, AttributeValue]:
    """Keys first, then what tells entities apart, then the fields as they are declared."""
    known = definition(entity)
    names = [part.attribute.name for key in known.keys.values() for part in key.parts]
    names += [known.table.discriminator or "", *(x.attribute for x in known.fields.values())]
    ordered = {name: item[name] for name in dict.fromkeys(names) if name in item}
    return ordered | {name: value for name, value in sorted(item.items()) if name not in ordered}


def plain_value(value: AttributeValue) -> Any:
    """A stored value as JSON; long texts and lists are cut."""
    ((kind, content),) = value.items()
    if kind == "S" or kind == "B":
        return content if len(content) <= _LONGEST else f"{content[:_LONGEST]}…"
    if kind == "N":
        number = float(content)
        return int(content) if number == int(number) and "e" not in content.lower() else number
    if kind == "NULL":
        return None
    if kind == "M":
        return {key: plain_value(each) for key, each in content.items()}
    if kind == "L":
        shown = [plain_value(each) for each in content[:_MOST]]
        return [*shown, f"… and {len(content) - _MOST} more"] if len(content) > _MOST else shown
    if kind in ("SS", "NS", "BS"):
        return sorted(content)
    return content
