"""The verbs that make write ops: ``put``, ``update``, ``delete``, ``check``."""

from __future__ import annotations

from typing import TypeVar, overload

from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.ops import Check, Delete, Put, Update

E = TypeVar("E", bound=Entity)


def put(entity: E) -> Put[E]:
    """Store ``entity``: ``put(order)``, ``put(order).new()``, ``put(order).when(...)``."""
    definition(entity)
    return Put(entity)


@overload
def update(entity: E, /) -> Update[E]: ...
@overload
def update(entity: type[E], /, *key: object, **components: object) -> Update[E]: ...
def update(entity: E | type[E], /, *key: object, **components: object) -> Update[E]:
    """Change an entity in hand (its version is checked), or the one with this key.

    ``update(order).do(attr(Order.status).set("paid"))``;
    ``update(Customer, customer_id).do(attr(Customer.credits).add(-5))``.
    """
    if isinstance(entity, type):
        known: EntityDef[E] = definition(entity)
        return Update(known, *_address(known, key, components))
    own: EntityDef[E] = definition(entity)
    version = None if own.version is None else entity.__dict__[own.version.name]
    return Update(own, own.key_of(entity), _identity(own, entity), entity=entity, version=version)


@overload
def delete(entity: E, /) -> Delete[E]: ...
@overload
def delete(entity: type[E], /, *key: object, **components: object) -> Delete[E]: ...
def delete(entity: E | type[E], /, *key: object, **components: object) -> Delete[E]:
    """Delete an entity in hand (its version is checked), or the one with this key."""
    if isinstance(entity, type):
        known: EntityDef[E] = definition(entity)
        return Delete(known, *_address(known, key, components))
    own: EntityDef[E] = definition(entity)
    version = None if own.version is None else entity.__dict__[own.version.name]
    return Delete(own, own.key_of(entity), _identity(own, entity), entity=entity, version=version)


def check(entity: type[E], /, *key: object, **components: object) -> Check[E]:
    """Inside a transaction: the entity must be there (and meet ``.when(...)``)."""
    known = definition(entity)
    return Check(known, *_address(known, key, components))


def _address(
    known: EntityDef[E], key: tuple[object, ...], components: dict[str, object]
) -> tuple[dict[str, dict[str, object]], dict[str, object]]:
    identity = known.identity(key, components)
    return known.primary.encode(identity), identity


def _identity(known: EntityDef[E], entity: E) -> dict[str, object]:
    return {name: entity.__dict__[name] for name in known.primary.fields}
