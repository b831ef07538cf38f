"""What putting organisations and apps has in common: what was saved, and what is noted of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from tablewright.model import Put, Transaction
from tablewright.model.errors import TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.problems import FieldError, Problem, conflict, invalid, stale
from tablewright.systems.pricekeeper.bodies import AppIn, OrgIn
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.rules.changes import named_labels
from tablewright.systems.pricekeeper.service.refused import refused_at

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.credentials import Issued
    from tablewright.systems.pricekeeper.service.keeper import Keeper

E = TypeVar("E", Org, App)
_ATTEMPTS = 5
#: What changes with every write.
_ALWAYS = {"version", "updated_at_epoch"}


@dataclass(frozen=True)
class Saved(Generic[E]):
    """Settings as they are now; a secret to be fetched if they are new."""

    entity: E
    issued: Issued | None = None


async def check_labels(keeper: Keeper, body: OrgIn | AppIn, errors: Sequence[FieldError]) -> None:
    """A problem with everything that is wrong, labels that nobody knows included."""
    named = named_labels(body)
    found = await asyncio.gather(*map(keeper.directory.label, named))
    unknown = [name for name, label in zip(named, found, strict=True) if label is None]
    told = [FieldError(named[name], f"there is no label {name!r}") for name in unknown]
    if errors or told:
        raise invalid(*errors, *told)


async def run(
    keeper: Keeper,
    op: Transaction[tuple[object, ...]],
    kind: type[E],
    refusal: Callable[[int], Problem],
) -> E:
    """The entity that a transaction stores; else what to say of the member that was refused."""
    try:
        stored = await keeper.db.run(op)
    except TransactionCancelled as cancelled:
        place = refused_at(cancelled)
        if place is None:
            raise
        raise refusal(place) from cancelled
    return next(each for each in stored if isinstance(each, kind))


async def repeat_if_stale(change: Callable[[], Awaitable[Saved[E]]], *, is_given: bool) -> Saved[E]:
    """Run a change, again if another came in between, unless the caller has named a version."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return await change()
        except Problem as problem:
            if is_given or problem.code != "STALE_VERSION":
                raise
    return await change()


def differences(before: E, after: E) -> dict[str, list[object]]:
    """The fields that change, each as it was and as it will be."""
    old, new = (each.model_dump(mode="json", exclude=_ALWAYS) for each in (before, after))
    return {name: [old[name], new[name]] for name in new if old[name] != new[name]}


def noted(
    by: Principal, action: str, entity: Org | App, now: int, **detail: object
) -> Put[AuditEntry]:
    """That somebody did something to an organisation or an app."""
    subject = f"org/{entity.org_id}"
    if isinstance(entity, App):
        subject += f"/app/{entity.app_id}"
    return audit.record(by, action, subject, at=now, detail=detail)


def changed_meanwhile(_: int) -> Problem:
    """Any member of a change is refused for one reason: another has been made."""
    return stale()


def is_taken(_: int) -> Problem:
    """What was to be created is there."""
    detail = "Somebody has created it just now. Read it, and repeat your change with If-Match."
    return conflict("ALREADY_EXISTS", detail)


def is_deleted(what: str) -> Problem:
    """What was deleted comes back only if somebody says so."""
    detail = (
        f"This {what} was deleted. Its id stays taken, for its records do; to have it back, put it "
        "with a status."
    )
    return conflict("DELETED", detail)
