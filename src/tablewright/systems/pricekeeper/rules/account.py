"""An app as its organisation lets it be: the settings and limits that count for a caller."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from tablewright.service.problems import FieldError
from tablewright.systems.pricekeeper.config import App, Org, Quotas
from tablewright.systems.pricekeeper.rules.calendar import Calendar, calendar_of
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, scope_of

Window: TypeAlias = Literal["DAY", "WEEK", "MONTH"]
Level: TypeAlias = Literal["ORG", "APP"]
WINDOWS: tuple[Window, ...] = ("DAY", "WEEK", "MONTH")
#: The field of an organisation or app that holds the limits of a window.
FIELDS: Mapping[Window, str] = {"DAY": "quotas", "WEEK": "quotas_week", "MONTH": "quotas_month"}


class Limit(NamedTuple):
    """What may be spent by a scope, in a window, with a label or all of them."""

    #: As keys name it: ``ORG#…`` or ``ORG#…#APP#…``.
    scope: str
    window: Window
    #: ``_all`` is all labels together.
    label: str
    #: None is unlimited; 0 is closed.
    quota_micros: int | None

    @property
    def level(self) -> Level:
        return "APP" if "#APP#" in self.scope else "ORG"

    def covers(self, label: str) -> bool:
        """Whether spend with a label counts."""
        return self.label in (label, ALL)


class Intervals(NamedTuple):
    """How long clients may go on without asking again, in seconds."""

    normal: int
    tight: int


@dataclass(frozen=True)
class Account:
    """One app of one organisation. What the app does not set is as the organisation has it."""

    org: Org
    app: App

    @property
    def org_id(self) -> str:
        return self.org.org_id

    @property
    def app_id(self) -> str:
        return self.app.app_id

    @cached_property
    def calendar(self) -> Calendar:
        return calendar_of(self.org)

    @cached_property
    def org_scope(self) -> str:
        return scope_of(self.org.org_id)

    @cached_property
    def app_scope(self) -> str:
        return scope_of(self.org.org_id, self.app.app_id)

    @cached_property
    def ordering(self) -> tuple[str, ...]:
        """The labels that the app may use, the best first."""
        return tuple(self.app.model_ordering or self.org.model_ordering)

    @cached_property
    def threshold(self) -> int:
        """The percentage of a limit from which on it is tight."""
        return self.app.tight_mode_threshold_pct or self.org.tight_mode_threshold_pct

    @cached_property
    def intervals(self) -> Intervals:
        org, app = self.org, self.app
        return Intervals(
            app.refresh_interval_normal_secs or org.refresh_interval_normal_secs,
            app.refresh_interval_tight_secs or org.refresh_interval_tight_secs,
        )

    # --- limits ----------------------------------------------------------------------------------

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The scopes whose limits count, by the organisation's ``quota_scope``."""
        chosen = {"ORG": (self.org_scope,), "APP": (self.app_scope,)}
        return chosen.get(self.org.quota_scope, (self.org_scope, self.app_scope))

    @cached_property
    def all_limits(self) -> tuple[Limit, ...]:
        """Every limit of every label in the ordering, each once."""
        return tuple(dict.fromkeys(each for label in self.ordering for each in self.limits(label)))

    def limits(self, label: str) -> tuple[Limit, ...]:
        """What limits a label; never nothing, since nobody said that it is free."""
        found = self._limits.get(label)
        if found is None:
            found = tuple(self._limits_of(label)) or (Limit(self.levels[0], "DAY", label, 0),)
            self._limits[label] = found
        return found

    @cached_property
    def _limits(self) -> dict[str, tuple[Limit, ...]]:
        return {}

    def _limits_of(self, label: str) -> Iterator[Limit]:
        for scope in self.levels:
            for window in WINDOWS:
                quotas = self.quotas(scope, window)
                for name in (label, ALL):
                    if name in quotas:
                        yield Limit(scope, window, name, quotas[name])

    def quotas(self, scope: str, window: Window) -> Quotas:
        """The limits of a level in a window.

        An app has its own; where only apps are limited, it has the organisation's if it sets none.
        """
        of_org: Quotas = getattr(self.org, FIELDS[window])
        if scope == self.org_scope:
            return of_org
        of_app: Quotas | None = getattr(self.app, FIELDS[window])
        if of_app is not None:
            return of_app
        return of_org if self.org.quota_scope == "APP" else {}

    def key(self, limit: Limit, day: str) -> TotalKey:
        """The total that a limit is compared with on a day."""
        return TotalKey(limit.scope, limit.label, self.calendar.periods(day).of(limit.window))

    def version(self, scope: str) -> int:
        """The version of the settings that a level's limits come from; any edit raises it."""
        if scope == self.org_scope:
            return self.org.version
        return self.org.version + self.app.version

    def edited_at(self, scope: str) -> float:
        """When the settings were changed last that a level's limits come from."""
        of_org = self.org.updated_at_epoch.timestamp()
        if scope == self.org_scope:
            return of_org
        return max(of_org, self.app.updated_at_epoch.timestamp())

    # --- reservations ----------------------------------------------------------------------------

    def reserves(self, day: str) -> bool:
        """Whether the gates of a day are kept: all day long, or not at all."""
        since = self.org.reservations_from_epoch
        if self.org.reservations == "off" or since is None:
            return False
        return self.calendar.start(day) >= int(since.timestamp())


# --- what can be set -----------------------------------------------------------------------------


def ordering_errors(
    ordering: Sequence[str] | None, field: str = "model_ordering"
) -> list[FieldError]:
    """What is wrong with an ordering by itself."""
    if ordering is None or len(set(ordering)) == len(ordering):
        return []
    twice = next(label for label in ordering if ordering.count(label) > 1)
    return [FieldError(f"body.{field}", f"names {twice!r} twice")]


def limit_errors(account: Account) -> list[FieldError]:
    """The labels in an app's ordering that nothing limits, not even a null."""
    free = [label for label in account.ordering if not any(account._limits_of(label))]
    return [FieldError(f"body.quotas.{label}", _NO_LIMIT.format(label)) for label in free]


def org_limit_errors(org: Org) -> list[FieldError]:
    """The labels in an organisation's ordering that nothing limits, not even a null."""
    named = {label for field in FIELDS.values() for label in getattr(org, field)}
    free = [label for label in org.model_ordering if not named & {label, ALL}]
    return [FieldError(f"body.quotas.{label}", _NO_LIMIT.format(label)) for label in free]


_NO_LIMIT = (
    "{0} needs a limit: enter an amount, or unlimited (null), for it or for all labels (_all)"
)
