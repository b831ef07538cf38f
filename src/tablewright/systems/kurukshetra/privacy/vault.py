"""Whole entities, sealed and opened: every field with the mark :class:`.Seals`, and no other.

Nothing here reads or writes: an entity goes in, and another of the same class comes out. What is
opened cannot be stored before it is sealed again; see :mod:`..plain`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from tablewright.model import Entity, definition
from tablewright.model.fields import FieldDef
from tablewright.systems.kurukshetra.plain import Plain, Seals, is_sealed
from tablewright.systems.kurukshetra.privacy.cipher import FieldCipher, Place
from tablewright.systems.kurukshetra.privacy.errors import NotSealed, TooLong

E = TypeVar("E", bound=Entity)


class Vault:
    """Seals and opens entities."""

    def __init__(self, cipher: FieldCipher) -> None:
        self._cipher = cipher

    def sealed(self, entity: E) -> E:
        """The entity as it is stored. What is sealed already stays as it is."""
        return _changed(entity, self._sealed)

    def opened(self, entity: E) -> E:
        """The entity with its texts to be read: each is a :class:`.Plain`."""
        return _changed(entity, self._opened)

    def outdated(self, entity: Entity) -> bool:
        """Whether a field is sealed under an older key."""
        values = (getattr(entity, field.name) for field in sealed_fields(type(entity)))
        return any(isinstance(each, str) and self._cipher.outdated(each) for each in values)

    def renewed(self, entity: E) -> E:
        """The entity with all of it sealed under the newest key; the same object if it was."""
        return self.sealed(self.opened(entity)) if self.outdated(entity) else entity

    def _sealed(self, value: str | Plain, place: Place, field: FieldDef) -> str:
        if isinstance(value, Plain):
            return _fitting(self._cipher.seal(value.text, place), place, field)
        # Copies are made without validation: a bare text may have come in that way.
        if not is_sealed(value) and not _sometimes(field):
            raise NotSealed(f"{place} is a plain text: give Plain(...), so that it is sealed")
        return value

    def _opened(self, value: str | Plain, place: Place, field: FieldDef) -> str | Plain:
        if isinstance(value, Plain) or (_sometimes(field) and not is_sealed(value)):
            return value
        return Plain(self._cipher.open(value, place))


@lru_cache(maxsize=256)
def sealed_fields(entity: type[Entity]) -> tuple[FieldDef, ...]:
    """The fields of an entity that are marked as sealed."""
    fields = definition(entity).fields.values()
    return tuple(each for each in fields if _mark(each) is not None)


def _mark(field: FieldDef) -> Seals | None:
    return next((mark for mark in field.metadata if isinstance(mark, Seals)), None)


def _sometimes(field: FieldDef) -> bool:
    mark = _mark(field)
    return mark is not None and mark.sometimes


def _changed(entity: E, change: Callable[[str | Plain, Place, FieldDef], str | Plain]) -> E:
    fields = sealed_fields(type(entity))
    if not fields:
        return entity
    key = definition(entity).key_of(entity)
    pk, sk = (part["S"] for part in key.values())
    changes: dict[str, Any] = {}
    for field in fields:
        value = getattr(entity, field.name)
        if value is not None:
            changes[field.name] = change(value, Place(pk, sk, field.attribute), field)
    return entity.model_copy(update=changes)


def _fitting(sealed: str, place: Place, field: FieldDef) -> str:
    most = next((mark.max_length for mark in field.metadata if hasattr(mark, "max_length")), None)
    if most is not None and len(sealed) > most:
        raise TooLong(f"{place} has {len(sealed)} characters when sealed, and may have {most}")
    return sealed
