"""The ledger beside its counters and totals.

Theory of operation. Counters are the sum of the ledger at every moment, so whatever differs is a
drift: the fold stood still for longer than the stream keeps records, or somebody has changed a
table by hand. Rows and counters cannot be read at one moment, though, while records come in. So a
difference counts only if the counters were the same before and after a second reading of the
ledger, with a pause before it for reads that lag; anything else is ``busy``, to be looked at again.

A repair adds what is missing to one shard, in a transaction that checks that no shard of the count
has changed since it was read. ``rev`` rises with it, so that a total made from it is newer than
any before. Rows that the fold may still count (those put less than a day ago, by their flush id)
are left to it: ``waiting``.

Totals that are sums of counts are compared with them last (:mod:`rolled`), as far as those agree.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.model.errors import TransactionCancelled
from tablewright.service.problems import not_found
from tablewright.systems.pricekeeper.reads import (
    days_of_total,
    dirty_counts_of_day,
    stored_totals,
    usage_shards,
)
from tablewright.systems.pricekeeper.recording import repair_count
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.figures import (
    NOTHING,
    Counted,
    Figures,
    figures_of,
    in_all,
)
from tablewright.systems.pricekeeper.rules.rows import Sums, UsageId, usage_id
from tablewright.systems.pricekeeper.rules.uuids import made_at
from tablewright.systems.pricekeeper.service.ledger.rolled import (
    SUMMED_SECS,
    RolledTotals,
    WrongTotal,
)
from tablewright.systems.pricekeeper.service.ledger.scanning import (
    Days,
    apps_of,
    bookkeeping,
    rows_of_app,
)
from tablewright.systems.pricekeeper.service.recording.group import counter
from tablewright.systems.pricekeeper.shapes import ALL, TotalKey, UsageKey, slot_of
from tablewright.systems.pricekeeper.spend import Ledger, Total, UsageCounter

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger("tablewright.pricekeeper")

#: ``above``: the counters have more than the ledger, which only ``force`` takes away.
State: TypeAlias = Literal["drift", "above", "fixed", "busy", "waiting", "total"]
#: How long a read that is not consistent may lag.
SETTLE_SECS = 2.0
#: After this, the stream has no row any more that the fold could count.
_FOLDED_SECS = 25 * 3600
#: Counts that are read at the same time.
_AT_ONCE = 16


@dataclass(frozen=True)
class Difference:
    """One count that is not what the ledger says."""

    key: UsageId
    ledger: Figures
    counters: Figures
    state: State

    @property
    def missing(self) -> Figures:
        """What the counters lack; negative where they have too much."""
        return self.ledger.minus(self.counters)


@dataclass
class Reconciled:
    """What was compared, and what differs."""

    apps: int = 0
    rows: int = 0
    counts: int = 0
    differences: list[Difference] = field(default_factory=list)
    #: Totals that are not the sum of counts that agree.
    totals: list[WrongTotal] = field(default_factory=list)
    #: Whether what can be repaired was.
    fixed: bool = False

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong, or nothing is any more."""
        good = all(each.state in ("fixed", "busy", "waiting") for each in self.differences)
        return good and (self.fixed or not self.totals)


@dataclass
class _Read:
    """What the ledger says of an app."""

    sums: dict[UsageId, Sums] = field(default_factory=dict)
    #: Counts with rows that the fold may still have to count.
    unfolded: set[UsageId] = field(default_factory=set)
    rows: int = 0


@dataclass(frozen=True)
class _Counted:
    """The shards of a count, as they were at one moment each."""

    shards: Sequence[UsageCounter | None]

    @property
    def figures(self) -> Figures:
        found = [figures_of(each) for each in self.shards if each is not None]
        return in_all(found) if found else NOTHING

    @property
    def revs(self) -> list[int | None]:
        return [None if each is None else each.rev for each in self.shards]


