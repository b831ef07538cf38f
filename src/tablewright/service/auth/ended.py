"""Sessions that were ended before their time."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from datetime import UTC, datetime

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.service.auth.sessions import Session
from tablewright.service.kit.entities import EndedSession
from tablewright.service.kit.patterns import end_session, ended_session

log = logging.getLogger(__name__)

#: How long a session that was found going on is believed to.
KNOWN_SECS = 30
_MOST_KNOWN = 10_000


class EndedSessions:
    """Told to all kit tables of the process, asked of the first one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._stores: list[AsyncDb] = []
        #: Until when to believe that a session has ended, or that it has not.
        self._known: OrderedDict[str, tuple[bool, float]] = OrderedDict()

    def attach(self, db: AsyncDb) -> None:
        """Keep them in the kit table of this one, too."""
        self._stores.append(db)

    async def end(self, session: Session) -> None:
        """End a session, in this process even if the store cannot be told."""
        self._learn(session.id, True, session.ends)
        expires = datetime.fromtimestamp(session.ends, UTC)
        op = end_session(EndedSession(session_id=session.id, expires_at=expires))
        told = await asyncio.gather(
            *(store.run(op) for store in self._stores), return_exceptions=True
        )
        for error in told:
            if isinstance(error, BaseException):
                log.warning("the end of a session could not be stored: %s", error)

    async def has(self, session: Session) -> bool:
        """Whether a session was ended. A store that cannot be asked raises what it raises."""
        ended, until = self._known.get(session.id, (False, 0.0))
        if self._clock.now() < until:
            return ended
        if self._stores:
            ended = await self._stores[0].run(ended_session(session.id)) is not None
        self._learn(session.id, ended, session.ends if ended else self._clock.now() + KNOWN_SECS)
        return ended

    def known(self, session: Session) -> bool:
        """Whether this process knows that a session was ended."""
        return self._known.get(session.id, (False, 0.0))[0]

    def _learn(self, session_id: str, ended: bool, until: float) -> None:
        self._known[session_id] = (ended, until)
        self._known.move_to_end(session_id)
        if len(self._known) > _MOST_KNOWN:
            self._known.popitem(last=False)
