"""Sessions that are ended before their time: by signing out, or by an administrator.

A session is a signed cookie, which says who signed in and with which roles. Two kinds of items in
the kit table end it early: its own id, when somebody signs out, and a cutoff for a person, before
which no session of theirs counts. Both are read with every request that comes with a cookie,
consistently, so that an end takes effect at once in every process of a system.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import ConditionFailed, TablewrightError
from tablewright.service.auth.principal import Principal
from tablewright.service.auth.sessions import MOST_SESSION_HOURS, Session
from tablewright.service.email_addresses import comparison_key
from tablewright.service.kit.entities import EndedSession, SessionCutoff
from tablewright.service.kit.patterns import (
    end_session,
    ended_session,
    session_cutoff,
    set_session_cutoff,
    use_token,
)

T = TypeVar("T")

log = logging.getLogger(__name__)

#: Somebody who signs out does not wait longer than this for the store.
PATIENCE_SECS = 5.0
_MOST_KNOWN = 10_000


class EndedSessions:
    """Written to all kit tables of the process, read from the first one."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._stores: list[AsyncDb] = []
        self._ended: OrderedDict[str, None] = OrderedDict()

    def attach(self, db: AsyncDb) -> None:
        """Keep them in the kit table of this one, too."""
        self._stores.append(db)

    async def end(self, session: Session) -> None:
        """End a session, in this process even if the store cannot be written."""
        self._learn(session.id)
        expires = datetime.fromtimestamp(session.ends, UTC)
        op = end_session(EndedSession(session_id=session.id, expires_at=expires))
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                await asyncio.gather(*(store.run(op) for store in self._stores))
        except (TablewrightError, TimeoutError) as error:
            log.warning("the end of a session could not be stored: %r", error)

    async def use_once(self, token: str, expires: datetime) -> bool:
        """Tell whether a token is used for the first time; False for every later call.

        One conditional write in the first kit table. While the store cannot be written, only this
        process knows what was used: nobody is kept from signing in by that.
        """
        if token in self._ended:
            return False
        self._learn(token)
        if not self._stores:
            return True
        op = use_token(EndedSession(session_id=token, expires_at=expires))
        try:
            async with asyncio.timeout(PATIENCE_SECS):
                await self._stores[0].run(op)
        except ConditionFailed:
            return False
        except (TablewrightError, TimeoutError) as error:
            log.warning("the use of a sign-in could not be stored: %r", error)
        return True

    async def end_all(self, person: str) -> None:
        """End all sessions of a person, known by id or e-mail address, that have begun by now.

        A store that cannot be written raises; ending them once more is harmless.
        """
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        op = set_session_cutoff(
            SessionCutoff(
                person_hash=_hash_of(person),
                not_before=now,
                expires_at=now + timedelta(hours=MOST_SESSION_HOURS),
            )
        )
        for store in self._stores:
            try:
                await store.run(op)
            except ConditionFailed:
                continue  # a later cutoff is there already

    async def has(self, session: Session) -> bool:
        """Tell whether a session was ended. A store that cannot be read raises what it raises."""
        if self.known(session):
            return True
        if not self._stores:
            return False
        store = self._stores[0]
        ended, cutoffs = await asyncio.gather(
            store.run(ended_session(session.id)),
            asyncio.gather(
                *(store.run(session_cutoff(each)) for each in _hashes_of(session.principal))
            ),
        )
        if ended is not None or any(_is_before(session, cutoff) for cutoff in cutoffs):
            self._learn(session.id)
        # It may have been ended here while the store was read.
        return self.known(session)

    def known(self, session: Session) -> bool:
        """Tell whether this process knows that a session was ended."""
        return session.id in self._ended

    def _learn(self, session_id: str) -> None:
        _keep(self._ended, session_id, None)


def _is_before(session: Session, cutoff: SessionCutoff | None) -> bool:
    return cutoff is not None and session.started <= cutoff.not_before.timestamp()


def _hashes_of(principal: Principal) -> Iterator[str]:
    yield _hash_of(principal.id)
    address = principal.claims.get("email")
    if isinstance(address, str) and address != principal.id:
        yield _hash_of(address)


def _hash_of(person: str) -> str:
    text = comparison_key(person) if "@" in person else person.strip()
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _keep(known: OrderedDict[str, T], session_id: str, value: T) -> None:
    known[session_id] = value
    known.move_to_end(session_id)
    if len(known) > _MOST_KNOWN:
        known.popitem(last=False)