class Reconciling:
    """One comparison."""

    def __init__(self, keeper: Keeper, *, fix: bool, force: bool) -> None:
        self._keeper = keeper
        self._fix = fix
        self._force = force
        self._result = Reconciled(fixed=fix)
        self._marked_until: dict[UsageId, float] = {}
        self._accounts: dict[str, Account] = {}
        #: Counts that agree with the ledger and their own totals, and those that do not.
        self._sure: dict[UsageId, Figures] = {}
        self._unsure: set[UsageId] = set()

    async def run(self, org_id: str, app_id: str | None) -> Reconciled:
        """Compare one app, or all of an organisation."""
        for each in await apps_of(self._keeper.db, org_id, app_id):
            account = await bookkeeping(self._keeper, org_id, each)
            if account is None:
                raise not_found("organisation")
            self._accounts[each] = account
            await self._compare(account)
        await self._compare_rolled(app_id)
        return self._result

    async def _compare(self, account: Account) -> None:
        days = self._complete(account)
        read = await self._read(account, days)
        await self._add_named(account, read)
        counted = await self._counted(account, read.sums)
        suspects = [key for key, each in counted.items() if _differ(read.sums[key], each.figures)]
        self._result.apps += 1
        self._result.rows += read.rows
        self._result.counts += len(read.sums)
        if suspects:
            await self._look_again(account, days, suspects)
        keys = read.sums.keys() - set(suspects)
        wrong = await self._compare_totals(account, keys, counted)
        self._unsure |= wrong.union(suspects)
        whole = self._whole(account)
        self._sure |= {key: counted[key].figures for key in keys - wrong if key.day in whole}

    # --- reading ---------------------------------------------------------------------------------

    def _complete(self, account: Account) -> Days:
        """The days of which no row has ended yet."""
        kept = account.org.ledger_retention_days * 86_400
        oldest = account.calendar.day(self._keeper.now() - kept)
        return Days(first=account.calendar.next(oldest))

    def _whole(self, account: Account) -> Days:
        """Those of them of which none has ended by a shorter retention before, either."""
        days, raised = self._complete(account), account.org.retention_raised_epoch
        if raised is None:
            return days
        after = account.calendar.next(account.calendar.day(raised.timestamp()))
        return Days(first=max(days.first or "", after))

    async def _add_named(self, account: Account, read: _Read) -> None:
        """Counts that totals name and the ledger has no row of.

        Where there are no counters either, there is nothing to compare.
        """
        others = await self._named(account) - read.sums.keys()
        counted = await self._counted(account, others)
        there = {key for key in others if any(counted[key].shards)}
        self._unsure |= others - there
        read.sums |= {key: Sums() for key in there}

    async def _named(self, account: Account) -> set[UsageId]:
        """The counts that totals name."""
        days, today = self._whole(account), account.calendar.day(self._keeper.clock.now())
        ends = {"first": f"DAY#{days.first}", "last": f"DAY#{account.calendar.next(today)}"}
        rows = self._keeper.db.iterate(days_of_total(account.app_scope, ALL, **ends))
        where = (account.org_id, account.app_id)
        return {
            UsageId(*where, label, row.period.removeprefix("DAY#"))
            async for row in rows
            for label in row.labels
        }

    async def _read(self, account: Account, days: Days) -> _Read:
        read = _Read()
        young = self._keeper.clock.now() - _FOLDED_SECS
        async for row in self._rows(account, days):
            key = usage_id(row)
            read.rows += 1
            read.sums.setdefault(key, Sums()).add(row)
            if row.mode == "S" and (made_at(row.flush_id) or young) >= young:
                read.unfolded.add(key)
        return read

    def _rows(self, account: Account, days: Days) -> AsyncIterator[Ledger]:
        return rows_of_app(self._keeper.db, account.org_id, account.app_id, days)

    async def _counted(self, account: Account, keys: Iterable[UsageId]) -> dict[UsageId, _Counted]:
        wanted, found = list(keys), dict[UsageId, _Counted]()
        counts = await self._shard_counts(account, wanted)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            read = await asyncio.gather(*(self._shards(key, counts[key]) for key in some))
            found |= dict(zip(some, read, strict=True))
        return found

    async def _shards(self, key: UsageId, count: int) -> _Counted:
        return _Counted(await self._keeper.db.run(usage_shards(UsageKey(*key, count))))

    async def _shard_counts(self, account: Account, keys: Sequence[UsageId]) -> dict[UsageId, int]:
        """How many shards counts have: as their marks say, else as their totals do."""
        found: dict[UsageId, int] = {}
        for day in sorted({key.day for key in keys}):
            marks = dirty_counts_of_day(slot_of(account.org_id), account.org_id, day)
            async for mark in self._keeper.db.iterate(marks):
                key = UsageId(mark.org_id, mark.app_id, mark.label, day)
                found[key] = mark.shard_count
                self._marked_until[key] = mark.dirty_until_epoch.timestamp()
        unmarked = self._keeper.recorder.markers.shard_count
        for key in keys:
            if key not in found:
                found[key] = await unmarked(account, key)
        return found

    # --- judging ---------------------------------------------------------------------------------

    async def _look_again(self, account: Account, days: Days, suspects: list[UsageId]) -> None:
        """Whether what differs also does when nothing moves."""
        before = await self._counted(account, suspects)
        await asyncio.sleep(SETTLE_SECS)
        read = await self._read(account, days)
        after = await self._counted(account, suspects)
        for key in suspects:
            sums = read.sums.get(key, Sums())
            counted = after[key]
            if before[key].revs != counted.revs:
                state: State | None = "busy"
            elif not _differ(sums, counted.figures):
                state = None
            elif key in read.unfolded:
                state = "waiting"
            else:
                state = await self._judge(account, key, sums, counted)
            if state is not None:
                self._note(key, sums, counted.figures, state)

    async def _judge(self, account: Account, key: UsageId, sums: Sums, counted: _Counted) -> State:
        missing = figures_of(sums).minus(counted.figures)
        above = min(missing._replace(rev=0)) < 0
        if not self._fix or (above and not self._force):
            return "above" if above else "drift"
        return await self._repair(account, key, sums, counted)

    async def _repair(self, account: Account, key: UsageId, sums: Sums, counted: _Counted) -> State:
        missing = figures_of(sums).minus(counted.figures)
        delta = Sums()
        for name, amount in missing._asdict().items():
            setattr(delta, name, amount)
        # A total that is made from it has to be newer than any before, whatever was wrong.
        delta.rev = max(missing.rev, 1)
        now = self._keeper.now()
        mark = await self._keeper.recorder.markers.marked(account, key)
        repair = repair_count(counter(account, key, delta, 0, now), counted.revs, mark)
        try:
            await self._keeper.db.run(repair)
        except TransactionCancelled:
            return "busy"
        log.warning("the counters of %s were repaired by %s", key, missing)
        return "fixed"

    # --- totals ----------------------------------------------------------------------------------

    async def _compare_totals(
        self, account: Account, keys: set[UsageId], counted: Mapping[UsageId, _Counted]
    ) -> set[UsageId]:
        """Totals that are not the sum of their counters, and will not be by themselves."""
        wrong: set[UsageId] = set()
        wanted = sorted(keys)
        names = [TotalKey(account.app_scope, key.label, f"DAY#{key.day}") for key in wanted]
        totals = await self._keeper.db.run(stored_totals(names)) if names else ()
        for key, total in zip(wanted, totals, strict=True):
            figures = counted[key].figures
            if self._is_on_its_way(key, total, figures) or not _differ(total or NOTHING, figures):
                continue
            wrong.add(key)
            if self._fix:
                await self._keeper.recorder.markers.mark(account, key)
            state: State = "fixed" if self._fix else "total"
            self._result.differences.append(
                Difference(key, figures, figures_of(total or NOTHING), state)
            )
        return wrong

    async def _compare_rolled(self, app_id: str | None) -> None:
        """Totals that are not the sum of the counts that are in them."""
        if not self._sure:
            return
        calendar = next(iter(self._accounts.values())).calendar
        rolled = RolledTotals(self._keeper, calendar, self._sure, self._unsure)
        self._result.totals = await rolled.wrong(app_id)
        if self._fix:
            for key in {key for wrong in self._result.totals for key in wrong.counts}:
                await self._keeper.recorder.markers.mark(self._accounts[key.app_id], key)

    def _is_on_its_way(self, key: UsageId, total: Total | None, figures: Figures) -> bool:
        """Whether a total is older than its counters, and will be made again."""
        if total is not None and total.rev == figures.rev:
            return False
        return self._marked_until.get(key, 0.0) + SUMMED_SECS > self._keeper.clock.now()

    def _note(self, key: UsageId, sums: Sums, counters: Figures, state: State) -> None:
        self._result.differences.append(Difference(key, figures_of(sums), counters, state))


def _differ(one: Counted, other: Counted) -> bool:
    """Whether amounts differ; ``rev`` is a version, which a repair raises."""
    return figures_of(one)._replace(rev=0) != figures_of(other)._replace(rev=0)
