"""How the limits of one caller stand, and when to look at them more closely.

Totals are at most a minute behind. That is too much when a limit is near, so the counters are
summed here, at most once a second, when

- the caller is in TIGHT mode: a limit is at its threshold or soon will be, and all limits of the
  recommended label are looked at,
- this process alone has spent more than 1 % of a limit since the total was made,
- a limit would be reached in half a minute,
- the total is older than the aggregator should let it become, or nothing was written for so long.

Only labels that matter now are looked at: those up to the recommended one that are not closed for
the day already. A label is closed by what such a sum says and by nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

from tablewright.model.errors import TablewrightError
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.choosing import Choice, Standing, choose
from tablewright.systems.pricekeeper.rules.cost import PICOS
from tablewright.systems.pricekeeper.service.alerts import Reached
from tablewright.systems.pricekeeper.service.closing import Closing
from tablewright.systems.pricekeeper.service.totals import FRESH_SECS
from tablewright.systems.pricekeeper.shapes import TotalKey

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: A sum of counters of so many seconds ago is enough to close a label by.
CHECKED_SECS = 5.0
#: Own spend that no total knows yet, as a share of a limit.
OWN_SHARE = 100
#: A limit that lasts no longer than this has to be watched.
SOON_SECS = 30.0
#: The aggregator makes totals every minute; one that is older is either late or quiet.
LATE_SECS = 60.0


class _Watched(NamedTuple):
    limit: Limit
    key: TotalKey
    ends: int


class Standings:
    """The limits of one app on one day, under one version of its settings."""

    def __init__(self, keeper: Keeper, account: Account) -> None:
        self._keeper = keeper
        self.account = account
        self._closing = Closing(keeper)
        #: The model behind each label of the ordering.
        self.models: Mapping[str, str] = {}
        self._unpriced: frozenset[str] = frozenset()
        self._start_day(account.calendar.day(keeper.clock.now()))

    def _start_day(self, day: str) -> None:
        account = self.account
        self._day = day
        self._day_ends = account.calendar.end(day)
        self._watched = [_watched(account, limit, day) for limit in account.all_limits]
        self._key_of = {each.limit: each.key for each in self._watched}
        self._keys = list(dict.fromkeys(self._key_of.values()))
        self._quotas = {each.key: each.limit.quota_micros for each in self._watched}
        # By hand, a label can be closed in a scope that has no limits.
        self._scopes = (account.org_scope, account.app_scope)
        self._read_at: float | None = None
        self._tight = False

    def hold_for(self, account: Account) -> bool:
        """Whether they are those of an account still."""
        mine = self.account
        return account is mine or (
            account.org.version == mine.org.version and account.app.version == mine.app.version
        )

    def is_fresh(self, now: float) -> bool:
        """Whether everything was read within a second, and today."""
        read_at = self._read_at
        return read_at is not None and 0 <= now - read_at < FRESH_SECS and now < self._day_ends

    # --- what is known ---------------------------------------------------------------------------

    def choice(self, now: float) -> Choice:
        """What to use, by what is known here."""
        known, view = self._keeper.totals.known, self._keeper.totals.view
        org_id = self.account.org_id
        standings: dict[Limit, Standing] = {}
        for limit, key, ends in self._watched:
            spend = known(org_id, key)
            checked = view(key).age(now) < CHECKED_SECS
            standings[limit] = Standing(
                limit,
                spend.picos,
                spend.burn_micros_per_hour,
                ends,
                spend.summed_picos if checked else None,
            )
        return choose(
            self.account,
            standings,
            self._exhausted(),
            now=now,
            day_ends=self._day_ends,
            unpriced=self._unpriced,
        )

    def _exhausted(self) -> Mapping[str, frozenset[str]]:
        """What is closed for the day under these settings, by scope."""
        account = self.account
        if not account.org.sticky_fallback_enabled:
            return {}
        rows = (self._keeper.totals.closed(scope, self._day) for scope in self._scopes)
        return {
            row.scope: frozenset(row.exhausted_labels)
            for row in rows
            if row is not None and row.config_version == account.version(row.scope)
        }

    def as_of_ms(self, choice: Choice, now: float) -> int:
        """When what the choice rests on was summed: the oldest of it."""
        label = choice.recommended or choice.labels[-1].label
        view = self._keeper.totals.view
        limits = set(self.account.limits(label))
        found = [view(key).as_of_ms for limit, key, _ in self._watched if limit in limits]
        # Nothing has ever been summed where there is nothing to sum.
        return min((each for each in found if each), default=int(now * 1000))

    # --- what the store says ---------------------------------------------------------------------

    async def refresh(self, force: bool) -> None:
        """Read everything again; sum, close and tell what has to be."""
        account, totals = self.account, self._keeper.totals
        now = self._keeper.clock.now()
        day = account.calendar.day(now)
        if day != self._day:
            self._start_day(day)
        sticky = [(scope, day) for scope in self._scopes]
        await self._read_models()
        await totals.read(account, self._keys, sticky, strong=self._tight or force)
        self._notice_new_settings()
        choice = self.choice(now)
        keys = self._keys if force else self._to_sum(choice, now)
        if keys:
            await totals.sum(account, keys, self._quotas)
            choice = self.choice(self._keeper.clock.now())
            await self._keeper.alerts.reached(account.org, self._reached(keys))
        if choice.to_exhaust and account.org.sticky_fallback_enabled:
            await self._close(choice)
        self._tight = choice.mode == "TIGHT"
        self._read_at = now

    async def _read_models(self) -> None:
        """Look up the models behind the labels and whether they have prices; both are cached."""
        directory, prices = self._keeper.directory, self._keeper.prices
        models: dict[str, str] = {}
        unpriced: set[str] = set()
        for name in self.account.ordering:
            label = await directory.label(name)
            if label is None:
                continue
            models[name] = label.bedrock_model_id
            if await prices.of_label(label) is None:
                unpriced.add(name)
        self.models, self._unpriced = models, frozenset(unpriced)

    async def _close(self, choice: Choice) -> None:
        """Close what is used up; if that fails, the answer is right all the same."""
        try:
            await self._closing.close(self.account, choice, self._day)
        except TablewrightError as error:
            log.warning("labels of %s were not closed: %s", self.account.org_id, error)

    def _notice_new_settings(self) -> None:
        """Somebody has closed labels under settings that this process has not seen yet."""
        for scope in self._scopes:
            row = self._keeper.totals.closed(scope, self._day)
            if row is not None and row.config_version > self.account.version(scope):
                self._keeper.directory.forget(self.account.org_id)

    def _to_sum(self, choice: Choice, now: float) -> list[TotalKey]:
        """The totals that are not good enough for what is at stake."""
        found: dict[TotalKey, None] = {}
        for label in choice.labels:
            chosen = label.label == choice.recommended
            oldest = FRESH_SECS if chosen and choice.mode == "TIGHT" else LATE_SECS
            if not label.exhausted:
                for standing in label.standings:
                    key = self._key_of[standing.limit]
                    if self._is_too_old(standing, key, now, oldest):
                        found[key] = None
            if chosen:
                break
        return list(found)

    def _is_too_old(self, standing: Standing, key: TotalKey, now: float, oldest: float) -> bool:
        age = self._keeper.totals.view(key).age(now)
        if age < FRESH_SECS or age >= oldest:
            return age >= oldest
        spend = self._keeper.totals.known(self.account.org_id, key)
        quota = standing.limit.quota_micros
        if not quota:
            return False
        if spend.summed_picos >= quota * PICOS:
            # It is over already; only to close it, that has to be certain.
            return self.account.org.sticky_fallback_enabled and standing.checked_picos is None
        left = standing.secs_left
        return (
            standing.reaches(self.account.threshold)
            or spend.own_picos * OWN_SHARE > quota * PICOS
            or (left is not None and left < max(SOON_SECS, 2 * self.account.intervals.tight))
        )

    def _reached(self, keys: Collection[TotalKey]) -> list[Reached]:
        """How far limits are used up, by the counters."""
        org_id, known = self.account.org_id, self._keeper.totals.known
        return [
            Reached(limit, key.period, known(org_id, key).summed_picos)
            for limit, key, _ in self._watched
            if key in keys
        ]


def _watched(account: Account, limit: Limit, day: str) -> _Watched:
    key = account.key(limit, day)
    return _Watched(limit, key, account.calendar.ends(key.period))
