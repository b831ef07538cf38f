"""Conditions: trees of tiny frozen dataclasses, rendered to DynamoDB's text at the very end.

They are made by comparing attributes, ``attr(Order.status) == "new"``, and joined by ``& | ~``.
Values are encoded when a condition is made, so a wrong one is reported where it was written.

What holds for an attribute that is absent: ``!=`` and ``missing()`` are true, everything else is
false. As None is stored as absence, ``== None`` asks for just that.

A filter that is declared once has ``param("since")`` in place of a value; :meth:`Condition.bind`
puts the arguments in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NoReturn, TypeAlias

from tablewright.model.errors import RequestError
from tablewright.model.expressions.operands import (
    Operand,
    Param,
    Parameter,
    Size,
    Subject,
    Value,
    argument,
    bind_operand,
    operand_text,
    param,
)
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import Place
from tablewright.values import compare

__all__ = ["Condition", "Param", "Place", "Size", "Value", "param", "render"]

Operator: TypeAlias = Literal["=", "<>", "<", "<=", ">", ">="]

#: As many choices as one IN may have.
MAX_CHOICES = 100


class Condition:
    """What has to hold of an item. Join conditions with ``&``, ``|`` and ``~``."""

    __slots__ = ()

    def __and__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return And((*_parts(self, And), *_parts(other, And)))

    def __or__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            return NotImplemented
        return Or((*_parts(self, Or), *_parts(other, Or)))

    def __invert__(self) -> Condition:
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> NoReturn:
        raise RequestError(
            "a condition is neither true nor false before it meets an item: "
            "join conditions with & | ~ instead of and, or, not; write ranges with between()"
        )

    def fields(self) -> frozenset[str]:
        """The fields, by the roots of their paths, that the condition is about."""
        return frozenset(place.field for place in self.places() if place.field)

    def places(self) -> Iterator[Place]:
        """Every place that is mentioned, from left to right."""
        for operand in self.operands():
            if isinstance(operand, Size):
                yield operand.place
            elif isinstance(operand, Place):
                yield operand

    def parameters(self) -> frozenset[str]:
        """The names of the parameters that have to be bound."""
        return frozenset(each.name for each in self.operands() if isinstance(each, Parameter))

    def operands(self) -> Iterator[Operand]:
        """What is compared."""
        raise NotImplementedError

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        """The condition with arguments for its parameters; None if nothing is left of it."""
        raise NotImplementedError

    def holds_for_none(self) -> bool:
        """Whether it holds where there is no item at all."""
        return False

    def text(self, holders: Placeholders) -> str:
        """As an expression of DynamoDB."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Comparison(Condition):
    """``left operator right``"""

    left: Subject
    operator: Operator
    right: Operand

    def operands(self) -> Iterator[Operand]:
        yield self.left
        yield self.right

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        right = bind_operand(self.right, arguments)
        return None if right is None else Comparison(self.left, self.operator, right)

    def holds_for_none(self) -> bool:
        return self.operator == "<>"

    def text(self, holders: Placeholders) -> str:
        left = operand_text(self.left, holders)
        return f"{left} {self.operator} {operand_text(self.right, holders)}"


@dataclass(frozen=True, slots=True)
class Between(Condition):
    """``subject BETWEEN low AND high``, both ends included"""

    subject: Subject
    low: Operand
    high: Operand

    def operands(self) -> Iterator[Operand]:
        yield from (self.subject, self.low, self.high)

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        low, high = bind_operand(self.low, arguments), bind_operand(self.high, arguments)
        if low is None:
            return None if high is None else Comparison(self.subject, "<=", high)
        if high is None:
            return Comparison(self.subject, ">=", low)
        return between(self.subject, low, high)

    def text(self, holders: Placeholders) -> str:
        subject, low, high = (operand_text(each, holders) for each in self.operands())
        return f"{subject} BETWEEN {low} AND {high}"


@dataclass(frozen=True, slots=True)
class In(Condition):
    """``place IN (choice, ...)``; a parameter stands for all the choices."""

    place: Place
    choices: tuple[Operand, ...] | Parameter

    def operands(self) -> Iterator[Operand]:
        yield self.place
        yield from (self.choices,) if isinstance(self.choices, Parameter) else self.choices

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        if not isinstance(self.choices, Parameter):
            choices = [bind_operand(choice, arguments) for choice in self.choices]
            return one_of(self.place, [each for each in choices if each is not None])
        given = argument(self.choices.name, arguments)
        if given is None:
            return None
        encoded = map(self.choices.encode, listed(given))
        return one_of(self.place, [None if av is None else Value(av) for av in encoded])

    def text(self, holders: Placeholders) -> str:
        if isinstance(self.choices, Parameter):
            return f"{operand_text(self.place, holders)} IN ({operand_text(self.choices, holders)})"
        choices = ", ".join(operand_text(choice, holders) for choice in self.choices)
        return f"{operand_text(self.place, holders)} IN ({choices})"


