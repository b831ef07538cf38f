"""How a new secret reaches its owner: once.

Fetching is one conditional update, which marks the token used, takes the ciphertext out and returns
it: of all who try with one token, one is served.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.moments import moment
from tablewright.service.problems import not_found
from tablewright.systems.pricekeeper import writes
from tablewright.systems.pricekeeper.rules import sealing

if TYPE_CHECKING:
    from tablewright.systems.pricekeeper.service.keeper import Keeper

log = logging.getLogger(__name__)

#: Every refusal to hand a secret over takes this long, whatever the reason was.
REFUSAL_SECS = 0.025


@dataclass(frozen=True)
class Redeemed:
    """A secret on its way to its owner."""

    client_id: str
    secret: str = field(repr=False)


class Fetching:
    """Secrets that wait for their owners."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self.count = keeper.runtime.metrics.counter(
            "pricekeeper_retrieval_tokens",
            "Tokens that fetch a new secret: issued, redeemed, or tried in vain (failed).",
            ("outcome",),
        )

    async def redeem(self, token: str, by: Principal) -> Redeemed:
        """The secret behind a retrieval token, for the first who asks.

        What is unknown, used, ended or not to be opened is refused alike, and as slowly.
        """
        started = time.perf_counter()
        found = await self._taken(token)
        if found is None:
            self.count.labels("failed").inc()
            await asyncio.sleep(max(0.0, started + REFUSAL_SECS - time.perf_counter()))
            raise not_found("retrieval token")
        self.count.labels("redeemed").inc()
        await self._note_fetched(found, by)
        return found

    async def _note_fetched(self, found: Redeemed, by: Principal) -> None:
        """Beside, not within: an update in a transaction would not return the ciphertext.

        A failure is logged and no more: the secret would be lost, and the row says when it went.
        """
        now = self._keeper.now()
        entry = audit.record(by, "credential.fetch", f"client/{found.client_id}", at=now, detail={})
        try:
            await self._keeper.db.run(entry)
        except TablewrightError:
            log.exception("No audit entry for the secret of %s being fetched", found.client_id)

    async def _taken(self, token: str) -> Redeemed | None:
        now = moment(self._keeper.now())
        try:
            row = await self._keeper.db.run(writes.redeem_secret(sealing.hash_of(token), now))
        except ConditionFailed:
            return None
        if row.ciphertext is None:
            return None
        sealed = sealing.Sealed(row.nonce, row.ciphertext)
        secret = sealing.unseal(token, row.client_id, sealed)
        return None if secret is None else Redeemed(row.client_id, secret)
