"""What the expressions of a pattern say: changes, conditions, and whether they are refused.

Documents often leave values out, or give only their types; they are filled in here with values
that fit, so that what is refused is refused for what the document does say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tablewright.expressions import ExpressionError, Path, Scope, nodes
from tablewright.expressions.grammar import Parser
from tablewright.review.design import Design, Pattern
from tablewright.values import AttributeValue, Item

_STAND_INS: dict[str, AttributeValue] = {
    "S": {"S": "x"},
    "N": {"N": "1"},
    "B": {"B": "eA=="},
    "BOOL": {"BOOL": True},
    "NULL": {"NULL": True},
    "SS": {"SS": ["x"]},
    "NS": {"NS": ["1"]},
    "BS": {"BS": ["eA=="]},
    "L": {"L": []},
    "M": {"M": {}},
}
_REFERENCE = re.compile(r":[A-Za-z0-9_]+")


@dataclass(frozen=True)
class Change:
    """One action of an update."""

    #: SET, REMOVE, ADD or DELETE.
    action: str
    path: Path
    #: The value that is written, if it is one that the request carries.
    value: AttributeValue | None
    #: Attributes that the new value is made from.
    sources: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Refusal:
    """An expression that the service refuses, in its words."""

    expression: str
    text: str
    message: str


def writes(pattern: Pattern) -> Iterator[Pattern]:
    """The puts, updates and deletes of a pattern: itself, or its members."""
    if pattern.kind in ("put", "update", "delete"):
        yield pattern
    for member in pattern.members:
        yield from writes(member)


def all_writes(design: Design) -> Iterator[tuple[Pattern, Pattern]]:
    """Every write of a design, each with the pattern that it is a part of."""
    for pattern in design.patterns:
        for write in writes(pattern):
            yield pattern, write


def parts(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and all its members."""
    yield pattern
    for member in pattern.members:
        yield from parts(member)


def wire_values(pattern: Pattern) -> dict[str, AttributeValue]:
    """The values of its placeholders, types replaced by values of that type."""
    return {
        name: _STAND_INS.get(value, _STAND_INS["S"]) if isinstance(value, str) else _wire(value)
        for name, value in pattern.values.items()
    }


def _wire(value: object) -> AttributeValue:
    return value if isinstance(value, dict) else {"N": str(value)}


# --- changes -------------------------------------------------------------------------------------


def changes(pattern: Pattern) -> tuple[Change, ...]:
    """What the update changes; nothing if it cannot be read."""
    if pattern.update is None:
        return ()
    values = wire_values(pattern)
    return _changes(pattern.update, tuple(pattern.names.items()), _Frozen(values))


class _Frozen(dict[str, Any]):
    """Values as a part of a cache's key: by identity of their text."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(repr(sorted(self.items())))


@lru_cache(2048)
def _changes(
    text: str, names: tuple[tuple[str, str], ...], values: Mapping[str, AttributeValue]
) -> tuple[Change, ...]:
    try:
        sections = Parser(text).update()
    except ExpressionError:
        return ()
    known = dict(names)
    return tuple(
        Change(
            section.keyword,
            _path(action.target, known),
            _carried(action, values),
            frozenset(_sources(action, known)),
        )
        for section in sections
        for action in section.actions
    )


def _path(attribute: nodes.Attribute, names: Mapping[str, str]) -> Path:
    return tuple(
        names.get(step.text, step.text) if isinstance(step, nodes.NameRef) else step
        for step in attribute.steps
    )


def _carried(action: nodes.Action, values: Mapping[str, AttributeValue]) -> AttributeValue | None:
    value = getattr(action, "value", None)
    return values.get(value.text) if isinstance(value, nodes.ValueRef) else None


def _sources(action: nodes.Action, names: Mapping[str, str]) -> Iterator[str]:
    value = getattr(action, "value", None)
    if value is not None:
        yield from _attributes(value, names)


def _attributes(root: nodes.Node, names: Mapping[str, str]) -> Iterator[str]:
    for node in nodes.bottom_up(root):
        if isinstance(node, nodes.Attribute):
            yield str(_path(node, names)[0])


def written(pattern: Pattern) -> frozenset[str]:
    """The top-level attributes that a write sets, as far as it says so."""
    set_by_update = {str(change.path[0]) for change in changes(pattern)}
    return frozenset({*pattern.sets, *set_by_update})


# --- conditions ----------------------------------------------------------------------------------


def condition_tree(pattern: Pattern) -> nodes.Condition | None:
    """The condition's syntax tree; None if there is none or it cannot be read."""
    if pattern.condition is None:
        return None
    try:
        return Parser(pattern.condition).condition()
    except ExpressionError:
        return None


def condition_attributes(pattern: Pattern) -> frozenset[str]:
    """The top-level attributes that the condition looks at."""
    tree = condition_tree(pattern)
    return frozenset() if tree is None else frozenset(_attributes(tree, pattern.names))


def calls(pattern: Pattern, function: str) -> frozenset[str]:
    """The attributes that the condition asks about with ``function``, such as attribute_exists."""
    tree = condition_tree(pattern)
    if tree is None:
        return frozenset()
    return frozenset(
        str(_path(node.operands[0], pattern.names)[0])
        for node in nodes.bottom_up(tree)
        if isinstance(node, nodes.Call)
        and node.function == function
        and node.operands
        and isinstance(node.operands[0], nodes.Attribute)
    )


def holds_for(pattern: Pattern, item: Item) -> bool | None:
    """Whether the condition is met by ``item``; None if it cannot be told."""
    if pattern.condition is None:
        return True
    for values in _filled(pattern, pattern.condition):
        try:
            scope = Scope(dict(pattern.names) or None, values or None)
            return scope.condition(pattern.condition).matches(item)
        except ExpressionError:
            continue
    return None


# --- what is refused -----------------------------------------------------------------------------


def refusals(pattern: Pattern) -> Iterator[Refusal]:
    """Every expression of the pattern that DynamoDB refuses."""
    texts = {
        "UpdateExpression": pattern.update,
        "ConditionExpression": pattern.condition,
        "FilterExpression": pattern.filter,
        "ProjectionExpression": pattern.projection,
        "KeyConditionExpression": pattern.key_condition,
    }
    for kind, text in texts.items():
        if text is not None and (message := _refused(pattern, kind, text)) is not None:
            yield Refusal(kind, text, message)


def _refused(pattern: Pattern, kind: str, text: str) -> str | None:
    first: str | None = None
    for values in _filled(pattern, text):
        try:
            scope = Scope(dict(pattern.names) or None, values or None)
            _parse(scope, kind, text)
            return None
        except ExpressionError as error:
            first = first or str(error)
    return first


def _parse(scope: Scope, kind: str, text: str) -> None:
    if kind == "UpdateExpression":
        scope.update(text)
    elif kind == "ProjectionExpression":
        scope.projection(text)
    elif kind == "KeyConditionExpression":
        scope.key_condition(text)
    else:
        scope.condition(text, kind)


def _filled(pattern: Pattern, text: str) -> Iterator[dict[str, AttributeValue]]:
    """The values, and for those that are not given one guess after another."""
    given = wire_values(pattern)
    missing = [name for name in _REFERENCE.findall(text) if name not in given]
    if not missing:
        yield given
        return
    for kind in ("N", "S", "SS", "BOOL", "L", "M"):
        yield {**given, **dict.fromkeys(missing, _STAND_INS[kind])}
