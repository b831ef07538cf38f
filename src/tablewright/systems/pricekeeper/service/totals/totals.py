"""What has been spent, as well as this process can know it.

An answer is a total and what this process has flushed since. Totals are read at most once a second;
where that is not enough, the counters are summed here (:mod:`selfsum`), also at most once a second
for each total.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakValueDictionary

from tablewright.systems.pricekeeper.options import Options
from tablewright.systems.pricekeeper.reads import selection_state, tight_selection_state
from tablewright.systems.pricekeeper.rules.burn import after_idle, first_burn, moved_on
from tablewright.systems.pricekeeper.rules.figures import NOTHING, Counted, Figures
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.own import OwnFlushes
from tablewright.systems.pricekeeper.service.totals.selfsum import Owner, SelfSum
from tablewright.systems.pricekeeper.service.totals.sums import Sum, highest, writer_name
from tablewright.systems.pricekeeper.service.totals.views import KEPT_SECS, View, Views
from tablewright.systems.pricekeeper.shapes import TotalKey
from tablewright.systems.pricekeeper.spend import Exhausted, Total

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: How long what was read or summed is good enough, in seconds.
FRESH_SECS = 1.0
#: How often what nobody needs any more is let go of.
_TIDY_SECS = 60.0


class Spend(NamedTuple):
    """What has been spent of a total."""

    amounts: Figures
    picos: int
    burn_micros_per_hour: float
    #: When the total was made; 0 if there is none.
    as_of_ms: int
    #: What this process has flushed since; it is in ``picos``.
    own_picos: int

    @property
    def summed_picos(self) -> int:
        """What was surely spent when the total was made."""
        return self.picos - self.own_picos


class Totals:
    """The totals of one process."""

    def __init__(self, keeper: Keeper) -> None:
        self._db = keeper.db
        self._clock = keeper.clock
        #: A total that is written to is made again within this time.
        self._quiet_secs = 1.5 * keeper.runtime.options(Options).aggregator_secs
        self._own = OwnFlushes()
        self._views = Views()
        self._sums = SelfSum(keeper.db, keeper.clock, self._views)
        self._closed: dict[tuple[str, str], tuple[float, Exhausted | None]] = {}
        #: By organisation and writer: the highest number that was ever seen in the store.
        self._known: dict[str, dict[str, int]] = {}
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._tidied = keeper.clock.now()

    def flushed(self, writer: int | str, number: int, deltas: Mapping[UsageId, Counted]) -> None:
        """A flush of this process was confirmed; those of an organisation come in their order."""
        name = writer if isinstance(writer, str) else writer_name(writer)
        now = self._clock.now()
        self._own.add(name, number, deltas, now)
        self._tidy(now)

    def confirmed(self, org_id: str) -> dict[str, int]:
        """By writer: every flush for an organisation up to this one is in the store by now."""
        return highest(self._known.get(org_id, {}), self._own.last(org_id))

    # --- what is known ---------------------------------------------------------------------------

    def known(self, org_id: str, key: TotalKey) -> Spend:
        """What has been spent, by what is known here; nothing is read."""
        view = self._views.get(key)
        own = self._own.above(org_id, key, view.seen)
        if own is NOTHING:
            picos = view.figures.cost_usd_picos
            return Spend(view.figures, picos, self._idle_burn(view), view.as_of_ms, 0)
        amounts = view.figures.plus(own)
        return Spend(
            amounts,
            amounts.cost_usd_picos,
            self._burn(view, own.cost_usd_picos),
            view.as_of_ms,
            own.cost_usd_picos,
        )

    def _idle_burn(self, view: View) -> float:
        """Let the burn decay once a total has not been made for longer than it would be if used."""
        if not view.burn:
            return 0.0
        age = self._clock.now() - view.as_of_ms / 1000
        return after_idle(view.burn, age - self._quiet_secs)

    def _burn(self, view: View, picos: int) -> float:
        """The burn with what this process has flushed since."""
        if not view.as_of_ms:
            return first_burn(picos)
        secs = max(self._clock.now() - view.as_of_ms / 1000, 0.0)
        # That nobody has looked since does not mean that others have stopped spending.
        return max(self._idle_burn(view), moved_on(view.burn, picos, secs))

    def view(self, key: TotalKey) -> View:
        """A total as it was last read or summed."""
        return self._views.get(key)

    def own_labels(self, org_id: str, key: TotalKey) -> set[str]:
        """The labels that this process has counted in a total lately."""
        return self._own.labels(org_id, key)

    def closed(self, scope: str, day: str) -> Exhausted | None:
        """What is closed for the day, by what is known here."""
        found = self._closed.get((scope, day))
        return None if found is None else found[1]

    def note_closed(self, row: Exhausted) -> None:
        """Labels were closed or opened by this process."""
        self._closed[row.scope, row.day] = self._clock.now(), row

    # --- what the store says ---------------------------------------------------------------------

    async def spend(
        self,
        owner: Owner,
        keys: Sequence[TotalKey],
        *,
        tight: bool = False,
        force: bool = False,
    ) -> dict[TotalKey, Spend]:
        """What has been spent of some totals: ``tight`` for the latest, ``force`` by the counters.

        Only totals that are not over yet can be forced.
        """
        now = self._clock.now()
        stale = [key for key in keys if not self._views.is_fresh(key, now, FRESH_SECS)]
        if stale:
            await self.read(owner, stale, (), strong=tight or force)
        if force:
            await self.sum(owner, keys, None)
        return {key: self.known(owner.org_id, key) for key in keys}

    async def read(
        self,
        owner: Owner,
        keys: Sequence[TotalKey],
        sticky: Sequence[tuple[str, str]],
        *,
        strong: bool,
    ) -> None:
        """Read totals, and what is closed for the day in some scopes."""
        op = (tight_selection_state if strong else selection_state)(sticky, keys)
        found = await self._db.run(op)
        now = self._clock.now()
        for place, row in zip(sticky, found, strict=False):
            self._closed[place] = now, row if isinstance(row, Exhausted) else None
        for key, total in zip(keys, found[len(sticky) :], strict=True):
            view = View.of(total) if isinstance(total, Total) else None
            self._adopt(owner.org_id, key, view, now)
        self._tidy(now)

    async def sum(
        self,
        owner: Owner,
        keys: Collection[TotalKey],
        quotas: Mapping[TotalKey, int | None] | None,
        *,
        oldest: float = FRESH_SECS,
    ) -> None:
        """Sum today's counters for totals whose sum is older than ``oldest``, and publish them.

        ``quotas`` are the limits of today, to be kept with the totals.
        """
        lock = self._locks.setdefault(owner.org_id, asyncio.Lock())
        async with lock:
            now = self._clock.now()
            old = [key for key in keys if self._views.get(key).age(now) >= oldest]
            if not old:
                return
            org_id = owner.org_id
            confirmed = self.confirmed(org_id)
            views = await self._sums.views(owner, old, confirmed, quotas)
            now = self._clock.now()
            newer = {
                key: view for key, view in views.items() if self._adopt(org_id, key, view, now)
            }
            await self._sums.publish(owner, newer)

    async def sum_org_day(self, org_id: str, day: str) -> list[Sum]:
        """Every count of an organisation on a day, by its counters."""
        return await self._sums.counts(org_id, day, None, None)

    # --- inside ----------------------------------------------------------------------------------

    def _adopt(self, org_id: str, key: TotalKey, view: View | None, now: float) -> bool:
        if not self._views.put(key, view, now) or view is None:
            return False
        self._known[org_id] = highest(self._known.get(org_id, {}), view.seen)
        self._own.seen(org_id, key, view.seen)
        return True

    def _tidy(self, now: float) -> None:
        """Now and then, let go of what nobody needs any more."""
        if 0 <= now - self._tidied < _TIDY_SECS:
            return
        self._tidied = now
        self._own.forget_idle(now)
        self._views.forget_old(now)
        self._sums.forget_old(now)
        for org_id in self._known.keys() - self._views.orgs():
            del self._known[org_id]
        for place, (at, _) in list(self._closed.items()):
            if not 0 <= now - at < KEPT_SECS:
                del self._closed[place]
