"""Updates: actions compiled into changes, applied to a copy as if all at the same time.

Every value is computed from the item as it was. The targets form a tree: what lies on the way
to a target is copied, what does not is shared with the old item. Inside a list, the indexes
are those of the old list; an index behind its end appends, in index order, and elements are
taken out last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tablewright.expressions import arithmetic
from tablewright.expressions.check import Names, resolve
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import (
    Action,
    Add,
    Arithmetic,
    Delete,
    Literal,
    Node,
    Path,
    Remove,
    Set,
    Value,
    ValueRef,
)
from tablewright.expressions.operands import (
    MISSING,
    WRONG_TYPE,
    Fetch,
    Values,
    fetch,
    mentioned,
)
from tablewright.expressions.projection import Projection
from tablewright.expressions.statement_size import Statement, charge, measure_statement
from tablewright.values import AttributeValue, InvalidValue, Item, normalize

Change: TypeAlias = Callable[[AttributeValue | None, Item, Values], AttributeValue | None]
"""From the old value at a place, the old item and the values to the new value; None: absent."""

_TOO_DEEP = "Nesting Levels have exceeded supported limits"
_BAD_PATH = "The document path provided in the update expression is invalid for update"


@dataclass(frozen=True)
class Plan:
    """An update before it has values: what happens to each top-level attribute."""

    changes: tuple[tuple[str, Change], ...]
    # Where there is no item yet, AWS passes over removals, even of paths that lead nowhere.
    changes_to_nothing: tuple[tuple[str, Change], ...]
    touched: Projection
    nested: frozenset[str]
    computed: frozenset[str]
    only_removes: bool
    #: what the update is charged for; None where AWS only limits the size of the item
    statement: Statement | None = None


class Update:
    """Actions with their values: :meth:`apply` makes the new item."""

    __slots__ = ("_plan", "_values", "_values_size")

    _plan: Plan
    _values: Values

    def __init__(
        self, actions: Sequence[Action] | Plan, values: Values | None = None, values_size: int = 0
    ) -> None:
        self._plan = actions if isinstance(actions, Plan) else plan(actions, {})
        self._values = values or {}
        self._values_size = values_size

    @property
    def paths(self) -> tuple[Path, ...]:
        """The document paths that the update changes, as written."""
        return self._plan.touched.paths

    @property
    def attributes(self) -> frozenset[str]:
        """The top-level attributes that the update changes."""
        return self._plan.touched.attributes

    @property
    def nested(self) -> frozenset[str]:
        """The top-level attributes, changed or read, that the update looks into."""
        return self._plan.nested

    @property
    def computed(self) -> frozenset[str]:
        """The top-level attributes whose new values do not stand in the request as they are."""
        return self._plan.computed

    @property
    def only_removes(self) -> bool:
        """Whether there are actions and all are REMOVE or DELETE: these create no item."""
        return self._plan.only_removes

    def apply(self, item: Item, exists: bool = True) -> Item:
        """The item after the update; ``item`` stays as it is.

        For an item that does not exist yet, pass its key attributes and ``exists=False``.
        """
        values = self._values
        result = item.copy()
        for name, change in self._plan.changes if exists else self._plan.changes_to_nothing:
            value = change(item.get(name), item, values)
            if value is not None:
                result[name] = value
            else:
                result.pop(name, None)
        return result

    def may_be_charged_more_than(self, limit: int) -> bool:
        """Whether it takes a closer look to know that :meth:`charge` is within ``limit``."""
        statement = self._plan.statement
        if statement is None:
            return False
        return statement.fixed + statement.most_uses * self._values_size > limit

    def charge(self, item: Item) -> int:
        """The size of what the statement does to ``item``, as AWS limits it."""
        statement = self._plan.statement
        return 0 if statement is None else charge(statement, item, self._values)

    def touched(self, item: Item) -> Item:
        """The part of the old or new item that the update is about (UPDATED_OLD/_NEW)."""
        return self._plan.touched.apply(item)


def plan_statement(actions: Sequence[Action], names: Names) -> Plan:
    """Compile the ``actions`` of an update expression, which is charged for as a statement."""
    return replace(plan(actions, names), statement=measure_statement(actions, names))


def plan(actions: Sequence[Action], names: Names) -> Plan:
    """Compile ``actions``, whose targets must not overlap."""
    paths = [resolve(action.target, names) for action in actions]
    root: dict[str | int, Any] = {}
    lasting = set()
    computed = set()
    for path, action in zip(paths, actions, strict=True):
        node = root
        for step in path[:-1]:
            node = node.setdefault(step, {})
        node[path[-1]] = _change(action, len(path) - 1, names)
        if not isinstance(action, Remove):
            lasting.add(str(path[0]))
        if not (isinstance(action, Set) and isinstance(action.value, ValueRef | Literal)):
            computed.add(str(path[0]))
    changes = tuple((str(name), _nested(below)) for name, below in root.items())
    return Plan(
        changes=changes,
        changes_to_nothing=tuple(change for change in changes if change[0] in lasting),
        touched=Projection(paths),
        nested=mentioned(_nodes(actions), names)[1],
        computed=frozenset(computed),
        only_removes=bool(actions) and all(isinstance(a, Remove | Delete) for a in actions),
    )


def _nodes(actions: Iterable[Action]) -> Iterator[Node]:
    for action in actions:
        yield action.target
        if not isinstance(action, Remove):
            yield action.value


# --- one place ---------------------------------------------------------------------------


def _change(action: Action, depth: int, names: Names) -> Change:
    if isinstance(action, Remove):
        return lambda old, item, values: None
    if isinstance(action, Set):
        return _assigned(_value(action.value, names), depth)
    return _changed_set(_added if isinstance(action, Add) else _deleted, fetch(action.value, names))


def _assigned(value: Fetch, depth: int) -> Change:
    def change(old: AttributeValue | None, item: Item, values: Values) -> AttributeValue:
        new = value(item, values)
        if new is None:
            raise ExpressionError(MISSING)
        if "M" in new or "L" in new:
            _check_nesting(new, depth)
        return new

    return change


def _check_nesting(value: AttributeValue, depth: int) -> None:
    try:
        normalize(value, depth)
    except InvalidValue:
        # The value is in order; it is too deep where it shall stand.
        raise ExpressionError(_TOO_DEEP) from None


def _value(value: Value, names: Names) -> Fetch:
    if not isinstance(value, Arithmetic):
        return fetch(value, names)
    left, right = _value(value.left, names), _value(value.right, names)
    sign = 1 if value.operator == "+" else -1

    def computed(item: Item, values: Values) -> AttributeValue:
        a = _number(left(item, values))
        return {"N": arithmetic.total(a, _number(right(item, values)), sign)}

    return computed


def _number(value: AttributeValue | None) -> str:
    if value is None:
        raise ExpressionError(MISSING)
    if "N" not in value:
        raise ExpressionError(WRONG_TYPE)
    text: str = value["N"]
    return text


def _changed_set(
    change: Callable[[AttributeValue | None, AttributeValue], AttributeValue | None], operand: Fetch
) -> Change:
    def changed(old: AttributeValue | None, item: Item, values: Values) -> AttributeValue | None:
        value = operand(item, values)
        if value is None:
            raise ExpressionError(MISSING)
        return change(old, value)

    return changed


def _added(old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
    if old is None:
        return value
    kind = _same_kind(old, value)
    if kind == "N":
        return {"N": arithmetic.total(old["N"], value["N"])}
    return arithmetic.united(kind, old, value)


def _deleted(old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
    return None if old is None else arithmetic.without(_same_kind(old, value), old, value)


def _same_kind(old: AttributeValue, value: AttributeValue) -> str:
    kind = next(iter(value))
    if kind not in old:
        raise ExpressionError(WRONG_TYPE)
    return kind


# --- places inside others ----------------------------------------------------------------


def _nested(below: Any) -> Change:
    """The change of a place from the changes of the places inside it."""
    if not isinstance(below, dict):
        change: Change = below
        return change
    inner = [(step, _nested(deeper)) for step, deeper in below.items()]
    if isinstance(inner[0][0], int):
        return _inside_list(sorted(inner, key=lambda pair: pair[0]))
    return _inside_map(inner)


def _inside_map(inner: Iterable[tuple[str, Change]]) -> Change:
    changes = tuple(inner)

    def changed(old: AttributeValue | None, item: Item, values: Values) -> AttributeValue:
        if old is None or "M" not in old:
            raise ExpressionError(_BAD_PATH)
        members = dict(old["M"])
        for name, change in changes:
            value = change(members.get(name), item, values)
            if value is not None:
                members[name] = value
            else:
                members.pop(name, None)
        return {"M": members}

    return changed


def _inside_list(inner: Iterable[tuple[int, Change]]) -> Change:
    changes = tuple(inner)

    def changed(old: AttributeValue | None, item: Item, values: Values) -> AttributeValue:
        if old is None or "L" not in old:
            raise ExpressionError(_BAD_PATH)
        elements: list[AttributeValue | None] = list(old["L"])
        length = len(elements)
        for index, change in changes:
            if index < length:
                elements[index] = change(elements[index], item, values)
            else:
                elements.append(change(None, item, values))
        return {"L": [element for element in elements if element is not None]}

    return changed
