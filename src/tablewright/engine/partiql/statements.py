"""From a request's statement to something that can be run, in the order AWS looks at it.

First the parameters, then the text, then everything that the statement alone tells; only then is
there a table to look for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.partiql.grammar import parse
from tablewright.engine.partiql.literals import MISMATCHED, parameters
from tablewright.engine.partiql.selects import Selection, refuse_multiple_keys
from tablewright.engine.partiql.syntax import (
    Delete,
    Exists,
    Insert,
    Select,
    Statement,
    Update,
)
from tablewright.engine.partiql.writing import Alteration, Insertion
from tablewright.values import AttributeValue

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

Prepared: TypeAlias = Selection | Insertion | Alteration


def prepare(engine: Engine, request: dict[str, Any]) -> Prepared:
    """The request's statement with its parameters, before it has met its table."""
    return prepare_with(engine, request, parameters(request))


def prepare_with(engine: Engine, request: dict[str, Any], values: list[AttributeValue]) -> Prepared:
    """The same with parameters that have been checked before."""
    parsed = parse(request["Statement"])
    if parsed.parameters != len(values):
        raise validation(MISMATCHED)
    if parsed.refusal is not None:
        raise validation(parsed.refusal)
    statement = parsed.statement
    if isinstance(statement, Select):
        refuse_multiple_keys(engine, statement)
        return Selection.of(statement, values)
    if isinstance(statement, Insert):
        return Insertion.of(statement, values)
    return Alteration.of(statement, values)


def refuse_exists(prepared: Prepared) -> None:
    """EXISTS stands in transactions only."""
    if isinstance(prepared, Alteration) and isinstance(prepared.statement, Exists):
        raise validation("EXISTS can only be used in ExecuteTransaction write requests.")


def statement_of(request: dict[str, Any]) -> Statement | None:
    """The request's statement; None if it cannot be read."""
    try:
        return parse(request["Statement"]).statement
    except AwsError:
        return None


def is_write(request: dict[str, Any]) -> bool:
    """Whether the statement changes something."""
    return isinstance(statement_of(request), Insert | Update | Delete)
