"""What gates have not seen of their day: they count from when their limit was set.

A gate keeps what was let through since it is there, and how much of that was spent. What the
counters say beyond that was spent while nobody kept the gate, and does not change any more: a
record moves its counter and its gate in one transaction. Promises from before the limit are looked
up as long as there can be some. So a gate and what it has not seen are the day's spend and the open
reservations, and nothing has to be written for it.

That costs reads, and only on days on which the settings were changed. What other processes record
before they know of that, within half a minute, is seen when it is reckoned again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tablewright.service.kit.moments import moment
from tablewright.systems.pricekeeper import reads
from tablewright.systems.pricekeeper.rules import gates
from tablewright.systems.pricekeeper.rules.account import Account, Limit
from tablewright.systems.pricekeeper.rules.gates import GateKey
from tablewright.systems.pricekeeper.rules.rows import UsageId
from tablewright.systems.pricekeeper.service.totals.rolling import Cell, rolled_up
from tablewright.systems.pricekeeper.shapes import slot_of
from tablewright.systems.pricekeeper.spend import Reservation

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

#: How long others may go on with settings of before: they keep them, and flush what they have.
_SETTLED_SECS = 120
#: How long a promise lasts at the most.
_LONGEST_SECS = 900
#: How long what was reckoned is good enough.
_KEPT_SECS = 2.0
#: Gates that are remembered.
_MOST = 10_000


class Unseen:
    """What one process has reckoned lately."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._known: dict[tuple[GateKey, int], tuple[float, int]] = {}

    async def of(self, account: Account, limits: Sequence[Limit], day: str) -> list[int]:
        """For each limit, the picos of the day that its gate lacks."""
        start = account.calendar.start(day)
        young = [
            limit for limit in limits if account.edited_at(limit.scope) > start - _SETTLED_SECS
        ]
        keys = {limit: _place(account, limit, day) for limit in young}
        now = self._keeper.clock.now()
        old = [limit for limit, key in keys.items() if not self._is_known(key, now)]
        if old:
            await self._reckon(account, old, day, now)
        return [self._known[keys[limit]][1] if limit in keys else 0 for limit in limits]

    def _is_known(self, key: tuple[GateKey, int], now: float) -> bool:
        found = self._known.get(key)
        return found is not None and 0 <= now - found[0] < _KEPT_SECS

    async def _reckon(
        self, account: Account, limits: Sequence[Limit], day: str, now: float
    ) -> None:
        # In this order: what is recorded in between is taken for unseen, never for seen twice.
        promised = await self._promises(account, limits, day, now)
        places = [_place(account, limit, day) for limit in limits]
        stored = await self._keeper.db.run(reads.gates([key for key, _ in places]))
        sums = await self._keeper.totals.sum_org_day(account.org_id, day)
        spent = rolled_up({UsageId(*each.key[:4]): each.figures for each in sums})
        if len(self._known) > _MOST:
            self._known.clear()
        for limit, place, gate in zip(limits, places, stored, strict=True):
            rolled = spent.get(Cell(limit.scope, limit.label))
            cost = rolled.figures.cost_usd_picos if rolled else 0
            seen = gate.spent_picos if gate else 0
            before = sum(_held_beside(limit, place[0], promised))
            self._known[place] = now, max(cost - seen, 0) + before

    async def _promises(
        self, account: Account, limits: Sequence[Limit], day: str, now: float
    ) -> list[Reservation]:
        """The organisation's open promises of a day, while some may be older than a limit."""
        latest = max(account.edited_at(limit.scope) for limit in limits)
        if now > latest + _SETTLED_SECS + _LONGEST_SECS:
            return []
        slot = slot_of(account.org_id)
        rows = self._keeper.db.iterate(reads.open_reservations(slot, now=moment(int(now))))
        return [row async for row in rows if (row.org_id, row.day) == (account.org_id, day)]


def _place(account: Account, limit: Limit, day: str) -> tuple[GateKey, int]:
    return GateKey(limit.scope, day, limit.label), account.version(limit.scope)


def _held_beside(limit: Limit, gate: GateKey, promised: Iterable[Reservation]) -> Iterable[int]:
    """What was promised under a limit without going through its gate."""
    for row in promised:
        if gates.is_under(limit, row) and gate not in gates.through(row):
            yield row.reserved_picos
