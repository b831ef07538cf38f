"""Sharded counters: one count kept in several items, so that no single item becomes hot.

DynamoDB writes about a thousand units a second to one item. A counter that is written more often
is spread over shards; a writer adds to the shard that its lane hashes to (the same in every
process, since the hash is not Python's), and readers sum over all shards.

``class Views(Counter, table=app, keys={...}, shards=8)`` declares one, with a ``shard: Shard`` in
its key; every other number field counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tablewright.model.definition import EntityDef, definition
from tablewright.model.entity import Entity
from tablewright.model.errors import ModelError, RequestError
from tablewright.model.expressions.attributes import attr
from tablewright.model.expressions.changes import Action
from tablewright.model.expressions.places import field_ref
from tablewright.model.ops import Total, Update
from tablewright.model.types import ShardMark
from tablewright.values import EXACT, Item

C = TypeVar("C", bound="Counter")


class Counter(Entity):
    """The base of sharded counters; ``shards`` is how many items each count is spread over.

    Raising the number is safe at any time. Lowering it needs the old shards to be summed first.
    """

    if TYPE_CHECKING:
        __shards__: ClassVar[int]
        #: The key without the shard.
        __identity__: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, *, shards: int = 1, **options: Any) -> None:
        super().__init_subclass__(**options)

    @classmethod
    def __pydantic_init_subclass__(cls, *, shards: int = 1, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if "__tablewright__" not in cls.__dict__:
            return
        if shards < 1:
            raise ModelError(f"{cls.__name__}: a counter has at least one shard")
        cls.__shards__ = shards
        known = definition(cls)
        shard = _shard_field(known)
        if shard not in known.primary.fields:
            raise ModelError(f"{cls.__name__}: the shard has to be part of the primary key")
        cls.__identity__ = tuple(name for name in known.primary.fields if name != shard)
        if not _counted(known):
            raise ModelError(f"{cls.__name__}: a counter needs at least one number to count")


def shard_of(lane: str | bytes, shards: int) -> int:
    """The shard of a lane: the same in every process and every release."""
    data = lane.encode() if isinstance(lane, str) else lane
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") % shards


def increment(counter: type[C], /, *, lane: str | bytes, **values: object) -> Update[C]:
    """Add to a counter: key components and amounts by name.

    ``increment(Views, lane=request_id, page="home", views=1)``. The lane decides the shard:
    something that varies among the writers, such as a request's or a worker's id.
    """
    known = definition(counter)
    shard = _shard_field(known)
    if shard in values:
        raise RequestError(f"the lane decides the shard of {known.name}; do not give {shard}")
    identity = _split_identity(known, {**values, shard: shard_of(lane, counter.__shards__)})
    counted = _counted(known)
    actions: list[Action] = []
    for name in values.keys() - identity.keys():
        if name not in counted:
            raise RequestError(
                f"{known.name} does not count {name}; it counts {', '.join(counted)}"
            )
        actions.append(_addition(known, name, values[name]))
    actions.sort(key=repr)
    return Update(
        known, known.primary.encode(identity), identity, actions=tuple(actions), create=True
    )


def total_of(counter: type[C], values: Mapping[str, object], consistent: bool) -> Total[C]:
    """The op that sums all shards of one count."""
    known = definition(counter)
    shard = _shard_field(known)
    identity = {name: values[name] for name in known.primary.fields if name != shard}
    keys = tuple(
        known.primary.encode({**identity, shard: number}) for number in range(counter.__shards__)
    )
    return Total(known, keys, identity, consistent)


def summed(known: EntityDef[C], identity: Mapping[str, object], items: Iterable[Item]) -> C:
    """One counter with the sums of all shards; shards that were never written count nothing."""
    sums: dict[str, Decimal] = dict.fromkeys(_counted(known), Decimal(0))
    for item in items:
        for name in sums:
            value = item.get(known.fields[name].attribute)
            if value is not None:
                sums[name] = EXACT.add(sums[name], Decimal(value["N"]))
    exact = {name: _number(known.fields[name].annotation, sums[name]) for name in sums}
    values: dict[str, Any] = {**identity, _shard_field(known): 0, **exact}
    return known.cls.model_construct(**values)


def _number(annotation: object, number: Decimal) -> int | Decimal:
    return int(number) if annotation is int else number


def _addition(known: EntityDef[Any], name: str, amount: object) -> Action:
    if isinstance(amount, bool) or not isinstance(amount, int | Decimal):
        raise RequestError(f"{known.name}.{name} is a number: it cannot be raised by {amount!r}")
    # The field is only known by its name here, so it has no type to check against.
    reference: Any = field_ref(known.name, known.fields[name])
    action: Action = attr(reference).add(amount)
    return action


def _split_identity(known: EntityDef[Any], values: Mapping[str, object]) -> dict[str, object]:
    named = {name: values[name] for name in known.primary.fields if name in values}
    return known.identity((), named)


def _shard_field(known: EntityDef[Any]) -> str:
    for each in known.fields.values():
        if any(isinstance(mark, ShardMark) for mark in each.metadata):
            return each.name
    raise ModelError(f"{known.name}: a counter needs a field `shard: Shard = 0` in its key")


def _counted(known: EntityDef[Any]) -> tuple[str, ...]:
    return tuple(
        each.name
        for each in known.fields.values()
        if each.annotation in (int, Decimal)
        and each.name not in known.primary.fields
        and each is not known.ttl
        and each is not known.version
    )
