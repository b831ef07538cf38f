"""Facts that no type, key or expression states: the review reads them, nothing else does.

Marks go into annotations: ``password_hash: Annotated[str, Secret("hash")]``,
``customer_name: Annotated[str, CopyOf("Customer.name")]``. Facts of a whole entity are arguments of
its class: ``append_only=True``, ``per_partition=5000``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.model.errors import ModelError

SecretForm: TypeAlias = Literal["clear", "hash", "encrypted"]


@dataclass(frozen=True)
class Secret:
    """Marks a credential and states how it is stored: in clear, as a hash, or encrypted."""

    stored: SecretForm = "clear"


@dataclass(frozen=True)
class CopyOf:
    """Marks a copy of another entity's field: ``CopyOf("Customer.name")``.

    ``snapshot=True`` states that the copy keeps the value of the day it was made, such as the
    address of an order.
    """

    source: str
    snapshot: bool = False

    def __post_init__(self) -> None:
        _check_source("CopyOf", self.source)


@dataclass(frozen=True)
class RefersTo:
    """Marks a field that identifies another entity: ``RefersTo("Customer.customer_id")``."""

    target: str

    def __post_init__(self) -> None:
        _check_source("RefersTo", self.target)


@dataclass(frozen=True)
class CountOf:
    """Marks a number that counts the items of another entity: ``CountOf("Submission")``."""

    entity: str


@dataclass(frozen=True)
class EntityFacts:
    """What a class states about all items of its kind."""

    #: An item is never overwritten once it is written: ledgers, audit logs.
    append_only: bool = False
    #: How many items there are, and how many under one partition key of the table.
    expected: float | None = None
    per_partition: float | None = None
    #: An item has to be gone after so many days.
    retention_days: float | None = None

    def check(self, entity: str) -> None:
        """Raise a :class:`ModelError` for a number that cannot be."""
        for name in ("expected", "per_partition", "retention_days"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ModelError(f"{entity}: {name}={value} must be greater than 0")


def _check_source(mark: str, text: str) -> None:
    entity, _, field = text.partition(".")
    if not entity or not field:
        raise ModelError(f'{mark}({text!r}): name an entity and a field, such as "Customer.name"')
