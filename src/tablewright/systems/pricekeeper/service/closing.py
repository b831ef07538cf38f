"""Closing labels for the day, in the row of a scope.

A row counts under one version of the settings: any edit lets everything be looked at again. So a
row of an older version is replaced, and one of a newer version means that the settings in this
process are old.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, OutcomeUnknown
from tablewright.systems.pricekeeper.recording import exhaust, replace_exhausted
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.calendar import Calendar
from tablewright.systems.pricekeeper.rules.choosing import Choice
from tablewright.systems.pricekeeper.spend import Exhausted

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: How long it can be looked up what was closed on a day.
KEPT_SECS = 400 * 86_400
#: Others may be replacing the row at the same moment.
_ATTEMPTS = 4


class Closing:
    """Closes what is used up."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._flips = keeper.runtime.metrics.counter(
            "pricekeeper_sticky_flips", "Labels that were closed for the day", ("level",)
        )

    async def close(self, account: Account, choice: Choice, day: str) -> None:
        """Close the labels whose limits are surely used up, each in the scope that was hit."""
        for scope, labels in choice.to_exhaust.items():
            row = exhausted_row(
                account.calendar,
                scope,
                day,
                labels,
                version=account.version(scope),
                reason="QUOTA_EXCEEDED",
                now=self._keeper.now(),
                active=choice.recommended,
                previous=self._previous(scope, day, choice, labels),
            )
            stored = await self._exhaust(row)
            if stored is None:
                self._keeper.directory.forget(account.org_id)
                continue
            self._keeper.totals.note_closed(stored)
            self._flips.labels("APP" if "#APP#" in scope else "ORG").inc(len(labels))

    def _previous(self, scope: str, day: str, choice: Choice, labels: Collection[str]) -> str:
        """What was in use before: the one that the row names, else the last of those closed."""
        known = self._keeper.totals.closed(scope, day)
        if known is not None and known.active_model_label not in (None, choice.recommended):
            return known.active_model_label or ""
        return next(each.label for each in reversed(choice.labels) if each.label in labels)

    async def _exhaust(self, row: Exhausted) -> Exhausted | None:
        """The row as it is then; None if a newer version of the settings has written it."""
        for _ in range(_ATTEMPTS):
            try:
                return await self._keeper.db.run(exhaust(row))
            except ConditionFailed as failed:
                if not is_older(failed.item, row):
                    return None
            except OutcomeUnknown:
                continue  # the same members again change nothing
            try:
                return await self._keeper.db.run(replace_exhausted(row))
            except ConditionFailed:
                continue  # somebody was quicker
        return None


def is_older(stored: object, row: Exhausted) -> bool:
    """Whether a stored row is of an older version of the settings."""
    return isinstance(stored, Exhausted) and stored.config_version < row.config_version


def exhausted_row(
    calendar: Calendar,
    scope: str,
    day: str,
    labels: Collection[str],
    *,
    version: int,
    reason: str,
    now: int,
    active: str | None = None,
    previous: str | None = None,
) -> Exhausted:
    """Labels that are to be closed."""
    return Exhausted.model_validate(
        {
            "scope": scope,
            "day": day,
            "exhausted_labels": set(labels),
            "config_version": version,
            "active_model_label": active,
            "previous_model_label": previous,
            "reason": reason,
            "activated_at_epoch": _moment(now),
            "expires_at_epoch": _moment(calendar.end(day) + KEPT_SECS),
        }
    )


def _moment(epoch: int) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)