@dataclass(frozen=True, slots=True)
class Call(Condition):
    """``function(place)`` or ``function(place, argument)``"""

    function: str
    place: Place
    argument: Operand | None = None

    def operands(self) -> Iterator[Operand]:
        yield self.place
        if self.argument is not None:
            yield self.argument

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        if self.argument is None:
            return self
        bound = bind_operand(self.argument, arguments)
        return None if bound is None else Call(self.function, self.place, bound)

    def holds_for_none(self) -> bool:
        return self.function == "attribute_not_exists"

    def text(self, holders: Placeholders) -> str:
        operands = ", ".join(operand_text(each, holders) for each in self.operands())
        return f"{self.function}({operands})"


@dataclass(frozen=True, slots=True)
class _Joined(Condition):
    parts: tuple[Condition, ...]

    def operands(self) -> Iterator[Operand]:
        for part in self.parts:
            yield from part.operands()

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        bound = [part.bind(arguments) for part in self.parts]
        kept = tuple(part for part in bound if part is not None)
        if len(kept) < 2:
            return kept[0] if kept else None
        return type(self)(kept)


@dataclass(frozen=True, slots=True)
class And(_Joined):
    """Every part holds."""

    def holds_for_none(self) -> bool:
        return all(part.holds_for_none() for part in self.parts)

    def text(self, holders: Placeholders) -> str:
        return " AND ".join(_grouped(part, holders) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or(_Joined):
    """At least one part holds."""

    def holds_for_none(self) -> bool:
        return any(part.holds_for_none() for part in self.parts)

    def text(self, holders: Placeholders) -> str:
        return " OR ".join(_grouped(part, holders) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """The part does not hold."""

    part: Condition

    def operands(self) -> Iterator[Operand]:
        return self.part.operands()

    def bind(self, arguments: Mapping[str, object]) -> Condition | None:
        part = self.part.bind(arguments)
        return None if part is None else ~part

    def holds_for_none(self) -> bool:
        return not self.part.holds_for_none()

    def text(self, holders: Placeholders) -> str:
        return f"NOT {_grouped(self.part, holders)}"


def render(condition: Condition, holders: Placeholders) -> str:
    """The text for a ConditionExpression or FilterExpression."""
    return condition.text(holders)


def _grouped(part: Condition, holders: Placeholders) -> str:
    text = part.text(holders)
    return f"({text})" if isinstance(part, And | Or) else text


def _parts(condition: Condition, kind: type[_Joined]) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, kind) else (condition,)


# --- making them -------------------------------------------------------------------------------


def exists(place: Place) -> Condition:
    return Call("attribute_exists", place)


def missing(place: Place) -> Condition:
    return Call("attribute_not_exists", place)


def compared(place: Place, operator: Operator, operand: Operand | None) -> Condition:
    """A comparison with a value, or with absence (None)."""
    if operand is not None:
        _check_distinct(place, operand)
        return Comparison(place, operator, operand)
    if operator == "=":
        return missing(place)
    if operator == "<>":
        return exists(place)
    raise RequestError(f"{place} {operator} None: what is absent has no order; use missing()")


def between(subject: Subject, low: Operand, high: Operand) -> Condition:
    """``low <= subject <= high``."""
    _check_distinct(subject, low)
    _check_distinct(subject, high)
    if isinstance(low, Value) and isinstance(high, Value) and (compare(low.av, high.av) or 0) > 0:
        # DynamoDB refuses bounds in the wrong order; as two comparisons they hold for no item.
        return Comparison(subject, ">=", low) & Comparison(subject, "<=", high)
    return Between(subject, low, high)


def one_of(place: Place, choices: Iterable[Operand | None]) -> Condition:
    """Whether the value is one of the choices, of which None is absence."""
    listed = list(choices)
    found = [choice for choice in listed if choice is not None]
    for choice in found:
        _check_distinct(place, choice)
    parts: list[Condition] = [
        In(place, tuple(found[start : start + MAX_CHOICES]))
        for start in range(0, len(found), MAX_CHOICES)
    ]
    if len(found) < len(listed):
        parts.append(missing(place))
    if not parts:
        # Nothing is one of no choices; DynamoDB has no empty IN and no word for "never".
        return exists(place) & missing(place)
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def listed(values: object) -> Iterable[object]:
    """``values``, unless they are a text or no values at all."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise RequestError(f"is_in() takes several values, such as a list; not {values!r}")
    return values


def _check_distinct(subject: Subject, operand: Operand) -> None:
    if subject == operand:
        raise RequestError(f"{subject} is compared with itself")
