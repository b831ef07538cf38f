"""Sessions that were ended before their time."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from datetime import UTC, datetime
from typing import TypeVar

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import TablewrightError
from tablewright.service.auth.sessions import Session
from tablewright.service.kit.entities import EndedSession
from tablewright.service.kit.patterns import end_session, ended_session

T = TypeVar("T")

log = logging.getLogger(__name__)

#: How long a session that was found going on is believed to.
KNOWN_SECS = 30
#: Somebody who signs out does not wait longer than this for the store.
PATIENCE_SECS = 5.0
_MOST_KNOWN = 10_000


class EndedSessions:
    """Told to all kit tables of the process, asked of the first one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._stores: list[AsyncDb] = []
        self._ended: OrderedDict[str, None] = OrderedDict()
        #: When each was last found to go on.
        self._going_on: OrderedDict[str, float] = OrderedDict()

    def attach(self, db: AsyncDb) -> None:
        """Keep them in the kit table of this one, too."""
        self._stores.append(db)

    async def end(self, session: Session) -> None:
        """End a session, in this process even if the store cannot be told."""
        self._learn(session.id)
        expires = datetime.fromtimestamp(session.ends, UTC)
        op = end_session(EndedSession(session_id=session.id, expires_at=expires))
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                await asyncio.gather(*(store.run(op) for store in self._stores))
        except (TablewrightError, TimeoutError) as error:
            log.warning("the end of a session could not be stored: %r", error)

    async def has(self, session: Session) -> bool:
        """Whether a session was ended. A store that cannot be asked raises what it raises."""
        if self.known(session):
            return True
        age = self._clock.now() - self._going_on.get(session.id, float("-inf"))
        if 0 <= age < KNOWN_SECS or not self._stores:
            return False
        if await self._stores[0].run(ended_session(session.id)) is not None:
            self._learn(session.id)
        _keep(self._going_on, session.id, self._clock.now())
        # It may have been ended here while the store was asked.
        return self.known(session)

    def known(self, session: Session) -> bool:
        """Whether this process knows that a session was ended."""
        return session.id in self._ended

    def _learn(self, session_id: str) -> None:
        _keep(self._ended, session_id, None)


def _keep(known: OrderedDict[str, T], session_id: str, value: T) -> None:
    known[session_id] = value
    known.move_to_end(session_id)
    if len(known) > _MOST_KNOWN:
        known.popitem(last=False)
