"""The worker that sends messages: at least once each, in order for each subject.

Theory of operation. A message waits in the slot of its subject, in the order of its key. The holder
of the slot's lease reads it from the front and sends the first message of each subject, then the
next one of that subject, and so on; subjects go on side by side. A message that was sent is moved
to the day it was sent on, in one transaction. Between sending and moving a crash may come: then it
is sent again, under the same id. A message that fails is put off for a while and holds up its own
subject alone; after many attempts it is moved to the dead letters, and its subject goes on.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tablewright.client import AsyncDb
from tablewright.clock import Clock
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.messages import Message, changed, given_up, sent
from tablewright.service.kit.outbox.sinks.addressed import AddressedSink
from tablewright.service.kit.outbox.sinks.base import SendFailed, Sink
from tablewright.service.kit.outbox.sinks.chosen import sinks_of
from tablewright.service.kit.outbox.sinks.people import AddressOf, people_sink
from tablewright.service.kit.patterns import messages_in, put_off_message
from tablewright.service.outbound import Outbound
from tablewright.service.workers import Held, Worker

if TYPE_CHECKING:
    from tablewright.service.metrics import Metrics
    from tablewright.service.runtime import Runtime

logger = logging.getLogger("tablewright.outbox")

#: A message is given up after so many attempts; with the pauses between them, after five hours.
MOST_ATTEMPTS = 15
_FIRST_PAUSE, _LONGEST_PAUSE = 5.0, 3600.0
#: Messages of one round, messages to look through for them, and subjects side by side.
_ROUND, _LOOKED_AT, _SIDE_BY_SIDE = 200, 5000, 8
#: A sink that has not answered by then has failed.
_SEND_SECS = 60.0
#: After so many failures one after the other a round ends: nobody is there to send to.
_MOST_FAILURES = 10


def worker(
    runtime: Runtime, own: Sequence[Sink] = (), address_of: AddressOf | None = None
) -> Worker:
    """The worker that sends the messages of a system, to where the settings say.

    What one of the system's own sinks takes goes nowhere else.
    """
    settings = runtime.settings
    outbound = Outbound(allow_local=settings.allow_local_webhooks)
    named = AddressedSink(runtime.keys, runtime.clock, outbound)
    sinks: list[Sink] = [named, *sinks_of(settings, runtime.clock)]
    if address_of is not None:
        sinks.append(people_sink(address_of, sinks, settings.smtp_from))
    counts = Counts(runtime.metrics, runtime.system)
    return Dispatcher(
        runtime.db, runtime.clock, runtime.system, sinks, own=own, counts=counts
    ).worker()


class Counts:
    """What happens to messages."""

    def __init__(self, metrics: Metrics, system: str) -> None:
        self._system = system
        self._messages = metrics.counter(
            "tablewright_outbox_messages", "Attempts to send messages", ("system", "outcome")
        )
        self._oldest = metrics.gauge(
            "tablewright_outbox_oldest_seconds",
            "How long the oldest message of a slot has waited",
            ("system", "slot"),
        )

    def ended(self, outcome: str) -> None:
        self._messages.labels(self._system, outcome).inc()

    def waited(self, slot: str, seconds: float) -> None:
        self._oldest.labels(self._system, slot).set(seconds)


@dataclass
class Attempt:
    """What came of sending one message to its sinks."""

    delivered: set[str]
    failures: list[SendFailed] = field(default_factory=list)

    @property
    def hopeless(self) -> bool:
        """Nothing that failed would work later."""
        return bool(self.failures) and all(each.permanent for each in self.failures)

    @property
    def lasting(self) -> bool:
        """Somebody wants it, however long that takes."""
        return any(each.lasting for each in self.failures)

    @property
    def error(self) -> str:
        return "; ".join(str(each) for each in self.failures)[:500]

    def pause(self, attempts: int) -> float:
        """How long to wait after so many attempts: longer each time, and as receivers ask."""
        backoff = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(attempts - 1, 20))
        asked = max((each.retry_after or 0.0 for each in self.failures), default=0.0)
        return max(backoff * random.uniform(0.8, 1.2), min(asked, _LONGEST_PAUSE))


class Going:
    """How a round is going."""

    def __init__(self) -> None:
        self.side_by_side = asyncio.Semaphore(_SIDE_BY_SIDE)
        #: One after the other, up to now.
        self.failures = 0

    @property
    def hopeless(self) -> bool:
        return self.failures >= _MOST_FAILURES


class Dispatcher:
    """Sends the messages of one system."""

    def __init__(
        self,
        db: AsyncDb,
        clock: Clock,
        system: str,
        sinks: Sequence[Sink],
        *,
        own: Sequence[Sink] = (),
        counts: Counts | None = None,
        most_attempts: int = MOST_ATTEMPTS,
    ) -> None:
        self._db = db
        self._clock = clock
        self._system = system
        self._sinks = tuple(sinks)
        self._own = tuple(own)
        self._counts = counts
        self._most_attempts = most_attempts

    def worker(self, every: float = 3.0) -> Worker:
        slots = tuple(f"{slot:02d}" for slot in range(OUTBOX_SLOTS))
        return Worker("outbox", every, self.run, slots, let_go=self._let_go, close=self.close)

    async def close(self) -> None:
        for sink in (*self._own, *self._sinks):
            await sink.close()

    async def run(self, held: Held) -> None:
        """Send what is due in one slot."""
        while await self._round(held.partition):
            pass

    async def _round(self, slot: str) -> bool:
        """Send some; whether there may be more that is due."""
        subjects: dict[str, list[OutboxEntry]] = {}
        due = 0
        async for entry in self._due(slot):
            subjects.setdefault(entry.subject, []).append(entry)
            due += 1
            if due == _ROUND:
                break
        going = Going()
        async with asyncio.TaskGroup() as tasks:
            chains = [
                tasks.create_task(self._chain(entries, going)) for entries in subjects.values()
            ]
        return due == _ROUND and not going.hopeless and any(chain.result() for chain in chains)

    async def _due(self, slot: str) -> AsyncIterator[OutboxEntry]:
        """Waiting messages, oldest first, without subjects whose first one is put off."""
        now, looked_at = self._clock.now(), 0
        held_up: set[str] = set()
        async for entry in self._db.iterate(messages_in(f"PENDING#{slot}")):
            if looked_at == 0:
                self._waited(slot, now - entry.at.timestamp())
            looked_at += 1
            if entry.retry_at is not None and entry.retry_at.timestamp() > now:
                held_up.add(entry.subject)
            if entry.subject not in held_up:
                yield entry
            if looked_at == _LOOKED_AT:
                logger.warning("slot %s of the outbox has more than %d waiting", slot, looked_at)
                return
        if looked_at == 0:
            self._waited(slot, 0.0)

    def _let_go(self, slot: str) -> None:
        """How long messages wait is told by the process that sends them, not by two."""
        self._waited(slot, 0.0)

    def _waited(self, slot: str, seconds: float) -> None:
        if self._counts is not None:
            self._counts.waited(slot, max(0.0, seconds))

    async def _chain(self, entries: Sequence[OutboxEntry], going: Going) -> int:
        """Send messages of one subject in order, up to the first that fails; how many went."""
        async with going.side_by_side:
            for number, entry in enumerate(entries):
                if going.hopeless:
                    return number
                attempt = await self._sent(entry)
                going.failures = going.failures + 1 if attempt.failures else 0
                if not await self._settle(entry, attempt):
                    return number
        return len(entries)

    async def _sent(self, entry: OutboxEntry) -> Attempt:
        message = Message.of(self._system, entry)
        attempt = Attempt(set(entry.delivered))
        for sink in self._takers(message):
            if sink.name in attempt.delivered:
                continue
            try:
                async with asyncio.timeout(_SEND_SECS):
                    await sink.send(message)
            except SendFailed as failed:
                attempt.failures.append(failed)
            except TimeoutError:
                attempt.failures.append(SendFailed(f"{sink.name} did not answer in time"))
            except Exception as error:
                logger.exception("sink %s failed on message %s", sink.name, entry.message_id)
                attempt.failures.append(SendFailed(f"{sink.name}: {type(error).__name__}"))
            else:
                attempt.delivered.add(sink.name)
        return attempt

    def _takers(self, message: Message) -> list[Sink]:
        own = [sink for sink in self._own if sink.takes(message)]
        return own or [sink for sink in self._sinks if sink.takes(message)]

    async def _settle(self, entry: OutboxEntry, attempt: Attempt) -> bool:
        """Write down what came of it; whether the subject may go on."""
        now = datetime.fromtimestamp(self._clock.now(), UTC)
        attempts = entry.attempts + 1
        try:
            if not attempt.failures:
                await self._db.run(sent(entry, now, attempt.delivered))
                outcome = "sent"
            elif attempt.hopeless or (attempts >= self._most_attempts and not attempt.lasting):
                await self._db.run(given_up(entry, now, attempt.delivered, attempt.error))
                outcome = "dead"
                logger.error("message %s is given up: %s", entry.message_id, attempt.error)
            else:
                await self._put_off(entry, attempt, attempts)
                outcome = "put_off"
        except (TransactionCancelled, ConditionFailed):
            # Another dispatcher has settled it: we had lost the lease without knowing.
            outcome = "settled_by_other"
        if self._counts is not None:
            self._counts.ended(outcome)
        return outcome in ("sent", "dead")

    async def _put_off(self, entry: OutboxEntry, attempt: Attempt, attempts: int) -> None:
        retry_at = datetime.fromtimestamp(self._clock.now() + attempt.pause(attempts), UTC)
        later = changed(
            entry,
            attempts=attempts,
            retry_at=retry_at,
            delivered=attempt.delivered,
            error=attempt.error,
        )
        await self._db.run(put_off_message(later, entry.attempts))
        logger.warning("message %s is put off: %s", entry.message_id, attempt.error)
