"""``attr()``: a field of an entity, lifted to something that can be compared and changed.

Type checkers see ``Order.status`` as the field's own type, so ``attr(Order.status)`` is an
``Attr[str]`` and takes texts only. The methods that belong to some types alone (``add`` to
numbers, ``append`` to lists) say so in the type of their ``self``; at run time the storage kind
decides. ``Attr`` itself is invariant: a checker that may widen ``T`` would take a comparison of a
text with a number for one of two objects.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Generic, Literal, TypeAlias, TypeVar, overload

from tablewright.model.errors import RequestError
from tablewright.model.expressions import changes, conditions
from tablewright.model.expressions.attribute_base import ORDERED, Of
from tablewright.model.expressions.changes import Action
from tablewright.model.expressions.conditions import Condition
from tablewright.model.expressions.operands import (
    Param,
    Parameter,
    Size,
    Value,
    number_value,
    piece_value,
)
from tablewright.model.expressions.places import (
    SETS,
    FieldRef,
    Path,
    target_of,
)
from tablewright.model.expressions.sizes import SizeOf

T = TypeVar("T")
E = TypeVar("E")

#: What an attribute is compared with.
Other: TypeAlias = "T | Attr[T] | Attr[T | None] | Param"
OfList: TypeAlias = "Of[list[E] | tuple[E, ...] | None]"
OfSet: TypeAlias = "Of[AbstractSet[E] | None]"
Kind: TypeAlias = Literal["S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "M", "L"]

_SIZED = ("S", "B", "SS", "NS", "BS", "L", "M")


def attr(field: T) -> Attr[T]:
    """A field to compare or change: ``attr(Order.status) == "new"``, ``attr(Order.count).add(1)``.

    The field is the one on the class, ``Order.status``; it may go on into nested models, dicts and
    lists: ``attr(Customer.address.city)``, ``attr(Customer.scores["x"])``.
    """
    if isinstance(field, FieldRef):
        return Attr(target_of(field))
    raise RequestError(
        f"attr() takes a field of an entity's class, as in attr(Order.status), not {field!r}; "
        "on an instance, order.status is the value itself"
    )


class Attr(Of[T], Generic[T]):
    """An attribute of an item, by its field. Comparing it makes conditions, not answers."""

    __slots__ = ()

    @property
    def path(self) -> Path:
        """Attribute names as stored, and positions."""
        return self._target.place.path

    @property
    def field(self) -> str:
        """The Python name of the field at the root of the path."""
        return self._target.place.field

    # --- conditions --------------------------------------------------------------------------

    # Equality that gives a condition breaks what object promises; that is the point of it.
    def __eq__(self, other: Other[T]) -> Condition:  # type: ignore[override]
        return self._compared("=", other)

    def __ne__(self, other: Other[T]) -> Condition:  # type: ignore[override]
        return self._compared("<>", other)

    def __lt__(self, other: Other[T]) -> Condition:
        return self._compared("<", other)

    def __le__(self, other: Other[T]) -> Condition:
        return self._compared("<=", other)

    def __gt__(self, other: Other[T]) -> Condition:
        return self._compared(">", other)

    def __ge__(self, other: Other[T]) -> Condition:
        return self._compared(">=", other)

    def eq(self, other: Other[T]) -> Condition:
        """The same as ``==``."""
        return self._compared("=", other)

    def ne(self, other: Other[T]) -> Condition:
        """The same as ``!=``."""
        return self._compared("<>", other)

    def lt(self, other: Other[T]) -> Condition:
        """The same as ``<``."""
        return self._compared("<", other)

    def le(self, other: Other[T]) -> Condition:
        """The same as ``<=``."""
        return self._compared("<=", other)

    def gt(self, other: Other[T]) -> Condition:
        """The same as ``>``."""
        return self._compared(">", other)

    def ge(self, other: Other[T]) -> Condition:
        """The same as ``>=``."""
        return self._compared(">=", other)

    def between(self, low: Other[T], high: Other[T]) -> Condition:
        """From ``low`` to ``high``, both included."""
        self._need(ORDERED, "between()")
        bounds = [self._operand(low), self._operand(high)]
        if bounds[0] is None or bounds[1] is None:
            raise RequestError(f"{self!r}.between(): None is not a bound; use >= or <= alone")
        return conditions.between(self._target.place, bounds[0], bounds[1])

    def is_in(self, values: Iterable[T] | Param) -> Condition:
        """Whether the value is one of these; never true for no values."""
        place = self._target.place
        if isinstance(values, Param):
            return conditions.In(place, Parameter(values.name, self.storage.encode))
        return conditions.one_of(place, map(self._operand, conditions.listed(values)))

    @overload
    def begins_with(self: Of[str | None], prefix: str | Param) -> Condition: ...
    @overload
    def begins_with(self: Of[bytes | None], prefix: bytes | Param) -> Condition: ...
    def begins_with(self, prefix: str | bytes | Param) -> Condition:
        """Whether a text or binary starts with ``prefix``."""
        self._need(("S", "B"), "begins_with()")
        return self._call("begins_with", prefix, piece_value)

    @overload
    def contains(self: Of[str | None], part: str | Param) -> Condition: ...
    @overload
    def contains(self: Of[bytes | None], part: bytes | Param) -> Condition: ...
    @overload
    def contains(self: OfSet[E], part: E | Param) -> Condition: ...
    @overload
    def contains(self: OfList[E], part: E | Param) -> Condition: ...
    def contains(self, part: object) -> Condition:
        """Whether a text or binary has this piece, or a set or list this element."""
        self._need(("S", "B", "L", *SETS), "contains()")
        return self._call("contains", part, self._encode_part)

    def exists(self) -> Condition:
        """Whether the attribute is there."""
        return conditions.exists(self._target.place)

    def missing(self) -> Condition:
        """Whether the attribute is not there."""
        return conditions.missing(self._target.place)

    def size(self) -> SizeOf:
        """The length of a text, binary, set, list or map, to compare. What is absent has none."""
        self._need(_SIZED, "size()")
        return SizeOf(Size(self._target.place))

    def has_type(self, kind: Kind) -> Condition:
        """Whether the stored value is of this DynamoDB type."""
        return conditions.Call("attribute_type", self._target.place, Value({"S": kind}))

    # --- changes -----------------------------------------------------------------------------

    def set(self, value: T | Attr[T]) -> Action:
        """Put ``value`` here; None, or an empty set, removes the attribute."""
        operand = self._constant(value)
        if operand is None:
            return self.remove()
        return changes.Assign(self._target.place, operand, value)

    def set_if_missing(self, value: T) -> Action:
        """Put ``value`` here unless there is one already."""
        operand = self._constant(value)
        if not isinstance(operand, Value):
            raise RequestError(f"{self!r}.set_if_missing() needs a value, not {value!r}")
        return changes.AssignIfMissing(self._target.place, operand, value)

    def remove(self) -> Action:
        """Make it absent."""
        if self._target.required:
            raise RequestError(
                f"{self._target.place} is required: an item without it cannot be read back. "
                "Give the field a default, or allow None"
            )
        return changes.Remove(self._target.place)

    @overload
    def add(self: Of[int | None], amount: int) -> Action: ...
    @overload
    def add(self: Of[Decimal | None], amount: Decimal | int) -> Action: ...
    @overload
    def add(self: Attr[float] | Attr[float | None], amount: float) -> Action: ...
    def add(self, amount: float | Decimal) -> Action:
        """Add to a number, or take from it with a negative amount; an absent one counts as 0.

        Many writers may add at the same time; none of their amounts is lost.
        """
        self._need(("N",), "add()")
        av = self.storage.encode(amount) if self.storage.kind == "N" else None
        return changes.Increase(self._target.place, Value(av or number_value(amount, repr(self))))

    def append(self: OfList[E], *values: E) -> Action:
        """Put elements at the end of a list; an absent list counts as empty."""
        return self._extended(values, front=False)

    def prepend(self: OfList[E], *values: E) -> Action:
        """Put elements at the beginning of a list, in the given order."""
        return self._extended(values, front=True)

    def add_members(self: OfSet[E], members: Iterable[E]) -> Action:
        """Put members into a set; the ones it has stay."""
        return changes.AddMembers(self._target.place, self._members(members))

    def delete_members(self: OfSet[E], members: Iterable[E]) -> Action:
        """Take members out of a set, those that it has."""
        return changes.DeleteMembers(self._target.place, self._members(members))
