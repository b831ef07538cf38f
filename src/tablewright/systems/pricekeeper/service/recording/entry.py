"""Reports on their way into the ledger, and the request that waits for them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from tablewright.model import definition
from tablewright.systems.pricekeeper.rules.account import Account
from tablewright.systems.pricekeeper.rules.cost import Priced
from tablewright.systems.pricekeeper.rules.gates import GateKey
from tablewright.systems.pricekeeper.rules.rows import UsageId, row_ends
from tablewright.systems.pricekeeper.rules.usage import Usage
from tablewright.systems.pricekeeper.service.recording.outcome import Outcome, repeated
from tablewright.systems.pricekeeper.shapes import bucket_of
from tablewright.systems.pricekeeper.spend import Ledger, Reservation

_LEDGER = definition(Ledger)


class Ticket:
    """One request with its reports: it waits until each of them has an outcome."""

    __slots__ = ("_done", "_left", "_outcomes", "since")

    def __init__(self, reports: int) -> None:
        self.since = time.monotonic()
        self._outcomes: list[Outcome | None] = [None] * reports
        self._left = reports
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if not reports:
            self._done.set_result(None)

    def settle(self, place: int, outcome: Outcome) -> None:
        """What became of one report; the first word counts."""
        if self._outcomes[place] is not None:
            return
        self._outcomes[place] = outcome
        self._left -= 1
        # Whoever asked may have gone away meanwhile.
        if not self._left and not self._done.done():
            self._done.set_result(None)

    async def outcomes(self) -> list[Outcome]:
        """All of them, in the order of the reports."""
        await self._done
        return [outcome for outcome in self._outcomes if outcome is not None]


@dataclass(slots=True, eq=False)
class Entry:
    """One report, with all that its row is made from."""

    account: Account
    usage: Usage
    payload_hash: bytes
    bedrock_model_id: str
    count: UsageId
    priced: Priced
    #: What the row says of the price: which one it was, or which ones it was not among.
    price_id: str
    ticket: Ticket
    place: int
    #: The promise that it keeps.
    promise: Reservation | None = None
    #: The gates that may move with it.
    gates: Sequence[GateKey] = ()
    #: The same id again, further back in the queue.
    followers: list[Entry] = field(default_factory=list)

    @property
    def key(self) -> tuple[str, str]:
        """What may be in the organisation's ledger once."""
        return self.count.app_id, self.usage.request_id

    def row(self, flush_id: str, mode: Literal["E", "S"] = "E") -> Ledger:
        """The row as it will be in the ledger. All that it is made from has been checked."""
        usage, count, cost = self.usage, self.count, self.priced.cost_picos
        return _LEDGER.trusted(
            {
                "org_id": count.org_id,
                "app_id": count.app_id,
                "request_id": usage.request_id,
                "bucket": bucket_of(usage.request_id),
                "kind": "USAGE",
                "mode": mode,
                "payload_hash": self.payload_hash,
                "flush_id": flush_id,
                "label": count.label,
                "bedrock_model_id": self.bedrock_model_id,
                "day": count.day,
                "event_at_epoch": datetime.fromtimestamp(usage.timestamp, UTC),
                "status": usage.status,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "cache_read_tokens": usage.cache_read_tokens,
                "cache_write_tokens": usage.cache_write_tokens,
                "cost_usd_picos": cost,
                "cost_source": self.priced.source,
                "price_id": self.price_id,
                "corrects": None,
                "reason": None,
                "last_correction": None,
                "net_input_tokens": usage.input_tokens,
                "net_output_tokens": usage.output_tokens,
                "net_cache_read_tokens": usage.cache_read_tokens,
                "net_cache_write_tokens": usage.cache_write_tokens,
                "net_cost_picos": cost,
                "expires_at_epoch": datetime.fromtimestamp(
                    row_ends(self.account, usage.timestamp), UTC
                ),
            }
        )

    def settle(self, outcome: Outcome) -> None:
        """Tell the caller, and those who sent the same id after it."""
        self.ticket.settle(self.place, outcome)
        for other in self.followers:
            if outcome.row is not None:
                other.settle(repeated(other.account, other.usage, outcome.row))
            else:
                other.settle(outcome)

    def settle_stored(self, stored: object) -> None:
        """The id is in the ledger already: compare everybody with what is there."""
        self.ticket.settle(self.place, repeated(self.account, self.usage, stored))
        for other in self.followers:
            other.settle_stored(stored)
