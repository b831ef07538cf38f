"""Write paths: what each writing pattern sends, shown by its demo call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.document.expressions import cut, expression_text, value_text
from tablewright.document.markdown import code, paragraphs, table
from tablewright.document.patterns import members_text, rate_text, told
from tablewright.model.definition import EntityDef, entity_of
from tablewright.model.explain import requests_of
from tablewright.model.model import Model
from tablewright.model.ops import Op
from tablewright.model.pattern import Pattern
from tablewright.model.table import Table
from tablewright.values import Item

#: The moment at which calls are looked at: a document does not change from day to day.
MOMENT = 1_794_700_800.0
_LONG = 160


@dataclass(frozen=True)
class Step:
    """One item that a request reads or writes."""

    does: str
    entity: str
    key: str
    changes: str = ""
    condition: str = ""


def writes_section(model: Model, calls: Mapping[str, Op[Any]]) -> str:
    writing = [each for each in model.patterns.values() if each.writes]
    if not writing:
        return ""
    parts = ["## Write paths"]
    if calls:
        parts.append("As the sample call of each pattern sends them.")
    for pattern in writing:
        parts += _path(model, pattern, calls.get(pattern.name))
    return paragraphs(*parts)


def _path(model: Model, pattern: Pattern[..., Any], call: Op[Any] | None) -> list[str]:
    facts = [pattern.kind, pattern.component or "", rate_text(pattern.rate)]
    head = ", ".join(fact for fact in facts if fact)
    if call is None:
        return [f"### {pattern.name}", f"{told(pattern)} ({head})", f"{members_text(pattern)}."]
    steps = list(steps_of(model, call))
    rows = [
        (step.does, step.entity, step.key, step.changes, step.condition) for step in _joined(steps)
    ]
    heads = ("Does", "Item", "Key", "Changes", "Only if")
    return [f"### {pattern.name}", f"{told(pattern)} ({head})", table(heads, rows)]


def _joined(steps: Iterable[Step]) -> list[Step]:
    """Neighbours that do the same with other items of the same kind become one line."""
    joined: list[Step] = []
    alike = 0
    for step in steps:
        last = joined[-1] if joined else None
        if last is not None and (step.does, step.entity) == (last.does.split(",")[0], last.entity):
            alike += 1
            told_once = f"{step.does}, and {alike} more"
            joined[-1] = Step(told_once, last.entity, last.key, last.changes, last.condition)
        else:
            alike = 0
            joined.append(step)
    return joined


# --- steps ---------------------------------------------------------------------------------------


def steps_of(model: Model, call: Op[Any]) -> Iterator[Step]:
    """Everything that a call reads and writes, in order."""
    for operation, body in requests_of(call, MOMENT):
        if operation == "TransactWriteItems":
            for member in body["TransactItems"]:
                ((kind, inner),) = member.items()
                yield _step(model, kind, inner)
        elif operation == "BatchWriteItem":
            yield from _batch(model, body)
        elif operation == "GetItem":
            yield _step(model, "Get", body)
        else:
            yield _step(model, operation.removesuffix("Item"), body)


def _batch(model: Model, body: Mapping[str, Any]) -> Iterator[Step]:
    for name, requests in body["RequestItems"].items():
        for request in requests:
            ((kind, inner),) = request.items()
            yield _step(model, kind.removesuffix("Request"), {"TableName": name, **inner})


def _step(model: Model, kind: str, body: Mapping[str, Any]) -> Step:
    owner = model.table(body["TableName"])
    item: Item = body.get("Item") or body["Key"]
    condition = body.get("ConditionExpression")
    update = body.get("UpdateExpression")
    does = {"ConditionCheck": "check", "Get": "read"}.get(kind, kind.lower())
    return Step(
        does,
        _owner(owner, item),
        ", ".join(code(_key(item[each.name])) for each in owner.primary()),
        "" if update is None else code(_short(expression_text(update, body, MOMENT))),
        "" if condition is None else code(_short(expression_text(condition, body, MOMENT))),
    )


def _owner(owner: Table, item: Item) -> str:
    known = entity_of(owner, item)
    if known is not None:
        return code(known.cls.__name__)
    fitting = [each for each in owner.entities.values() if each.primary.matches(item)]
    if fitting:
        return code(_closest(fitting).cls.__name__)
    for each in owner.entities.values():
        for unique in each.uniques:
            if unique.key.matches(item):
                return f"lock {code(unique.name)}"
    return ""


def _closest(fitting: list[EntityDef[Any]]) -> EntityDef[Any]:
    """The entity whose templates say most."""

    def literal(known: EntityDef[Any]) -> int:
        pieces = (piece for part in known.primary.parts for piece in part.template.pieces)
        return sum(len(piece) for piece in pieces if isinstance(piece, str))

    return max(fitting, key=literal)


def _key(value: dict[str, Any]) -> str:
    return cut(value_text(value).strip('"'), 48) if "S" not in value else cut(value["S"], 48)


def _short(text: str) -> str:
    return cut(text, _LONG)
