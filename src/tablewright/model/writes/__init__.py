"""Requests of writes: what a put, update, delete or check becomes, guarantees included.

Theory of operation. A write op becomes one or more *actions*, the first of which is the op's own;
the others are the lock items of its unique constraints. One action is sent alone (PutItem,
UpdateItem, DeleteItem); several go into one transaction. What an action is conditioned on:

* existence: a new entity must not be there, one to replace or update must. An item that has
  ended by its time to live but is not yet deleted counts as absent.
* version: exactly the one that was read.
* guards: every stored value that the request was built from without writing it (fields of an
  index key, old values of unique fields) must still be the same. A version covers them all.
* what the caller asked for with ``when``.

Two writers at once: the second one's condition fails. A retry: see ``repeatable`` and ``settled``.
"""

from __future__ import annotations

from typing import Any

from tablewright.model.definition import definition
from tablewright.model.ops import Delete, Put, Update
from tablewright.model.writes.action import ALONE, UNREAD, Action, Stored, Unread, Write
from tablewright.model.writes.deletes import check_action, delete_actions
from tablewright.model.writes.locks import handed_over, lock_fields, old_item, touched_uniques
from tablewright.model.writes.puts import is_new, put_actions
from tablewright.model.writes.updates import update_actions
from tablewright.values import Item

__all__ = [
    "ALONE",
    "UNREAD",
    "Action",
    "Stored",
    "Unread",
    "Write",
    "actions",
    "handed_over",
    "has_locks",
    "key_of",
    "must_read",
    "outdated",
    "stored_entity",
]


def must_read(op: Write) -> bool:
    """Whether the stored item is needed first: only to find the locks of old unique values."""
    if isinstance(op, Put):
        known = definition(op.entity)
        return bool(known.uniques) and not is_new(op, known) and not known.origin(op.entity)
    if isinstance(op, Update | Delete):
        touched = touched_uniques(op)
        return bool(touched) and (op.entity is None or not op.definition.origin(op.entity))
    return False


def key_of(op: Write) -> tuple[str, Item]:
    """The table and the primary key that a write is about."""
    if isinstance(op, Put):
        known = definition(op.entity)
        return known.table.name, known.key_of(op.entity)
    return op.definition.table.name, op.key


def actions(op: Write, now: float, stored: Stored = UNREAD) -> tuple[Action, ...]:
    """All that ``op`` has to write. ``stored`` is the item as it was read, if it had to be."""
    if isinstance(op, Put):
        return put_actions(op, now, stored)
    if isinstance(op, Update):
        return update_actions(op, now, stored)
    if isinstance(op, Delete):
        return delete_actions(op, now, stored)
    return (check_action(op, now),)


def has_locks(op: Write) -> bool:
    """Whether the op may have to write locks of unique constraints."""
    known = definition(op.entity) if isinstance(op, Put) else op.definition
    return bool(known.uniques)


def outdated(op: Write, used: Stored, fresh: Item | None) -> bool:
    """Whether a write without a version failed because the item it rested on had changed.

    It may then be made again from ``fresh``: its caller has asked for nothing that was refused.
    """
    if isinstance(op, Put):
        known = definition(op.entity)
        if known.version is not None or is_new(op, known):
            return False
        uniques, entity = known.uniques, op.entity
    elif isinstance(op, Update | Delete):
        if op.version is not None:
            return False
        known, uniques, entity = op.definition, touched_uniques(op), op.entity
    else:
        return False
    old = old_item(known, entity, used)
    if (old is None) != (fresh is None):
        return bool(uniques)
    names = [known.fields[name].attribute for name in lock_fields(known, uniques)]
    return any((old or {}).get(name) != (fresh or {}).get(name) for name in names)


def stored_entity(op: Put[Any]) -> Any:
    """The entity as a put leaves it: with its next version, and knowing what was written."""
    known = definition(op.entity)
    if known.version is None and not known.uniques:
        # It is as it was, so it need not be another one.
        return op.entity
    if known.version is None:
        written = op.entity.model_copy()
    else:
        number = op.entity.__dict__[known.version.name] + 1
        written = op.entity.model_copy(update={known.version.name: number})
    if known.uniques:
        object.__setattr__(written, "_origin", known.encode(written))
    return written
