"""What an upsert writes beside its changes, so that what it creates is a whole entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from tablewright.model.definition import EntityDef
from tablewright.model.errors import MissingFields, RequestError
from tablewright.model.expressions.changes import Action as Change
from tablewright.model.expressions.changes import Assign
from tablewright.model.expressions.operands import Value
from tablewright.model.expressions.places import Place
from tablewright.model.keys import BoundKey
from tablewright.model.ops import Update
from tablewright.model.storage.defaults import default_of

_SETS = frozenset({"SS", "NS", "BS"})


class _Untold(Exception):
    """A default cannot be told before the entity is there."""


def composed_names(known: EntityDef[Any], key: BoundKey) -> list[str]:
    """The attributes of an index key that are written for it alone."""
    own = {part.attribute.name for part in known.primary.parts}
    names = [part.attribute.name for part in key.parts if not part.plain]
    return [name for name in names if name not in own]


def created(
    op: Update[Any], changes: Sequence[Change], assigned: Mapping[str, object]
) -> list[Change]:
    """The fields of the key, the index keys that rest on it, and the discriminator."""
    known = op.definition
    touched = {change.place.path[0] for change in changes}
    added = [*_fields(op, touched), *_index_keys(op, touched, assigned)]
    if known.tag is not None and known.table.discriminator is not None:
        added.append(Assign(Place((known.table.discriminator,)), Value(known.tag)))
    return added


def _fields(op: Update[Any], touched: set[str | int]) -> list[Change]:
    known = op.definition
    own = {part.attribute.name for part in known.primary.parts}
    added: list[Change] = []
    for each in known.fields.values():
        if each.attribute in touched or each is known.version:
            continue
        if each.name in op.identity:
            encoded = each.storage.encode(op.identity[each.name])
            if encoded is not None and each.attribute not in own:
                added.append(Assign(Place((each.attribute,)), Value(encoded)))
        elif not each.optional and not each.has_default and each.storage.kind not in _SETS:
            raise RequestError(
                f"an upsert of {known.name} may create it without {each.name}, "
                "which every entity has: set it too, or use set_if_missing"
            )
    return added


def _index_keys(
    op: Update[Any], touched: set[str | int], assigned: Mapping[str, object]
) -> list[Change]:
    known = op.definition
    added: list[Change] = []
    for key in known.keys.values():
        names = [name for name in composed_names(known, key) if name not in touched]
        if key.index is None or not names:
            continue
        values: dict[str, object] = {**assigned, **op.known, **op.identity}
        guessed = [name for name in (*key.fields, *key.when) if name not in values]
        try:
            values.update({name: _default(known, name, values, touched) for name in guessed})
            present = key.present(values)
        except _Untold:
            # It may well belong into the index.
            present = True
        if not present:
            continue
        if guessed:
            raise MissingFields(
                f"an upsert of {known.name} may create it, and then it belongs into key "
                f"{key.name!r} (index {key.key.on}), which is made from {', '.join(guessed)}: "
                f"set {'it' if len(guessed) == 1 else 'them'} too, or put the whole entity",
                guessed,
            )
        encoded = key.encode(values)
        touched.update(names)
        added += [Assign(Place((name,)), Value(encoded[name])) for name in names]
    return added


def _default(
    known: EntityDef[Any], name: str, values: Mapping[str, object], touched: set[str | int]
) -> object:
    """What a new entity has in a field that nobody sets."""
    info = known.cls.__pydantic_fields__[name]
    if info.is_required():
        return None
    if info.default_factory is None:
        return default_of(known.cls, name)
    before: dict[str, object] = {}
    if info.default_factory_takes_validated_data:
        for other in takewhile(lambda each: each != name, known.fields):
            if other in values:
                before[other] = values[other]
            elif known.fields[other].attribute not in touched:
                before[other] = _default(known, other, values, touched)
    try:
        return info.get_default(call_default_factory=True, validated_data=before)
    except Exception as error:
        # It asks for a field of which nobody knows what it will be.
        raise _Untold from error
