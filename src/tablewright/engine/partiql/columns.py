"""What SELECT returns of an item: each path under the name of its last named step.

``SELECT a.b, c[0]`` gives items with the attributes ``b`` and ``c[0]``, unlike a projection
expression, which keeps the structure.
"""

from __future__ import annotations

from collections.abc import Iterable

from tablewright.engine.errors import validation
from tablewright.engine.partiql.conditions import attribute
from tablewright.engine.partiql.syntax import Expression
from tablewright.expressions import Path, Projection
from tablewright.expressions.check import resolve
from tablewright.expressions.operands import member
from tablewright.expressions.paths import PathTree
from tablewright.values import Item


class Columns(Projection):
    """A projection whose results are flat."""

    __slots__ = ("_columns",)

    def __init__(self, paths: Iterable[Path]) -> None:
        super().__init__(paths)
        self._columns = tuple((column_name(path), path) for path in self.paths)

    def apply(self, item: Item) -> Item:
        found: Item = {}
        for name, path in self._columns:
            value = item.get(str(path[0]))
            for step in path[1:]:
                if value is None:
                    break
                value = member(value, step)
            if value is not None:
                found[name] = value
        return found


def column_name(path: Path) -> str:
    """The path from its last name on: ``a.b[0]`` is called ``b[0]``."""
    last = max(place for place, step in enumerate(path) if isinstance(step, str))
    return str(path[last]) + "".join(f"[{index}]" for index in path[last + 1 :])


def columns_of(expressions: tuple[Expression, ...] | None) -> Columns | None:
    """The columns of a SELECT; None for ``*``."""
    if expressions is None:
        return None
    paths = [resolve(attribute(each), {}) for each in expressions]
    seen = set()
    for name in map(column_name, paths):
        if name in seen:
            raise validation(f"Duplicate identifiers in select clause: {name}")
        seen.add(name)
    tree = PathTree()
    for path in paths:
        tree.add(path)
    return Columns(paths)
