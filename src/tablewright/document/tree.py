"""Entities and how they belong together, as a tree from left to right, for a page.

Who belongs to whom is read from the keys (:func:`tablewright.document.mermaid.relations`). An
entity that belongs to several stands beside the first of them; dashed lines come from the others.
Those that neither belong to anything nor own anything stand below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tablewright.document.drawing import LINE, MONO, at, box, linked, text, within_page
from tablewright.document.expressions import cut
from tablewright.document.leads import Leads
from tablewright.document.mermaid import relations
from tablewright.model.definition import EntityDef
from tablewright.model.model import Model

HEIGHT = 58
ROW = 68
BETWEEN = 60
#: Characters of a key, before it is cut; the narrowest box.
WIDEST = 34
NARROWEST = 150
#: Columns of what stands alone.
ALONE = 4


@dataclass(eq=False)
class Node:
    """An entity with its place."""

    entity: EntityDef[Any]
    parents: list[Node] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    column: int = 0
    y: float = 0

    @property
    def name(self) -> str:
        return self.entity.cls.__name__

    @property
    def key(self) -> list[str]:
        """The templates of its primary key."""
        return [cut(part.template.text, WIDEST) for part in self.entity.primary.parts]


def tree_within(model: Model, leads: Leads) -> str:
    """The drawing as a part of a page; see ``within_page``."""
    nodes = _nodes(model)
    related = [each for each in nodes if each.parents or each.children]
    below = _placed(related) + (24 if related else 0)
    wide = max([NARROWEST, *(_width(each) for each in nodes)])
    bottom = below + _beside_each_other([each for each in nodes if each not in related], below)
    columns = max([each.column for each in nodes], default=0) + 1
    edges = [line for each in related for line in _edges(each, wide)]
    boxes = [_box(each, wide, leads) for each in nodes]
    width = columns * (wide + BETWEEN) - BETWEEN + 2
    return within_page(width, bottom + 2, f"The entities of {model.name}", [*edges, *boxes])


# --- who stands where -----------------------------------------------------------------------


def _nodes(model: Model) -> list[Node]:
    nodes = {each.cls: Node(each) for each in model.entities.values()}
    for parent, child, _ in relations(model):
        nodes[child.cls].parents.append(nodes[parent.cls])
    for node in nodes.values():
        # Who owns each other stand beside each other as they come.
        if node.parents and not _is_above(node, node.parents[0]):
            node.parents[0].children.append(node)
    return list(nodes.values())


def _is_above(node: Node, other: Node) -> bool:
    """Whether ``other`` already belongs to ``node``."""
    return any(each is other or _is_above(each, other) for each in node.children)


def _placed(related: Sequence[Node]) -> float:
    """Places for a forest; where it ends."""
    held = {child for each in related for child in each.children}
    bottom = 1.0
    for root in related:
        if root not in held:
            bottom = _place(root, 0, bottom)
    return bottom


def _place(node: Node, column: int, top: float) -> float:
    """A place for a node and all that belong to it, from ``top`` on; where that ends."""
    node.column, node.y = column, top
    bottom = top
    for child in node.children:
        bottom = _place(child, column + 1, bottom)
    return max(bottom, top + ROW)


def _beside_each_other(alone: Sequence[Node], top: float) -> float:
    """Places in lines; how high they are."""
    for number, node in enumerate(alone):
        node.column, node.y = number % ALONE, top + number // ALONE * ROW
    return -(-len(alone) // ALONE) * ROW


# --- how it looks ---------------------------------------------------------------------------


def _width(node: Node) -> float:
    return max(len(node.name) * 7.6, *(len(part) * MONO for part in node.key)) + 26


def _left(node: Node, wide: float) -> float:
    return 1 + node.column * (wide + BETWEEN)


def _edges(node: Node, wide: float) -> Iterator[str]:
    """Lines from its owners: those of one owner share their way as long as they can."""
    for parent in node.parents:
        style = "edge" if node in parent.children else "edge loose"
        x, y = _left(parent, wide) + wide, parent.y + HEIGHT / 2
        x2, y2 = _left(node, wide), node.y + HEIGHT / 2
        way = f"M{at(x)} {at(y)}H{at(x2 - BETWEEN / 2)}V{at(y2)}H{at(x2)}"
        yield f'<path d="{way}" class="{style}"/>'


def _box(node: Node, wide: float, leads: Leads) -> str:
    x, y, name = _left(node, wide), node.y, node.name
    parts = [
        box(x, y, wide, HEIGHT, "sheet", 8),
        box(x, y, 6, HEIGHT, f"bar {leads.entity_style(name)}".strip(), 3),
        text(x + 16, y + 17, name, "strong"),
        *(text(x + 16, y + 33 + n * LINE, part, "code") for n, part in enumerate(node.key)),
    ]
    if about := leads.about_entity(name):
        parts.append(text(x + wide - 8, y + 17, about, "warn", right=True))
    return linked("".join(parts), leads.entity(name))
