"""Filling a place that is new: every step is a use case, and can be repeated.

A process may be killed while it does this, and the next one begins again. So all ids follow from
names and from the moment of the first attempt, which is when the first organisation was created:
what is there already is found to be so, and nothing is counted twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from tablewright.model import together
from tablewright.service.auth import Principal
from tablewright.service.preconditions import Precondition
from tablewright.systems.pricekeeper.bodies import MAX_BATCH, PriceIn, iso
from tablewright.systems.pricekeeper.config import App, Org
from tablewright.systems.pricekeeper.live_demo.books import Books
from tablewright.systems.pricekeeper.live_demo.cast import LABELS, LABS, ORGS, RETAIL, OrgPlan, usd
from tablewright.systems.pricekeeper.live_demo.traffic import Called, Traffic
from tablewright.systems.pricekeeper.reads import dirty_counts, stored_totals
from tablewright.systems.pricekeeper.recording import publish_total
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.bundled import bundled_prices
from tablewright.systems.pricekeeper.rules.corrections import Correction
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.service.totals.aggregating import OrgRun, Superseded
from tablewright.systems.pricekeeper.shapes import TotalKey, slot_of
from tablewright.systems.pricekeeper.spend import Total

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: Days of which there are totals only, and days that are recorded, today included.
HISTORY_DAYS, RECORDED_DAYS = 62, 3
#: While it is filled, reports of all recorded days are taken; then the usual window counts.
_WINDOW_HOURS, _USUAL_HOURS = 96, 48
#: The totals were last made so many seconds ago: what came since shows how quickly money goes.
_BEHIND_SECS = 600
#: Writes of one transaction.
_AT_ONCE = 100

ADMIN = Principal("demo-admin", "Demo admin", "user", frozenset({"admin"}))
OPERATOR = Principal("demo-operator", "Demo operator", "user", frozenset({"operator"}))


async def fill(keeper: Keeper) -> None:
    """Three organisations with labels, limits, history, a used-up label, alerts, a correction."""
    for name, body in LABELS.items():
        await keeper.labels.put(name, body, ADMIN)
    now = await _began(keeper)
    for plan in ORGS:
        await _Filling(keeper, plan, now).run()
    await _agree_on_a_price(keeper, now)
    await _offer_a_price(keeper, now)


async def _began(keeper: Keeper) -> int:
    """When the first attempt was made."""
    org = await keeper.directory.org(ORGS[0].org_id)
    return keeper.now() if org is None else int(org.created_at_epoch.timestamp())


@dataclass
class _Filling:
    """One organisation."""

    keeper: Keeper
    plan: OrgPlan
    now: int
    accounts: dict[str, Account] = field(default_factory=dict)
    #: An earlier attempt has come at least as far as to this organisation.
    _repeated: bool = False

    async def run(self) -> None:
        await self._provision()
        traffic = Traffic(self.plan, self.accounts, self.now)
        *before, first, second = traffic.days_before(HISTORY_DAYS + RECORDED_DAYS - 1)
        recorded = [call for day in (first, second, traffic.today) for call in traffic.of_day(day)]
        history = [call for day in before for call in traffic.of_day(day)]
        org = next(iter(self.accounts.values())).org
        books = Books(org, self.accounts, self.now - _BEHIND_SECS, first_open=first)
        await self._publish(list(books.totals([*history, *recorded])))
        await self._record(recorded)
        if self.plan is RETAIL:
            await self._correct([call for call in recorded if call.day == second])
        await sum_now(self.keeper, self.plan.org_id)
        await self._settle(recorded, traffic.today)

    # --- who -------------------------------------------------------------------------------------

    async def _provision(self) -> None:
        """The organisation and its apps, unless an earlier attempt has made them."""
        keeper, plan = self.keeper, self.plan
        self._repeated = await keeper.directory.org(plan.org_id) is not None
        if not self._repeated:
            body = plan.body(self.now, late_window_hours=_WINDOW_HOURS)
            await keeper.orgs.put(plan.org_id, body, ADMIN)
        for app in plan.apps:
            if await keeper.directory.app(plan.org_id, app.app_id) is None:
                await keeper.orgs.apps.put(plan.org_id, app.app_id, app.body, ADMIN)
        self.accounts = {
            app.app_id: await keeper.directory.account(plan.org_id, app.app_id) for app in plan.apps
        }

    # --- what ------------------------------------------------------------------------------------

    async def _publish(self, totals: Sequence[Total]) -> None:
        """Totals as they were a while ago; those of an earlier attempt may be newer, and stay."""
        db = self.keeper.db
        for start in range(0, len(totals), _AT_ONCE):
            some = totals[start : start + _AT_ONCE]
            if self._repeated:
                keys = [TotalKey(each.scope, each.label, each.period) for each in some]
                there = await db.run(stored_totals(keys))
                some = [each for each, found in zip(some, there, strict=True) if found is None]
            if some:
                await db.run(together(*map(publish_total, some)))

    async def _record(self, calls: Iterable[Called]) -> None:
        """As a client's batches come in: app by app, each in the order of time."""
        by_app = sorted(calls, key=lambda call: (call.app_id, call.usage.timestamp))
        batches = [
            (self.accounts[app_id], [call.usage for call in found][start : start + MAX_BATCH])
            for app_id, group in groupby(by_app, lambda call: call.app_id)
            for found in [list(group)]
            for start in range(0, len(found), MAX_BATCH)
        ]
        record = self.keeper.recorder.record
        await asyncio.gather(*(record(account, usages) for account, usages in batches))

    async def _correct(self, calls: Sequence[Called]) -> None:
        """The dearest call of yesterday was sent twice by the app, under two ids."""
        call = max(calls, key=lambda each: each.priced.cost_picos)
        correction = Correction(
            correction_id=str(uuid5(NAMESPACE_URL, f"correction:{call.usage.request_id}")),
            reason="the app retried and reported the answer twice",
            output_tokens=-call.usage.output_tokens,
        )
        account = self.accounts[call.app_id]
        await self.keeper.corrections.correct(
            account, call.usage.request_id, correction, OPERATOR, update_totals=False
        )

    # --- how things stand ------------------------------------------------------------------------

    async def _settle(self, recorded: Sequence[Called], today: str) -> None:
        """The usual window; one app near its limit; labels that are used up are closed."""
        keeper, org_id = self.keeper, self.plan.org_id
        org = await keeper.orgs.get(org_id)
        if org.late_window_hours == _WINDOW_HOURS:
            body = self.plan.body(self.now, late_window_hours=_USUAL_HOURS)
            await keeper.orgs.put(org_id, body, ADMIN, Precondition.seen(org.version))
        if self.plan is LABS:
            await self._tighten([call for call in recorded if call.day == today])
        if self.plan is RETAIL:
            await self._rotate(org)
        for app_id in self.accounts:
            account = await keeper.directory.account(org_id, app_id)
            await keeper.selector.select(account, force=True)

    async def _tighten(self, calls: Sequence[Called]) -> None:
        """Give the first app a limit that its spend of today is just below."""
        plan = self.plan.apps[0]
        spent = sum(call.priced.cost_picos for call in calls if call.app_id == plan.app_id)
        app: App = await self.keeper.orgs.apps.get(self.plan.org_id, plan.app_id)
        if not spent or app.quotas is not None:
            return
        body = plan.body.model_copy(update={"quotas": {"_all": near(micros(spent))}})
        seen = Precondition.seen(app.version)
        await self.keeper.orgs.apps.put(self.plan.org_id, plan.app_id, body, ADMIN, seen)

    async def _rotate(self, org: Org) -> None:
        """A secret that was changed lately: the one before is still good."""
        app_id = self.plan.apps[0].app_id
        known = await self.keeper.credentials.of(org.org_id, app_id)
        if known is not None and known.cred_version == 1:
            await self.keeper.credentials.rotate(org.org_id, app_id, ADMIN, grace_hours=72)


