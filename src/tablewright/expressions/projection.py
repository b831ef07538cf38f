"""Projections: the part of an item that some document paths lead to.

Several paths into one map or list come back as one map or list; elements of a list keep their
order and close up. What leads nowhere leaves no trace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from tablewright.expressions.nodes import Path
from tablewright.expressions.operands import member
from tablewright.values import AttributeValue, Item

Tree: TypeAlias = Mapping[str | int, Any]
"""Steps and what is below them; nothing below means: the whole value."""


class Projection:
    """Some paths; :meth:`apply` reduces an item to them."""

    __slots__ = ("_names", "_tree", "attributes", "nested", "paths")

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = tuple(paths)
        self._tree = tree(self.paths)
        self._names = tuple(self._tree) if not any(self._tree.values()) else None
        self.attributes = frozenset(str(name) for name in self._tree)
        self.nested = frozenset(str(name) for name, below in self._tree.items() if below)

    def apply(self, item: Item) -> Item:
        """The part of ``item`` that the paths lead to; shares its values."""
        if self._names is not None:
            return {str(name): item[name] for name in self._names if name in item}
        return _members(item, self._tree)


def tree(paths: Iterable[Path]) -> Tree:
    """The paths as a tree of their steps."""
    root: dict[str | int, Any] = {}
    for path in paths:
        node = root
        for step in path:
            node = node.setdefault(step, {})
    return root


def _members(content: Mapping[str, AttributeValue], below: Tree) -> dict[str, AttributeValue]:
    found = {}
    for step, deeper in below.items():
        part = _part(content.get(str(step)), deeper)
        if part is not None:
            found[str(step)] = part
    return found


def _part(value: AttributeValue | None, below: Tree) -> AttributeValue | None:
    if value is None or not below:
        return value
    if isinstance(next(iter(below)), int):
        elements = [_part(member(value, step), below[step]) for step in sorted(below)]
        present = [element for element in elements if element is not None]
        return {"L": present} if present else None
    members = _members(value["M"], below) if "M" in value else None
    return {"M": members} if members else None
