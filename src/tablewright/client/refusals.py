"""Why the database said no, in terms of the model."""

from __future__ import annotations

from typing import Any

from tablewright.model.definition import EntityDef, definition
from tablewright.model.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    ServiceError,
    TablewrightError,
    Throttled,
    UniqueViolation,
    VersionConflict,
)
from tablewright.model.ops import Check, Delete, Put, Update
from tablewright.model.unique import OWNER
from tablewright.model.writes import Action
from tablewright.values import Item

_THROTTLED = frozenset({"ThrottlingError", "ProvisionedThroughputExceeded", "TransactionConflict"})


def refusal_of(
    op: Any, action: Action, reason: dict[str, Any], now: float | None = None
) -> TablewrightError:
    """The error of one action of a cancelled transaction."""
    code, message = reason.get("Code", "None"), reason.get("Message") or ""
    if code == "ConditionalCheckFailed":
        item: Item | None = reason.get("Item")
        if action.constraint is None:
            return condition_error(op, item, now)
        if action.kind == "Put":
            return _violation(_known(op), action, item)
        return ConditionFailed(
            f"{_known(op).name}: the lock of constraint {action.constraint.name} has another "
            "owner by now; read the entity again"
        )
    if code in _THROTTLED:
        return Throttled(f"{_known(op).name}: {code}: {message}")
    return ServiceError(code, message)


def condition_error(op: Any, item: Item | None, now: float | None = None) -> ConditionFailed:
    """Which of its conditions a write did not meet, told from the stored item."""
    known = _known(op)
    what = f"{known.name} {_identity(op, known)}"
    if item is not None and now is not None and known.expired(item, now):
        item = None
    stored = _decoded(known, item)
    if _wants_none(op, known):
        if item is not None:
            return AlreadyExists(f"{what} exists already", stored)
        return ConditionFailed(f"{what} was not written: its condition failed", None)
    if item is None and _wants_one(op, known):
        return NotFound(f"{what} is not there", None)
    version = _version(op, known)
    if version is not None and item is not None and known.version is not None:
        found = item.get(known.version.attribute, {}).get("N", "0")
        if found != str(version):
            return VersionConflict(
                f"{what} was changed by somebody else: version {version} was read, "
                f"{found} is stored. Read it again and repeat the change",
                stored,
            )
    return ConditionFailed(f"{what} does not meet the condition", stored)


def _wants_none(op: Any, known: EntityDef[Any]) -> bool:
    if isinstance(op, Check):
        return not op.exists
    if not isinstance(op, Put):
        return False
    if op.mode != "any":
        return op.mode == "new"
    return known.version is not None and op.entity.__dict__[known.version.name] == 0


def _wants_one(op: Any, known: EntityDef[Any]) -> bool:
    if isinstance(op, Put):
        return op.mode == "replace" or known.version is not None
    if isinstance(op, Delete):
        return op.must_exist or op.version is not None
    if isinstance(op, Update):
        return not op.create or op.version is not None
    return True


def _version(op: Any, known: EntityDef[Any]) -> int | None:
    if isinstance(op, Update | Delete):
        return op.version
    if isinstance(op, Put) and known.version is not None:
        version: int = op.entity.__dict__[known.version.name]
        return version
    return None


def _violation(known: EntityDef[Any], action: Action, item: Item | None) -> UniqueViolation:
    assert action.constraint is not None
    owner: dict[str, object] = {}
    members = ((item or {}).get(OWNER) or {}).get("M") or {}
    for name in known.primary.fields:
        field = known.fields[name]
        if field.attribute in members:
            owner[name] = field.storage.decode(members[field.attribute])
    who = ", ".join(f"{name}={value}" for name, value in owner.items()) or "another entity"
    fields = ", ".join(action.constraint.fields)
    return UniqueViolation(
        f"{known.name}: {fields} is taken (constraint {action.constraint.name}): {who} has it",
        action.constraint.name,
        owner,
    )


def _decoded(known: EntityDef[Any], item: Item | None) -> object | None:
    if item is None:
        return None
    # An item that the model cannot read must not hide why the write failed.
    try:
        found: object = known.decode(item)
    except TablewrightError:
        return item
    return found


def _known(op: Any) -> EntityDef[Any]:
    if isinstance(op, Put):
        known: EntityDef[Any] = definition(op.entity)
        return known
    own: EntityDef[Any] = op.definition
    return own


def _identity(op: Any, known: EntityDef[Any]) -> str:
    values = op.entity.__dict__ if isinstance(op, Put) else op.identity
    return "(" + ", ".join(f"{name}={values[name]!r}" for name in known.primary.fields) + ")"
