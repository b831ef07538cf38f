"""DynamoDB's expressions: one grammar for conditions, filters, projections, updates and keys.

:class:`Scope` holds one request's placeholders and turns expression texts into things that
run: :class:`Condition`, :class:`Update`, :class:`Projection`, :class:`KeyTerm`. Everything
that AWS would refuse raises :class:`ExpressionError` with AWS's own message.

How the parts meet: ``lexer`` and ``grammar`` make ``nodes`` from text; ``check`` holds AWS's
rules; ``operands``, ``condition``, ``update``, ``projection`` and ``keycondition`` compile
nodes into closures; ``syntax`` keeps all of that per text; ``scope`` adds a request's values.
Nodes can also be built without text: ``Condition(node)``, ``Update(actions)``.
"""

from __future__ import annotations

from tablewright.expressions import nodes
from tablewright.expressions.condition import Condition
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.keycondition import KeyOperator, KeyTerm
from tablewright.expressions.nodes import Path
from tablewright.expressions.projection import Projection
from tablewright.expressions.reserved import RESERVED, is_reserved
from tablewright.expressions.scope import KeptQuery, Scope
from tablewright.expressions.update import Update

__all__ = [
    "RESERVED",
    "Condition",
    "ExpressionError",
    "KeptQuery",
    "KeyOperator",
    "KeyTerm",
    "Path",
    "Projection",
    "Scope",
    "Update",
    "is_reserved",
    "nodes",
]
