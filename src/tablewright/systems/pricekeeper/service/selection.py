"""Which label a caller may use now.

Everything that an answer rests on is kept for a second; in between an answer costs no read, and
still has the caller's own records in it. When a second is over, one caller reads for all
(:class:`Standings`), and looks at the counters themselves where a limit is near.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING

from tablewright.model.errors import TablewrightError
from tablewright.service.problems import Problem
from tablewright.systems.pricekeeper.bodies import Guidance, iso
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.choosing import Choice
from tablewright.systems.pricekeeper.rules.cost import micros
from tablewright.systems.pricekeeper.service.standings import Standings

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

__all__ = ["Guidance", "Selection", "Selector"]

#: How old an answer may be that is given while the store is down, in seconds.
STALE_SECS = 600.0
#: How long a caller waits for the store.
PATIENCE_SECS = 3.0
#: How long nobody asks a store that has just failed.
_PAUSE_SECS = 1.0
#: Callers that are remembered; the oldest give way.
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Selection:
    """An answer."""

    account: Account
    choice: Choice
    #: When the oldest total was made that it rests on.
    as_of_ms: int
    now: float
    #: The model behind the recommended label; None if no label is open.
    model_id: str | None = None
    #: The store did not answer, and this is what was known before.
    stale: bool = False

    @property
    def retry_after(self) -> int:
        """Seconds until a label can be open again; 0 if one is."""
        reopens = self.choice.reopens
        return 0 if reopens is None else max(ceil(reopens - self.now), 1)

    def guidance(self) -> Guidance:
        choice, nearest = self.choice, self.choice.nearest
        now_ms = int(self.now * 1000)
        left = choice.time_left
        return Guidance(
            recommended_label=choice.recommended,
            bedrock_model_id=self.model_id,
            mode=choice.mode,
            pct=round(choice.pct, 2),
            spend_usd_micros=micros(nearest.spend_picos),
            quota_usd_micros=nearest.limit.quota_micros,
            time_left_secs=None if left is None else int(left),
            cache_duration_secs=choice.cache_secs,
            as_of=iso(self.as_of_ms / 1000),
            lag_ms=max(now_ms - self.as_of_ms, 0),
            stale=self.stale,
        )


class _Known:
    """What is remembered of one caller."""

    __slots__ = ("failed_at", "flight", "last", "standings")

    def __init__(self, standings: Standings) -> None:
        self.standings = standings
        #: The reading that is under way.
        self.flight: asyncio.Task[None] | None = None
        self.failed_at: float | None = None
        self.last: Selection | None = None


class Selector:
    """The answers of one process."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._callers: dict[tuple[str, str], _Known] = {}

    async def answer(self, org_id: str, app_id: str, force: bool = False) -> Selection:
        """What an app may use now; also when not even its settings can be read."""
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                account = await self._keeper.directory.account(org_id, app_id)
        except (TablewrightError, TimeoutError) as error:
            known = self._callers.get((org_id, app_id))
            last = self._last(known) if known else None
            if last is None:
                raise unavailable() from error
            return last
        return await self.select(account, force)

    async def select(self, account: Account, force: bool = False) -> Selection:
        """What an app may use now; ``force`` looks at the counters themselves."""
        known = self._known(account)
        try:
            await self._refreshed(known, force)
        except (TablewrightError, TimeoutError) as error:
            last = self._last(known)
            if last is None:
                raise unavailable() from error
            return last
        known.last = self._now(known)
        return known.last

    async def guidance(self, account: Account) -> Guidance:
        """What to tell whoever has just recorded something. That never fails for want of it."""
        known = self._known(account)
        try:
            await self._refreshed(known, False)
        except (TablewrightError, TimeoutError):
            return replace(self._now(known), stale=True).guidance()
        known.last = self._now(known)
        return known.last.guidance()

    # --- inside ----------------------------------------------------------------------------------

    def _known(self, account: Account) -> _Known:
        place = (account.org_id, account.app_id)
        known = self._callers.get(place)
        if known is None:
            known = self._callers[place] = _Known(Standings(self._keeper, account))
            if len(self._callers) > _MOST:
                del self._callers[next(iter(self._callers))]
        elif not known.standings.hold_for(account):
            known.standings = Standings(self._keeper, account)
            known.flight = None
        return known

    def _now(self, known: _Known) -> Selection:
        standings = known.standings
        now = self._keeper.clock.now()
        choice = standings.choice(now)
        model_id = standings.models.get(choice.recommended) if choice.recommended else None
        return Selection(standings.account, choice, standings.as_of_ms(choice, now), now, model_id)

    def _last(self, known: _Known) -> Selection | None:
        """The last answer, if the organisation wants it rather than none."""
        last, now = known.last, self._keeper.clock.now()
        if last is None or last.account.org.fail_mode != "open":
            return None
        if not 0 <= now - last.now <= STALE_SECS:
            return None
        return replace(last, now=now, stale=True)

    async def _refreshed(self, known: _Known, force: bool) -> None:
        """Make sure that what is known is at most a second old; one caller reads for all."""
        now = self._keeper.clock.now()
        if known.standings.is_fresh(now) and not force:
            return
        if known.failed_at is not None and 0 <= now - known.failed_at < _PAUSE_SECS:
            raise TimeoutError
        flight = known.flight
        if flight is None or force:
            flight = asyncio.create_task(self._refresh(known, force))
            known.flight = flight
            flight.add_done_callback(_landed(known))
        # Who stops waiting does not stop the others.
        await asyncio.shield(flight)

    async def _refresh(self, known: _Known, force: bool) -> None:
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                await known.standings.refresh(force)
        except (TablewrightError, TimeoutError):
            known.failed_at = self._keeper.clock.now()
            raise
        known.failed_at = None


def _landed(known: _Known) -> Callable[[asyncio.Task[None]], None]:
    def landed(flight: asyncio.Task[None]) -> None:
        if known.flight is flight:
            known.flight = None
        # Read, so that nobody complains that it was not: everybody may have stopped waiting.
        if not flight.cancelled():
            flight.exception()

    return landed


def unavailable() -> Problem:
    detail = "The store does not answer, so nobody knows which model is still paid for. Try again."
    return Problem(503, "STORE_UNAVAILABLE", detail, headers={"Retry-After": "1"})