async def sum_now(keeper: Keeper, org_id: str) -> None:
    """Make the totals of what an organisation has recorded now, and not in a minute."""
    rows = [row async for row in keeper.db.iterate(dirty_counts(slot_of(org_id)))]
    own = [row for row in rows if row.org_id == org_id]
    # The lowest fence: whoever aggregates under a lease has the last word. Only the second run
    # knows of all flushes that they are in the sums, as any later run does.
    with suppress(Superseded):
        for _ in range(2):
            await OrgRun(keeper, org_id, 0, own, {}).run()


def near(spent: int) -> int:
    """A limit that is as round as can be while ``spent`` is nearly all of it; micro-USD."""
    for step in (1.0, 0.5, 0.1, 0.05):
        limit = ceil(spent / 0.995 / usd(step)) * usd(step)
        if spent >= limit * 0.955:
            return limit
    return ceil(spent / 0.97)


async def _agree_on_a_price(keeper: Keeper, now: int) -> None:
    """A discount that counts from the first of next month on."""
    today = iso(now)
    first = (today.replace(day=1) + timedelta(days=32)).replace(
        day=1, hour=0, minute=0, second=0, microsecond=0
    )
    body = PriceIn(
        effective_from=int(first.timestamp()),
        input_price_usd_micros_per_1m=usd(0.95),
        output_price_usd_micros_per_1m=usd(4.75),
        cache_read_price_usd_micros_per_1m=usd(0.095),
        cache_write_price_usd_micros_per_1m=usd(1.1875),
        family="claude-4.5",
        description="Agreed with the vendor for the coming year.",
    )
    await keeper.prices.set(LABELS["standard"].bedrock_model_id, body, ADMIN)


async def _offer_a_price(keeper: Keeper, now: int) -> None:
    """The price list says something that is hard to believe: somebody has to look at it."""
    if await keeper.prices.changes.waiting():
        return
    model = LABELS["economy"].bedrock_model_id
    listed = next(
        price
        for price in bundled_prices()
        if (price.bedrock_model_id, price.region_class, price.service_tier)
        == (model, "region", "standard")
    )
    dearer = {"input_price_usd_micros_per_1m": 150_000, "output_price_usd_micros_per_1m": 600_000}
    offered = listed.model_copy(
        update={
            **dearer,
            "source": "PRICE_LIST",
            "effective_from": iso(now),
            "fetched_at_epoch": iso(now),
        }
    )
    await keeper.prices.changes.offer([offered], ADMIN)
