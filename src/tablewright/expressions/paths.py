"""Document paths: how they are written in messages, and which of them exclude each other.

Two paths overlap when one leads to or through the other, and conflict when one takes for a
map what the other takes for a list.
"""

from __future__ import annotations

from typing import Any

from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.nodes import Path


def path_text(path: Path) -> str:
    """``[a, [0], b]``, AWS's way to write ``a[0].b``."""
    return "[" + ", ".join(f"[{s}]" if isinstance(s, int) else s for s in path) + "]"


class PathTree:
    """Paths seen so far, none of which overlaps or conflicts with another."""

    def __init__(self) -> None:
        self._root: dict[str | int, Any] = {}

    def add(self, path: Path) -> None:
        """Take ``path`` in, or raise AWS's message about the one it collides with."""
        node = self._root
        for depth, step in enumerate(path):
            if node and isinstance(step, int) != isinstance(next(iter(node)), int):
                raise _collision("conflict", path, path[:depth], node)
            child = node.get(step)
            if child is None:
                child = node[step] = {}
            elif not child or depth == len(path) - 1:
                raise _collision("overlap", path, path[: depth + 1], child)
            node = child


def _collision(verb: str, path: Path, other: Path, below: dict[str | int, Any]) -> ExpressionError:
    while below:
        step = next(iter(below))
        other = (*other, step)
        below = below[step]
    return ExpressionError(
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {path_text(path)}, path two: {path_text(other)}"
    )
