"""The link of this process to pricekeeper, if the settings name one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.clock import Clock
from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.systems.vibejudge.llm.ports import CallCost, ModelAdvisor, NoAdvice
from tablewright.systems.vibejudge.options import Options
from tablewright.systems.vibejudge.service.pricekeeper.advising import Advisor, Selections
from tablewright.systems.vibejudge.service.pricekeeper.link import Link
from tablewright.systems.vibejudge.service.pricekeeper.spending import SpendSink, spend_message
from tablewright.systems.vibejudge.table import Provider

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Pricekeeper:
    """Who knows which model may still be afforded, and is told what was spent."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
        self._link = _link(courtroom.options, courtroom.runtime.clock)
        self.sink = SpendSink(courtroom, self._link)
        self._selections: Selections | None = None
        if self._link is not None:
            self._selections = Selections(self._link, courtroom.runtime.clock)

    @property
    def linked(self) -> bool:
        return self._link is not None

    def advisor(self, provider: Provider) -> ModelAdvisor:
        """Which models the agents of a provider should ask."""
        if self._selections is None:
            return NoAdvice()
        return Advisor(self._selections, provider, self._courtroom.models.rates)

    def spent(self, cost: CallCost) -> Put[OutboxEntry] | None:
        """The message that tells what a call has cost, to join its transaction; None if nobody
        is to be told, or it was not billed.
        """
        if self._link is None or not cost.usage.total:
            return None
        return spend_message(cost, self._courtroom.now())

    async def close(self) -> None:
        if self._link is not None:
            await self._link.close()


def _link(options: Options, clock: Clock) -> Link | None:
    url, org, secret = (
        options.pricekeeper_url,
        options.pricekeeper_org,
        options.pricekeeper_client_secret,
    )
    if url is None or org is None or secret is None:
        return None
    return Link(url, org, options.pricekeeper_client_id or f"org-{org}", secret, clock)
