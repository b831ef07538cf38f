"""The use cases at an earlier moment, on the same tables."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from pydantic import JsonValue

from tablewright.clock import ManualClock, UlidSource
from tablewright.model import Put
from tablewright.service.kit.entities import OutboxEntry
from tablewright.service.kit.outbox.messages import long_sent
from tablewright.systems.ladders.live_demo.cast import Someone
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.company import Company
from tablewright.systems.ladders.service.messages import Messages


class Past:
    """The same company at whichever moment is told; one moment at a time."""

    def __init__(self, company: Company) -> None:
        self._clock = ManualClock(company.now().timestamp())
        runtime = replace(company.runtime, clock=self._clock, ids=UlidSource(self._clock))
        self.company = Company(runtime)
        self.company.messages = SentThen(self.company)
        self._callers: dict[str, Caller] = {}

    def at(self, moment: datetime) -> Company:
        """The company as it was then."""
        self._clock.set(moment.timestamp())
        return self.company

    async def caller(self, someone: Someone) -> Caller:
        """Somebody who signs in; roles do not change while the demo is made."""
        if someone.key not in self._callers:
            self._callers[someone.key] = await self.company.people.caller(someone.principal)
        return self._callers[someone.key]


class SentThen(Messages):
    """What people were told in the past has long arrived: nobody gets dozens of mails now."""

    def _queued(self, kind: str, person: str, body: dict[str, JsonValue]) -> Put[OutboxEntry]:
        return long_sent(super()._queued(kind, person, body))
