"""What a write op is made into: requests that are sent alone, or together as a transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.model.ops import Check, Delete, Put, Update
from tablewright.model.unique import UniqueDef
from tablewright.values import Item

Body: TypeAlias = dict[str, Any]
Kind: TypeAlias = Literal["Put", "Update", "Delete", "ConditionCheck"]
Write: TypeAlias = Put[Any] | Update[Any] | Delete[Any] | Check[Any]

#: How each kind is called when it is sent alone.
ALONE: dict[Kind, str] = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}


# Not frozen, which would make it three times as dear: a transaction has a hundred of them.
@dataclass(slots=True)
class Action:
    """One write request: the body that TransactWriteItems takes, and PutItem & Co. too."""

    kind: Kind
    body: Body
    #: The constraint whose lock this is; None for the op itself.
    constraint: UniqueDef | None = None
    #: Sending it twice has the same effect, and the same answer, as sending it once.
    repeatable: bool = False


class Unread:
    """The stored item was not looked at."""


UNREAD = Unread()
Stored: TypeAlias = Item | Unread | None
