"""Closing and opening labels by hand, for the rest of the day.

What is closed by hand stays so until the day ends, somebody opens it, or the settings change. What
is opened has to be able to stay open: a label whose limit is used up would be closed again by the
next caller, so that is refused, with what would help.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tablewright.model import Put, Update, together
from tablewright.model.errors import ConditionFailed, NotFound, TransactionCancelled
from tablewright.service.kit import audit
from tablewright.service.problems import FieldError, conflict, invalid, not_found
from tablewright.systems.pricekeeper.bodies import iso
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.recording import exhaust, replace_exhausted, restore_labels
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.calendar import calendar_of, periods_of
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.rules.ids import is_name
from tablewright.systems.pricekeeper.rules.limits import app_limits, org_limits
from tablewright.systems.pricekeeper.service.closing import exhausted_row, is_older
from tablewright.systems.pricekeeper.service.totals import OrgBooks
from tablewright.systems.pricekeeper.shapes import TotalKey, scope_of
from tablewright.systems.pricekeeper.spend import Exhausted

if TYPE_CHECKING:
    from tablewright.service.kit.audit import Actor
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Others may be replacing the row at the same moment.
_ATTEMPTS = 4


@dataclass(frozen=True)
class Closed:
    """What is closed for the rest of the day."""

    day: str
    labels: tuple[str, ...]
    reason: str
    since: int


@dataclass(frozen=True)
class _Place:
    """The scope that an operator acts on."""

    org: Org
    app: App | None
    day: str

    @property
    def scope(self) -> str:
        return scope_of(self.org.org_id, self.app.app_id if self.app else None)

    @property
    def version(self) -> int:
        return self.org.version + (self.app.version if self.app else 0)

    @property
    def limits(self) -> list[Limit]:
        return list(app_limits(Account(self.org, self.app)) if self.app else org_limits(self.org))

    @property
    def ordering(self) -> Sequence[str]:
        return (self.app.model_ordering if self.app else None) or self.org.model_ordering

    @property
    def subject(self) -> str:
        app = f"/app/{self.app.app_id}" if self.app else ""
        return f"org/{self.org.org_id}{app}"


class Overrides:
    """What operators decide against the rules."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    async def override(
        self,
        org_id: str,
        app_id: str | None,
        by: Actor,
        *,
        exhaust: Sequence[str] = (),
        restore: Sequence[str] = (),
        reason: str,
    ) -> Closed:
        """Close labels and open others; each is a transaction with its entry in the audit log."""
        place = await self._place(org_id, app_id)
        await self._check(place, exhaust, restore)
        if exhaust:
            await self._exhaust(place, exhaust, by, reason)
        if restore:
            await self._restore(place, restore, by, reason)
        return await self._closed(place)

    # --- whether ---------------------------------------------------------------------------------

    async def _place(self, org_id: str, app_id: str | None) -> _Place:
        org = await self._keeper.directory.org(org_id)
        if org is None or org.status == "DELETED":
            raise not_found("organisation")
        app = None if app_id is None else await self._keeper.directory.app(org_id, app_id)
        if app_id is not None and (app is None or app.status == "DELETED"):
            raise not_found("app")
        return _Place(org, app, calendar_of(org).day(self._keeper.clock.now()))

    async def _check(
        self, place: _Place, exhaust: Collection[str], restore: Collection[str]
    ) -> None:
        if not place.org.sticky_fallback_enabled:
            detail = (
                "The organisation has sticky_fallback_enabled off: nothing is closed for a day."
            )
            raise conflict("STICKY_OFF", detail)
        if not exhaust and not restore:
            raise invalid(FieldError("body", "names no label to exhaust or to restore"))
        errors = [
            FieldError(f"body.exhaust.{number}", f"there is no label {label!r}")
            for number, label in enumerate(exhaust)
            if not is_name(label) or await self._keeper.directory.label(label) is None
        ]
        errors += [
            FieldError(f"body.restore.{number}", "is to be exhausted too" if both else "no label")
            for number, label in enumerate(restore)
            if (both := label in exhaust) or not is_name(label)
        ]
        if errors:
            raise invalid(*errors)
        await self._check_limits(place, restore)

    async def _check_limits(self, place: _Place, labels: Collection[str]) -> None:
        """A problem if a limit is used up: what is opened would be closed again at once."""
        periods = periods_of(place.day)
        limits = {
            TotalKey(limit.scope, limit.label, periods.of(limit.window)): limit
            for limit in place.limits
            if limit.quota_micros is not None and any(map(limit.covers, labels))
        }
        if not limits:
            return
        books = OrgBooks(place.org.org_id, calendar_of(place.org))
        spends = await self._keeper.totals.spend(books, list(limits), force=True)
        for key, limit in limits.items():
            if spends[key].picos >= (limit.quota_micros or 0) * PICOS:
                detail = (
                    f"The {limit.window.lower()}'s limit for {limit.label} is used up, so it would "
                    "be closed again at once. Raise the limit, or correct what was recorded."
                )
                raise conflict("LIMIT_REACHED", detail)

    # --- doing it --------------------------------------------------------------------------------

    async def _exhaust(self, place: _Place, labels: Sequence[str], by: Actor, reason: str) -> None:
        known = await self._closed(place)
        shut = {*known.labels, *labels}
        row = exhausted_row(
            calendar_of(place.org),
            place.scope,
            place.day,
            labels,
            version=place.version,
            reason="MANUAL_OVERRIDE",
            now=self._keeper.now(),
            active=next((label for label in place.ordering if label not in shut), None),
            previous=next((label for label in place.ordering if label not in known.labels), None),
        )
        op: Update[Exhausted] | Put[Exhausted] = exhaust(row)
        for _ in range(_ATTEMPTS):
            try:
                await self._audited(op, place, "label.exhaust", labels, by, reason)
            except TransactionCancelled as cancelled:
                error = cancelled.failures[0].error
                if not isinstance(error, ConditionFailed):
                    raise
                # Of an older version, or just replaced by somebody else.
                op = replace_exhausted(row) if is_older(error.item, row) else exhaust(row)
            else:
                return
        self._keeper.directory.forget(place.org.org_id)
        raise conflict("CONFLICT", "The settings are just being changed. Try again.")

    async def _restore(self, place: _Place, labels: Sequence[str], by: Actor, reason: str) -> None:
        op = restore_labels(place.scope, place.day, labels, iso(self._keeper.now()))
        try:
            await self._audited(op, place, "label.restore", labels, by, reason)
        except TransactionCancelled as cancelled:
            # Nothing is closed: what was wanted is so.
            if not isinstance(cancelled.failures[0].error, NotFound):
                raise

    async def _audited(
        self,
        op: Update[Exhausted] | Put[Exhausted],
        place: _Place,
        action: str,
        labels: Sequence[str],
        by: Actor,
        reason: str,
    ) -> None:
        detail = {"labels": sorted(labels), "day": place.day, "reason": reason}
        entry = audit.record(by, action, place.subject, at=self._keeper.clock.now(), detail=detail)
        await self._keeper.db.run(together(op, entry))

    async def _closed(self, place: _Place) -> Closed:
        books = OrgBooks(place.org.org_id, calendar_of(place.org))
        where = (place.scope, place.day)
        await self._keeper.totals.read(books, (), [where], strong=True)
        row = self._keeper.totals.closed(*where)
        if row is None or row.config_version != place.version:
            return Closed(place.day, (), "MANUAL_OVERRIDE", self._keeper.now())
        since = int(row.activated_at_epoch.timestamp())
        return Closed(place.day, tuple(sorted(row.exhausted_labels)), row.reason, since)
