"""The syntax tree of a PartiQL statement: tiny frozen dataclasses and nothing else.

The tree says what was written, not what DynamoDB makes of it: PartiQL is wider than what
DynamoDB runs, and AWS answers differently to what is no PartiQL at all and to what is PartiQL
but not for it. Every node knows where it stands, because several of AWS's messages say so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Position(NamedTuple):
    """Where a token stands, counted from one, and how long it is."""

    line: int
    column: int
    length: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}:{self.length}"


# --- expressions -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Name:
    """``a`` or ``"a"``."""

    text: str
    at: Position


@dataclass(frozen=True, slots=True)
class Constant:
    """A string, a number (as written), a boolean or null; ``kind`` is DynamoDB's type."""

    kind: str
    text: str
    at: Position


@dataclass(frozen=True, slots=True)
class Missing:
    """``MISSING``."""

    at: Position


@dataclass(frozen=True, slots=True)
class Parameter:
    """The n-th ``?``."""

    number: int
    at: Position


@dataclass(frozen=True, slots=True)
class Ion:
    """A literal in backticks, which DynamoDB does not take."""

    at: Position


@dataclass(frozen=True, slots=True)
class Sequence:
    """``[a, b]``, ``(a, b)`` or, as a bag, ``<<a, b>>``."""

    members: tuple[Expression, ...]
    is_bag: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Struct:
    """``{'a': b}``."""

    members: tuple[tuple[Expression, Expression], ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Star:
    """``.*`` or ``[*]`` within a path."""

    is_bracketed: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Path:
    """``root.a[0]``: a step is a name, a star, or whatever stands in brackets."""

    root: Expression
    steps: tuple[Expression | Star, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Call:
    """``function(argument, ...)``."""

    function: str
    arguments: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Unary:
    """``NOT a``, ``-a`` or ``+a``."""

    operator: str
    operand: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Infix:
    """Operands joined by one operator; a chain of AND or OR is one node."""

    operator: str
    operands: tuple[Expression, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Between:
    """``operand [NOT] BETWEEN low AND high``."""

    operand: Expression
    low: Expression
    high: Expression
    negated: bool
    at: Position


@dataclass(frozen=True, slots=True)
class Is:
    """``operand IS [NOT] type``."""

    operand: Expression
    type: str
    negated: bool
    at: Position


# --- statements --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """The table, and the index if one is named."""

    table: str
    index: str | None
    at: Position


class Order(NamedTuple):
    """One term of ORDER BY."""

    by: Expression
    descending: bool


class Assignment(NamedTuple):
    """``SET target = value``; without a value, ``REMOVE target``."""

    target: Expression
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Select:
    """``SELECT columns FROM target WHERE ... ORDER BY ...``; no columns mean ``*``."""

    columns: tuple[Expression, ...] | None
    target: Target
    where: Expression | None
    order: tuple[Order, ...]
    at: Position


@dataclass(frozen=True, slots=True)
class Insert:
    """``INSERT INTO target VALUE item``."""

    target: Target
    item: Expression
    at: Position


@dataclass(frozen=True, slots=True)
class Update:
    """``UPDATE target SET ... REMOVE ... WHERE ...``, or the same with FROM first."""

    target: Target
    assignments: tuple[Assignment, ...]
    where: Expression | None
    returning: str | None
    at: Position


@dataclass(frozen=True, slots=True)
class Delete:
    """``DELETE FROM target WHERE ...``."""

    target: Target
    where: Expression | None
    returning: str | None
    at: Position


@dataclass(frozen=True, slots=True)
class Exists:
    """``EXISTS(SELECT ...)``, a condition within a transaction."""

    select: Select
    at: Position

    @property
    def target(self) -> Target:
        return self.select.target


Statement: TypeAlias = Select | Insert | Update | Delete | Exists
Expression: TypeAlias = (
    Name
    | Constant
    | Missing
    | Parameter
    | Ion
    | Sequence
    | Struct
    | Path
    | Call
    | Unary
    | Infix
    | Between
    | Is
    | Statement
)


def children(node: Expression | Star) -> tuple[Expression | Star, ...]:
    """The expressions directly below ``node``."""
    if isinstance(node, Sequence):
        return node.members
    if isinstance(node, Struct):
        return tuple(part for member in node.members for part in member)
    if isinstance(node, Path):
        return (node.root, *node.steps)
    if isinstance(node, Call):
        return node.arguments
    if isinstance(node, Unary | Is):
        return (node.operand,)
    if isinstance(node, Infix):
        return node.operands
    if isinstance(node, Between):
        return (node.operand, node.low, node.high)
    if isinstance(node, Insert):
        return (node.item,)
    if isinstance(node, Exists):
        return (node.select,)
    if isinstance(node, Select):
        below = (*(node.columns or ()), node.where, *(order.by for order in node.order))
        return tuple(part for part in below if part is not None)
    if isinstance(node, Update):
        below = (*(part for pair in node.assignments for part in pair), node.where)
        return tuple(part for part in below if part is not None)
    if isinstance(node, Delete):
        return () if node.where is None else (node.where,)
    return ()


def height(root: Expression) -> int:
    """How many nodes deep the tree is; without recursion, whatever was written."""
    level: list[Expression | Star] = [root]
    count = 0
    while level:
        count += 1
        level = [child for node in level for child in children(node)]
    return count
