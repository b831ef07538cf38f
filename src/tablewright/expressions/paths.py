"""Document paths: how they are written in messages, and which of them exclude each other.

Two paths overlap when one leads to or through the other, and conflict when one takes for a
map what the other takes for a list. AWS names both paths in its message. The second one it
names is a path it finds in its tree of the paths seen so far, along hash map order, and so
not always the one that is really in the way; we do the same.
"""

from __future__ import annotations

from collections.abc import Iterable
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
            elif not child:
                raise _collision("overlap", path, path[:depth], node)
            elif depth == len(path) - 1:
                raise _collision("overlap", path, path, child)
            node = child


def _collision(verb: str, path: Path, prefix: Path, node: dict[str | int, Any]) -> ExpressionError:
    other = prefix
    while node:
        step = hash_order(node)[-1]
        other = (*other, step)
        node = node[step]
    return ExpressionError(
        f"Two document paths {verb} with each other; must remove or rewrite one of these paths; "
        f"path one: {path_text(path)}, path two: {path_text(other)}"
    )


def hash_order(keys: Iterable[str | int]) -> list[Any]:
    """``keys`` in the order in which AWS's hash maps would list them."""
    listed = list(keys)
    buckets = 16
    while len(listed) > buckets * 3 // 4:
        buckets *= 2
    return sorted(listed, key=lambda key: _bucket(key, buckets))


def _bucket(key: str | int, buckets: int) -> int:
    code = key if isinstance(key, int) else _text_hash(key)
    return (code ^ code >> 16) & (buckets - 1)


def _text_hash(text: str) -> int:
    code = 0
    units = text.encode("utf-16-le", "surrogatepass")
    for low, high in zip(units[::2], units[1::2], strict=True):
        code = (code * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return code
