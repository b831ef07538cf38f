"""The syntax tree of every expression: tiny frozen dataclasses and nothing else.

The parser makes them from text, with ``#name`` and ``:value`` placeholders still unresolved
(:class:`NameRef`, :class:`ValueRef`). Whoever has no text (old request parameters, PartiQL)
builds them directly, with plain names as path steps and :class:`Literal` operands.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tablewright.values import AttributeValue

Path: TypeAlias = tuple[str | int, ...]
"""A resolved document path: ``a.b[0]`` is ``("a", "b", 0)``."""


@dataclass(frozen=True)
class NameRef:
    """``#x`` inside a document path."""

    text: str


@dataclass(frozen=True)
class Attribute:
    """A document path used as an operand or as the target of an action."""

    steps: tuple[str | int | NameRef, ...]


@dataclass(frozen=True)
class ValueRef:
    """``:x``, a value the request carries."""

    text: str


@dataclass(frozen=True, eq=False)
class Literal:
    """A value that is part of the tree itself."""

    value: AttributeValue


@dataclass(frozen=True)
class Call:
    """``function(operand, ...)``; a condition, or an operand, as the function has it."""

    function: str
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class Arithmetic:
    """``left + right`` or ``left - right``, only on the right of a SET.

    In the text of an expression both are operands; in PartiQL a sum may have many.
    """

    operator: str
    left: Value
    right: Value


Operand: TypeAlias = Attribute | ValueRef | Literal | Call
Value: TypeAlias = Operand | Arithmetic


@dataclass(frozen=True)
class Comparison:
    """``left operator right`` with one of ``= <> < <= > >=``."""

    operator: str
    left: Operand
    right: Operand


@dataclass(frozen=True)
class Between:
    """``operand BETWEEN low AND high``, both ends included."""

    operand: Operand
    low: Operand
    high: Operand


@dataclass(frozen=True)
class In:
    """``operand IN (choice, ...)``."""

    operand: Operand
    choices: tuple[Operand, ...]


@dataclass(frozen=True)
class And:
    """Every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Or:
    """At least one part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True)
class Not:
    """The part does not hold."""

    part: Condition


Condition: TypeAlias = Comparison | Between | In | Call | And | Or | Not


@dataclass(frozen=True)
class Set:
    """``SET target = value``."""

    target: Attribute
    value: Value


@dataclass(frozen=True)
class Remove:
    """``REMOVE target``."""

    target: Attribute


@dataclass(frozen=True)
class Add:
    """``ADD target value``: a number to a number, or elements to a set."""

    target: Attribute
    value: ValueRef | Literal


@dataclass(frozen=True)
class Delete:
    """``DELETE target value``: elements out of a set."""

    target: Attribute
    value: ValueRef | Literal


Action: TypeAlias = Set | Remove | Add | Delete
Node: TypeAlias = Value | Condition


def children(node: Node) -> tuple[Node, ...]:
    """The nodes directly below ``node``, from left to right."""
    if isinstance(node, Call):
        return node.operands
    if isinstance(node, Comparison | Arithmetic):
        return (node.left, node.right)
    if isinstance(node, Between):
        return (node.operand, node.low, node.high)
    if isinstance(node, In):
        return (node.operand, *node.choices)
    if isinstance(node, And | Or):
        return node.parts
    if isinstance(node, Not):
        return (node.part,)
    return ()


def bottom_up(root: Node) -> list[Node]:
    """All nodes, operands before what uses them, left before right.

    Without recursion, because an expression of 4 KB can nest a thousand calls.
    """
    nodes: list[Node] = []
    pending: list[Node] = [root]
    while pending:
        node = pending.pop()
        nodes.append(node)
        pending.extend(children(node))
    nodes.reverse()
    return nodes
