"""Places in an item: what ``Order.status`` and ``Customer.address.city`` stand for at run time.

An entity's class answers ``Order.status`` with a :class:`FieldRef`. From there ``.name`` goes into
a nested model, ``["key"]`` into a dict and ``[0]`` into a list, while type checkers follow the
declared types. ``attr()``, in ``attributes``, lifts a reference to something that can be compared
and changed.

A :class:`Place` is the plain part of it: a path of attribute names as they are stored. That is all
that conditions and changes keep. A :class:`Target` also knows how the value there is stored.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeVar, cast

from tablewright.model.errors import RequestError, TablewrightError

if TYPE_CHECKING:
    from tablewright.model.fields import FieldDef
    from tablewright.model.storage import Storage

T = TypeVar("T")

Path: TypeAlias = tuple[str | int, ...]
"""Attribute names as stored, and positions in lists: ``("address", "lines", 0)``."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands in an item.

    ``Place(("PK",))`` is an attribute that no field stands behind, such as a composed key.
    """

    path: Path
    #: The field at the path's root, by its Python name; empty if there is none.
    field: str = ""
    entity: str = ""
    #: As the declaration has it, for people: ``Customer.address.city``.
    label: str = dataclasses.field(default="", compare=False)

    def __str__(self) -> str:
        return self.label or ".".join(map(str, self.path))


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """A place with the way its value is stored."""

    place: Place
    storage: Storage
    #: An item without it cannot be read back.
    required: bool = False

    def member(self, name: str, label: str) -> Target:
        """What ``name`` leads to in a nested model or a dict."""
        self._need("M", "members")
        attribute, storage = self.storage.member(name)
        return self._inside(attribute, storage, label)

    def element(self, position: int) -> Target:
        """An element of a list."""
        self._need("L", "positions")
        if position < 0:
            raise RequestError(f"{self.place}[{position}]: positions in a list count from 0")
        return self._inside(position, self.storage.element(position), f"[{position}]")

    def _need(self, kind: str, what: str) -> None:
        if self.storage.kind not in (kind, "ANY"):
            raise RequestError(f"{self.place} is stored as {self.storage.kind}: it has no {what}")

    def _inside(self, step: str | int, storage: Storage, label: str) -> Target:
        here = self.place
        inner = Place((*here.path, step), here.field, here.entity, here.label + label)
        return Target(inner, storage)


class FieldRef:
    """What a field is on its entity's class: a reference to lift with ``attr()``.

    It has no names of its own, as every public name may be one of a nested model.
    """

    __slots__ = ("_target",)

    _target: Target

    def __init__(self, target: Target) -> None:
        self._target = target

    def __getattr__(self, name: str) -> FieldRef:
        # Names with an underscore are Python's: copy, pickle and many others ask for some.
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return FieldRef(self._target.member(name, f".{name}"))
        except TablewrightError as error:
            raise AttributeError(f"{self._target.place}.{name}: {error}") from None

    def __getitem__(self, key: object) -> FieldRef:
        if isinstance(key, Enum):
            key = key.value
        if isinstance(key, str):
            return FieldRef(self._target.member(key, f'["{key}"]'))
        if isinstance(key, int) and not isinstance(key, bool):
            return FieldRef(self._target.element(key))
        raise RequestError(f"{self._target.place}[{key!r}]: give a key of a dict or a position")

    # Without this, Python would walk the positions 0, 1, 2, ... for ever.
    __iter__ = None

    def __repr__(self) -> str:
        return f"<field {self._target.place}>"

    def _lift(self, other: object) -> NoReturn:
        place = self._target.place
        raise RequestError(f"{place} is a reference: write attr({place}) to compare or change it")

    __hash__ = object.__hash__
    if not TYPE_CHECKING:
        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _lift


def field_ref(entity: str, definition: FieldDef) -> FieldRef:
    """The reference to one field of an entity."""
    label = f"{entity}.{definition.name}"
    place = Place((definition.attribute,), definition.name, entity, label)
    # An absent set is an empty one.
    absent = definition.optional or definition.has_default or definition.storage.kind in SETS
    return FieldRef(Target(place, definition.storage, required=not absent))


SETS = frozenset({"SS", "NS", "BS"})


def target_of(reference: FieldRef) -> Target:
    return reference._target


def some(field: T | None) -> T:
    """An optional field as if it were always there, to go on into it.

    ``attr(some(Customer.address).city)``: type checkers would stop at the None otherwise.
    """
    return cast(T, field)
