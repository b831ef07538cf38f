"""Changes: what an update does to one place of an item, and the UpdateExpression of several.

They are made from attributes, ``attr(Order.status).set("paid")``. All changes of an update see the
item as it was before, so two of them may not touch the same place, nor one a place inside the
other's; :func:`render_changes` refuses that with both named.

A change inside a map or list needs that map or list to be there already.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tablewright.model.errors import RequestError
from tablewright.model.expressions.operands import Value
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.expressions.places import Path, Place

Clause: TypeAlias = Literal["SET", "REMOVE", "ADD", "DELETE"]
_CLAUSES: tuple[Clause, ...] = ("SET", "REMOVE", "ADD", "DELETE")

_ZERO = {"N": "0"}


@dataclass(frozen=True, slots=True)
class Action:
    """One change of one place."""

    place: Place

    @property
    def field(self) -> str:
        """The field at the root of the place; empty if no field stands behind it."""
        return self.place.field

    @property
    def whole(self) -> bool:
        """Whether it changes the whole attribute rather than something inside it."""
        return len(self.place.path) == 1

    def render(self, holders: Placeholders) -> tuple[Clause, str] | None:
        """The clause it belongs to and its text there; None if it changes nothing."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Assign(Action):
    """Put a value, or what stands at another place, here."""

    value: Value | Place
    #: The Python value, for whoever has to compose a key from it.
    given: object = field(default=None, compare=False)

    def render(self, holders: Placeholders) -> tuple[Clause, str]:
        return "SET", f"{holders.path(self.place.path)} = {_text(self.value, holders)}"


@dataclass(frozen=True, slots=True)
class AssignIfMissing(Action):
    """Put a value here unless there is one."""

    value: Value
    given: object = field(default=None, compare=False)

    def render(self, holders: Placeholders) -> tuple[Clause, str]:
        path = holders.path(self.place.path)
        return "SET", f"{path} = if_not_exists({path}, {_text(self.value, holders)})"


@dataclass(frozen=True, slots=True)
class Remove(Action):
    """Make the place empty; later elements of a list move up."""

    def render(self, holders: Placeholders) -> tuple[Clause, str]:
        return "REMOVE", holders.path(self.place.path)


@dataclass(frozen=True, slots=True)
class Increase(Action):
    """Add to a number; an absent one counts as 0."""

    amount: Value

    def render(self, holders: Placeholders) -> tuple[Clause, str]:
        path = holders.path(self.place.path)
        amount = _text(self.amount, holders)
        if self.whole:
            return "ADD", f"{path} {amount}"
        # AWS documents ADD for top-level attributes only.
        return "SET", f"{path} = if_not_exists({path}, {holders.value(_ZERO)}) + {amount}"


@dataclass(frozen=True, slots=True)
class Extend(Action):
    """Put elements at an end of a list; an absent one counts as empty."""

    elements: Value
    front: bool = False

    def render(self, holders: Placeholders) -> tuple[Clause, str] | None:
        if not self.elements.av["L"]:
            return None
        path = holders.path(self.place.path)
        old = f"if_not_exists({path}, {holders.value({'L': []})})"
        new = _text(self.elements, holders)
        first, second = (new, old) if self.front else (old, new)
        return "SET", f"{path} = list_append({first}, {second})"


@dataclass(frozen=True, slots=True)
class AddMembers(Action):
    """Put members into a set; None is no members."""

    members: Value | None

    def render(self, holders: Placeholders) -> tuple[Clause, str] | None:
        return _member_change("ADD", self.place, self.members, holders)


@dataclass(frozen=True, slots=True)
class DeleteMembers(Action):
    """Take members out of a set; the attribute goes with the last one."""

    members: Value | None

    def render(self, holders: Placeholders) -> tuple[Clause, str] | None:
        return _member_change("DELETE", self.place, self.members, holders)


def render_changes(actions: Sequence[Action], holders: Placeholders) -> str:
    """One UpdateExpression of all actions; empty if none of them changes anything."""
    _check_overlaps(actions)
    clauses: dict[Clause, list[str]] = {clause: [] for clause in _CLAUSES}
    for action in actions:
        rendered = action.render(holders)
        if rendered is not None:
            clause, text = rendered
            clauses[clause].append(text)
    return " ".join(f"{clause} {', '.join(texts)}" for clause, texts in clauses.items() if texts)


def _check_overlaps(actions: Sequence[Action]) -> None:
    seen: dict[Path, Place] = {}
    # Shorter paths first, so that whatever holds a place has been seen before the place.
    for action in sorted(actions, key=lambda action: len(action.place.path)):
        place = action.place
        for length in range(1, len(place.path) + 1):
            other = seen.get(place.path[:length])
            if other is not None:
                both = "twice" if other.path == place.path else f"and {place}, which is inside it"
                raise RequestError(
                    f"one update changes {other} {both}: "
                    "its changes happen at the same time, so give only one of them"
                )
        seen[place.path] = place


def _member_change(
    clause: Clause, place: Place, members: Value | None, holders: Placeholders
) -> tuple[Clause, str] | None:
    if members is None:
        return None
    return clause, f"{holders.path(place.path)} {_text(members, holders)}"


def _text(value: Value | Place, holders: Placeholders) -> str:
    return holders.path(value.path) if isinstance(value, Place) else holders.value(value.av)
