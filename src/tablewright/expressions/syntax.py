"""Expression texts, parsed once: what one means under some names and some values.

The text of an expression is parsed and its shape checked once; the result is kept, keyed by
the text. It is compiled once per set of names. What is left per request is to see whether the
values are there and whether their *types* have been checked before; only two rules depend on
the values themselves (BETWEEN with two constants, and attribute_type) and are checked each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Generic, TypeVar

from tablewright.expressions import check
from tablewright.expressions.check import Names, Values
from tablewright.expressions.condition import CompiledCondition, compile_condition
from tablewright.expressions.errors import ExpressionError
from tablewright.expressions.grammar import Parser
from tablewright.expressions.keycondition import TermTemplate, key_terms
from tablewright.expressions.nodes import Action, Attribute, Between, Call, Condition, bottom_up
from tablewright.expressions.projection import Projection
from tablewright.expressions.shape import (
    check_action_shape,
    check_condition_shape,
    check_path_shape,
)
from tablewright.expressions.update import Plan, plan_statement
from tablewright.values import AttributeValue

MAX_BYTES = 4096
CACHED_TEXTS = 2048
CACHED_NAMINGS = 64
CACHED_TYPINGS = 256

T = TypeVar("T")


class Naming(Generic[T]):
    """One expression under one set of names: compiled, and the value types it accepts."""

    def __init__(self, product: T) -> None:
        self.product = product
        self.accepted: set[tuple[str, ...]] = set()

    def accept(self, types: tuple[str, ...]) -> None:
        if len(self.accepted) >= CACHED_TYPINGS:
            self.accepted.clear()
        self.accepted.add(types)


class Syntax(Generic[T]):
    """One expression text, parsed: what it refers to, how it is checked and compiled."""

    def __init__(
        self,
        kind: str,
        parser: Parser,
        checks: Callable[[Names, Values], None],
        compiles: Callable[[Names], T],
        by_value: bool = False,
    ) -> None:
        self.kind = kind
        self.name_refs = tuple(parser.name_refs)
        self.value_refs = tuple(parser.value_refs)
        self.checks = checks
        self.compiles = compiles
        #: whether a rule looks at more than the types of the values
        self.by_value = by_value
        self.namings: dict[tuple[str | None, ...], Naming[T]] = {}

    def bind(self, names: dict[str, str], values: dict[str, AttributeValue]) -> T:
        """The compiled expression; :class:`ExpressionError` if these are wrong for it."""
        naming = self.recall(names, values)
        if naming is None:
            self.verify(names, values)
            named = tuple([names.get(reference) for reference in self.name_refs])
            naming = self.namings.get(named) or self._named(named, names)
            naming.accept(tuple([next(iter(values[each])) for each in self.value_refs]))
        return naming.product

    def recall(self, names: dict[str, str], values: dict[str, AttributeValue]) -> Naming[T] | None:
        """What is known under these names, if values of these types have been checked with it."""
        if self.by_value:
            return None
        # Most expressions have few references: a list is quicker than an iterator.
        naming = self.namings.get(tuple([names.get(each) for each in self.name_refs]))
        if naming is None:
            return None
        try:
            types = tuple([next(iter(values[each])) for each in self.value_refs])
        except KeyError:
            return None
        return naming if types in naming.accepted else None

    def verify(self, names: dict[str, str], values: dict[str, AttributeValue]) -> None:
        """Check names and values against the expression, whatever was checked before."""
        with _explained(self.kind):
            self.checks(names, values)

    def _named(self, named: tuple[str | None, ...], names: dict[str, str]) -> Naming[T]:
        if len(self.namings) >= CACHED_NAMINGS:
            self.namings.clear()
        naming = self.namings[named] = Naming(self.compiles(names))
        return naming


# --- the kinds of expression -------------------------------------------------------------


@lru_cache(CACHED_TEXTS)
def condition_syntax(kind: str, text: str) -> Syntax[CompiledCondition]:
    """A condition or filter expression."""
    root, parser = _parsed_condition(kind, text)
    return Syntax(
        kind,
        parser,
        partial(check.check_condition, root, parser.operators),
        partial(compile_condition, root),
        _looks_at_values(root),
    )


@lru_cache(CACHED_TEXTS)
def key_condition_syntax(text: str) -> Syntax[list[TermTemplate]]:
    """A key condition expression."""
    kind = "KeyConditionExpression"
    root, parser = _parsed_condition(kind, text)
    return Syntax(
        kind,
        parser,
        partial(check.check_condition, root, parser.operators),
        partial(key_terms, root),
        _looks_at_values(root),
    )


@lru_cache(CACHED_TEXTS)
def update_syntax(text: str) -> Syntax[Plan]:
    """An update expression."""
    kind = "UpdateExpression"
    actions: list[Action] = []
    with _explained(kind):
        parser = _parser(text, tells_size=False)
        sections = parser.update()
        seen = set()
        for section in sections:
            for action in section.actions:
                check_action_shape(action)
                actions.append(action)
            if section.keyword in seen:
                raise ExpressionError(
                    f'The "{section.keyword}" section can only be used once '
                    "in an update expression;"
                )
            seen.add(section.keyword)
    return Syntax(
        kind,
        parser,
        partial(check.check_update, actions, parser.operators),
        partial(plan_statement, actions),
    )


@lru_cache(CACHED_TEXTS)
def projection_syntax(text: str) -> Syntax[Projection]:
    """A projection expression."""
    kind = "ProjectionExpression"
    with _explained(kind):
        parser = _parser(text)
        paths = parser.projection()
        for path in paths:
            check_path_shape(path)
    return Syntax(
        kind,
        parser,
        lambda names, values: check.check_targets(paths, names),
        partial(_compiled_projection, paths),
    )


def _parsed_condition(kind: str, text: str) -> tuple[Condition, Parser]:
    with _explained(kind):
        parser = _parser(text)
        root = parser.condition()
        check_condition_shape(root)
    return root, parser


def _parser(text: str, *, tells_size: bool = True) -> Parser:
    if not text:
        raise ExpressionError("The expression can not be empty;")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        tail = f" expression size: {size}" if tells_size else ""
        raise ExpressionError(f"Expression size has exceeded the maximum allowed size;{tail}")
    return Parser(text)


def _compiled_projection(paths: Iterable[Attribute], names: Names) -> Projection:
    return Projection(check.resolve(path, names) for path in paths)


def _looks_at_values(root: Condition) -> bool:
    return any(
        isinstance(node, Between) or (isinstance(node, Call) and node.function == "attribute_type")
        for node in bottom_up(root)
    )


@contextmanager
def _explained(kind: str) -> Iterator[None]:
    try:
        yield
    except ExpressionError as error:
        raise ExpressionError(f"Invalid {kind}: {error}") from None
