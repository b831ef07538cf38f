"""What all attributes share: how values, elements and members become operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from tablewright.model.errors import RequestError
from tablewright.model.expressions import changes, conditions
from tablewright.model.expressions.changes import Action
from tablewright.model.expressions.conditions import Condition, Operator
from tablewright.model.expressions.operands import (
    Encode,
    Operand,
    Param,
    Parameter,
    Value,
    piece_value,
)
from tablewright.model.expressions.places import SETS, FieldRef, Place, Target
from tablewright.values import AttributeValue

if TYPE_CHECKING:
    from tablewright.model.storage import Storage

T_co = TypeVar("T_co", covariant=True)

ORDERED = ("S", "N", "B")


class Of(Generic[T_co]):
    """An attribute whose values are of type ``T_co``, or of a narrower one.

    Methods that only some types have take this as their ``self``: ``Attr[Literal["a"]]`` and
    ``Attr[str | None]`` are both ``Of[str | None]``.
    """

    __slots__ = ("_target",)

    def __init__(self, target: Target) -> None:
        self._target = target

    @property
    def storage(self) -> Storage:
        """How its value is stored."""
        return self._target.storage

    def __repr__(self) -> str:
        return f"attr({self._target.place})"

    def _compared(self, operator: Operator, other: object) -> Condition:
        if operator not in ("=", "<>"):
            self._need(ORDERED, operator)
        return conditions.compared(self._target.place, operator, self._operand(other))

    def _call(self, function: str, part: object, encode: Encode) -> Condition:
        place = self._target.place
        if isinstance(part, Param):
            return conditions.Call(function, place, Parameter(part.name, encode))
        av = encode(part)
        if av is None:
            raise RequestError(f"{self!r}.{function}() needs a value, not {part!r}")
        return conditions.Call(function, place, Value(av))

    def _operand(self, given: object) -> Operand | None:
        if isinstance(given, Param):
            return Parameter(given.name, self.storage.encode)
        return self._constant(given)

    def _constant(self, given: object) -> Value | Place | None:
        # Type checkers cannot tell Order.limit from its value: both are welcome.
        if isinstance(given, Of | FieldRef):
            other = given._target
            kinds = {self.storage.kind, other.storage.kind}
            if len(kinds) > 1 and "ANY" not in kinds:
                raise RequestError(
                    f"{self._target.place} is stored as {self.storage.kind} and {other.place} as "
                    f"{other.storage.kind}: they are never equal, and have no common order"
                )
            return other.place
        av = self.storage.encode(given)
        return None if av is None else Value(av)

    def _encode_part(self, part: object) -> AttributeValue | None:
        kind = self.storage.kind
        if kind in ("S", "B"):
            return piece_value(part)
        if kind in SETS:
            whole = self.storage.encode(frozenset((part,)))
            return None if whole is None else {kind[0]: whole[kind][0]}
        if kind == "L":
            return self._element(part)
        return self.storage.encode(part)

    def _element(self, value: object) -> AttributeValue:
        return self.storage.element().encode(value) or {"NULL": True}

    def _extended(self, values: Iterable[object], front: bool) -> Action:
        self._need(("L",), "append() and prepend()")
        elements = Value({"L": [self._element(value) for value in values]})
        return changes.Extend(self._target.place, elements, front)

    def _members(self, members: Iterable[object]) -> Value | None:
        self._need(tuple(SETS), "add_members() and delete_members()")
        if isinstance(members, str | bytes):
            raise RequestError(f"{self!r}: give the members as a set, not as {members!r}")
        av = self.storage.encode(frozenset(members))
        return None if av is None else Value(av)

    def _need(self, kinds: Sequence[str], what: str) -> None:
        if self.storage.kind not in (*kinds, "ANY"):
            raise RequestError(
                f"{self._target.place} is stored as {self.storage.kind}; "
                f"{what} is for {', '.join(sorted(kinds))}"
            )
