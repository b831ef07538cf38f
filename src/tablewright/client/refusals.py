"""Why the database said no, in terms of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tablewright.client.attempts import as_service_error
from tablewright.client.transports.wire import Failure
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
from tablewright.model.expressions.conditions import Condition, render
from tablewright.model.expressions.placeholders import Placeholders
from tablewright.model.facts import Secret
from tablewright.model.ops import Check, Delete, Put, Update
from tablewright.model.types import Personal
from tablewright.model.unique import OWNER
from tablewright.model.writes import Action
from tablewright.values import AttributeValue, Item, item_size

#: Bytes of an item at most.
MAX_ITEM = 400 * 1024
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
    return too_large(op, action, message) or ServiceError(code, message)


def refused_error(op: Any, actions: Sequence[Action], failure: Failure) -> TablewrightError:
    """The error of a write that was refused for no condition: which item is too large, at least."""
    for action in actions:
        found = None if action.constraint else too_large(op, action, failure.message)
        if found is not None:
            return found
    return as_service_error(failure)


def too_large(op: Any, action: Action, message: str) -> ServiceError | None:
    """The error of an item over the limit, with its entity, key and size; None for others."""
    if "size" not in message or "exceeded the maximum allowed size" not in message:
        return None
    known = _known(op)
    what = f"{known.name} {_identity(op, known)}"
    if action.kind == "Put":
        size = item_size(action.body["Item"])
        if size <= MAX_ITEM:
            return None
        text = f"{what} has {size:,} bytes, names of attributes included"
    else:
        text = f"{what} would become larger than an item can be"
    return ServiceError(
        "ValidationException",
        f"{text}; an item has at most {MAX_ITEM:,} bytes. Shorten its longest fields, or keep "
        "them elsewhere and store a reference.",
    )


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
        return ConditionFailed(f"{what} was not written: {_unmet(op, known, item)}", None)
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
    return ConditionFailed(f"{what} was not written: {_unmet(op, known, item)}", stored)


#: Stored values that are longer than this are cut in messages.
_LONGEST = 60


class _Readable(Placeholders):
    """Renders a condition for people: names and values in their places."""

    def __init__(self, hidden: frozenset[str]) -> None:
        super().__init__()
        self._hidden = hidden

    def name(self, attribute: str) -> str:
        return attribute

    def value(self, av: AttributeValue) -> str:
        return "..." if self._hidden else _shown(av)


def _unmet(op: Any, known: EntityDef[Any], item: Item | None) -> str:
    """The condition that was not met, and what is stored, without what is personal or secret."""
    condition: Condition | None = op.condition
    vouched = dict(op.known) if isinstance(op, Update) else {}
    fields = {*vouched} if condition is None else {*condition.fields(), *vouched}
    hidden = frozenset(name for name in fields if _is_sensitive(known, name))
    texts = [] if condition is None else [render(condition, _Readable(hidden))]
    texts += [
        f"{name} = {'...' if name in hidden else repr(value)}" for name, value in vouched.items()
    ]
    if not texts:
        return "its condition does not hold"
    wanted = " AND ".join(texts)
    if item is None:
        return f"the condition {wanted} does not hold, since there is no such item"
    attributes = [known.fields[name] for name in sorted(fields - hidden) if name in known.fields]
    stored = ", ".join(
        f"{each.name} is {_shown(item[each.attribute]) if each.attribute in item else 'absent'}"
        for each in attributes
    )
    return f"the condition {wanted} does not hold" + (f" ({stored})" if stored else "")


def _is_sensitive(known: EntityDef[Any], field: str) -> bool:
    found = known.fields.get(field)
    return found is not None and any(isinstance(m, Personal | Secret) for m in found.metadata)


def _shown(av: AttributeValue) -> str:
    ((kind, content),) = av.items()
    if kind == "N":
        return str(content)
    text = repr(content) if kind in ("S", "BOOL") else f"a {kind} value"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


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
