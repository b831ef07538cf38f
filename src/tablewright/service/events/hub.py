"""Publishing events, and the streams that readers get.

Events of a topic live in the memory of the process that published them: in the queue of every
reader, and for a while in a ring, for readers that were cut off. Lasting events are written to the
table by :meth:`Events.entry` and told by every process. A reader that comes back gets what it
missed; if that is not known any more, it gets ``resync`` and the whole picture again.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from pydantic import JsonValue

from tablewright.client import AsyncDb
from tablewright.clock import Clock, SystemClock
from tablewright.model import Put
from tablewright.model.errors import TablewrightError
from tablewright.service.events.lasting import USUAL, Keeping, Lookout, missed
from tablewright.service.events.positions import Position, first_entry, parse
from tablewright.service.events.readers import MOST_WAITING, Reader
from tablewright.service.events.wire import HEADERS, HEARTBEAT, RETRY, Event, checked, lines
from tablewright.service.kit.entities import FeedEntry
from tablewright.service.kit.moments import Moment, moment
from tablewright.service.kit.patterns import add_event
from tablewright.service.problems import Problem
from tablewright.service.streaming import watched

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import StreamingResponse

logger = logging.getLogger(__name__)

#: The whole picture, for a reader that has none or too old a one.
Snapshot: TypeAlias = Callable[[], Awaitable[Mapping[str, object]]]
#: The data of an event in another form than JSON, such as a piece of a page.
Render: TypeAlias = Callable[[Event], str]

RESYNC, SNAPSHOT = "resync", "snapshot"


class Events:
    """The events of one system, in one process."""

    def __init__(
        self,
        db: AsyncDb | None = None,
        clock: Clock | None = None,
        *,
        ring: int = 1000,
        heartbeat_secs: float = 15.0,
        lifetime_secs: float = 1800.0,
        most_readers: int = 2000,
    ) -> None:
        self._db = db
        self._clock = clock or SystemClock()
        self._ring: deque[Event] = deque(maxlen=ring)
        self._heartbeat = heartbeat_secs
        # Who reads for ever would never be asked again who they are.
        self._lifetime = lifetime_secs
        self._most_readers = most_readers
        self._process = secrets.token_hex(4)
        self._number = 0
        self._readers: set[Reader] = set()
        self._lookouts: dict[str, Lookout] = {}
        self._keeping: dict[str, Keeping] = {}
        self._closed = False

    # --- publishing ----------------------------------------------------------------------

    def publish(self, topic: str, kind: str, data: Mapping[str, object]) -> None:
        """Tell the readers of ``topic`` in this process; call it in the event loop."""
        self._number += 1
        event = Event(checked(topic), checked(kind), data, number=self._number)
        self._ring.append(event)
        self._tell(event)

    def entry(
        self, topic: str, kind: str, data: Mapping[str, JsonValue], *, at: Moment
    ) -> Put[FeedEntry]:
        """A lasting event, to join the transaction that it tells of; then :meth:`wake`."""
        when = moment(at)
        kept = FeedEntry(
            topic=checked(topic),
            kind=checked(kind),
            data=dict(data),
            at=when,
            expires_at=when + timedelta(seconds=self.keeping(topic).secs),
        )
        return add_event(kept)

    def keep(self, topic: str, keeping: Keeping) -> None:
        """How the lasting events of a topic are kept, where it is not as usual."""
        self._keeping[checked(topic)] = keeping

    def keeping(self, topic: str) -> Keeping:
        """How the lasting events of a topic are kept."""
        return self._keeping.get(topic, USUAL)

    def last(self, topic: str) -> str | None:
        """The last numbered event that was told here; None while nobody reads the topic."""
        lookout = self._lookouts.get(topic)
        return None if lookout is None else lookout.last

    def wake(self) -> None:
        """Lasting events were written here: tell them now rather than a second later."""
        for lookout in self._lookouts.values():
            lookout.wake()

    def close(self) -> None:
        """End all streams; for a process that stops, while it still answers."""
        self._closed = True
        for reader in self._readers:
            reader.end()

    @property
    def readers(self) -> int:
        """How many streams are open."""
        return len(self._readers)

    def readers_of(self, topic: str) -> int:
        """How many of them are about a topic."""
        return sum(topic in reader.topics for reader in self._readers)

    def _tell(self, event: Event) -> None:
        for reader in self._readers:
            if event.topic in reader.topics:
                reader.give(event)

    # --- reading -------------------------------------------------------------------------

    def stream(
        self,
        request: Request,
        topics: Collection[str],
        *,
        lasting: Collection[str] = (),
        snapshot: Snapshot | None = None,
        render: Render | None = None,
        most_waiting: int = MOST_WAITING,
    ) -> StreamingResponse:
        """What happens on these topics from now on, or since ``Last-Event-ID``.

        ``lasting`` names the topics among them whose events are in the table. The snapshot goes
        first to readers that have nothing, and to those that missed too much. A reader for whom
        more than ``most_waiting`` wait gets it anew; without a snapshot, its stream ends.
        """
        from starlette.responses import StreamingResponse

        if self._closed or len(self._readers) >= self._most_readers:
            detail = "There are too many open streams. Try again later."
            raise Problem(503, "TOO_MANY_STREAMS", detail, headers={"Retry-After": "30"})
        if isinstance(topics, str) or isinstance(lasting, str):
            raise TypeError("give the names of topics as a list")
        if lasting and self._db is None:
            raise ValueError("lasting events need a database")
        given = request.headers.get("last-event-id") or request.query_params.get("last_event_id")
        watched(request.scope)
        reader = Reader(frozenset((*topics, *lasting)), most_waiting)
        reading = _Reading(self, reader, frozenset(lasting), render)
        text = reading.text(parse(given), snapshot)
        return StreamingResponse(text, media_type="text/event-stream", headers=HEADERS)


class _Reading:
    """One stream, from its first line to its last."""

    def __init__(
        self,
        events: Events,
        reader: Reader,
        lasting: frozenset[str],
        render: Render | None,
    ) -> None:
        self._events = events
        self._lasting = lasting
        self._render = render
        self._reader = reader
        self._position = self._now()
        #: Lasting events that were told from the table already.
        self._told: set[str] = set()

    async def text(self, last: Position | None, snapshot: Snapshot | None) -> AsyncIterator[bytes]:
        self._join()
        try:
            yield RETRY
            async for chunk in self._beginning(last, snapshot):
                yield chunk
            async for chunk in self._rest(snapshot):
                yield chunk
        except TablewrightError as error:
            # The answer has begun: all that can be said is to come back.
            logger.warning("a stream of events ends: %s", error)
            yield lines(RESYNC, "{}")
        finally:
            self._leave()

    def _now(self) -> Position:
        events = self._events
        entry = first_entry(events._clock.now())
        if (lookout := self._numbered()) is not None:
            entry = lookout.last
        return Position(events._process, events._number, entry)

    def _numbered(self) -> Lookout | None:
        """What finds the events, if they are numbered: then the place is known exactly."""
        if len(self._lasting) != 1:
            return None
        lookout = self._events._lookouts.get(next(iter(self._lasting)))
        return lookout if lookout is not None and lookout.keeping.numbered else None

    def _join(self) -> None:
        """Before anything is read, so that nothing falls between."""
        events = self._events
        self._position = self._now()
        if events._closed:
            self._reader.end()
        events._readers.add(self._reader)
        for topic in self._lasting:
            lookout = events._lookouts.get(topic)
            if lookout is None:
                assert events._db is not None
                keeping = events.keeping(topic)
                lookout = Lookout(events._db, events._clock, topic, events._tell, keeping)
                events._lookouts[topic] = lookout
            lookout.readers += 1

    def _leave(self) -> None:
        events = self._events
        events._readers.discard(self._reader)
        for topic in self._lasting:
            lookout = events._lookouts[topic]
            lookout.readers -= 1
            if lookout.readers == 0:
                events._lookouts.pop(topic).stop()

    async def _beginning(
        self, last: Position | None, snapshot: Snapshot | None
    ) -> AsyncIterator[bytes]:
        """What was missed, or the whole picture."""
        for topic in self._lasting:
            await self._events._lookouts[topic].ready.wait()
        if (numbered := self._numbered()) is not None:
            self._position = self._position.after(entry=numbered.last)
        if last is not None:
            since = await self._missed(last)
            if since is not None:
                if self._numbered() is not None:
                    # Another process may have told it more than this one knows.
                    furthest = max(self._position.entry, last.entry)
                    self._position = self._position.after(entry=furthest)
                for event in since:
                    yield self._line(event)
                return
            yield lines(RESYNC, "{}", self._position.text)
        if snapshot is not None:
            yield await self._whole(snapshot)

    async def _whole(self, snapshot: Snapshot) -> bytes:
        text = Event("", SNAPSHOT, await snapshot()).text
        return lines(SNAPSHOT, text, self._position.text)

    async def _missed(self, last: Position) -> list[Event] | None:
        """The events since ``last``; None if that cannot be known any more."""
        found = self._missed_in_memory(last)
        if found is None:
            return None
        for topic in sorted(self._lasting):
            assert self._events._db is not None
            now, keeping = self._events._clock.now(), self._events.keeping(topic)
            kept = await missed(self._events._db, topic, last.entry, now, keeping)
            if kept is None:
                return None
            found += kept
        self._told = {event.entry for event in found if event.entry}
        return found

    def _is_told(self, event: Event) -> bool:
        if not event.entry:
            return False
        if self._numbered() is not None:
            return event.entry <= self._position.entry
        return event.entry in self._told

    def _missed_in_memory(self, last: Position) -> list[Event] | None:
        if self._reader.topics == self._lasting:
            return []
        if last.process != self._events._process:
            return None
        now = self._position.number
        kept = [event for event in self._events._ring if last.number < event.number <= now]
        if len(kept) != max(0, now - last.number):
            return None
        return [event for event in kept if event.topic in self._reader.topics]

    async def _rest(self, snapshot: Snapshot | None) -> AsyncIterator[bytes]:
        """What happens from now on, until one side has had enough."""
        events, reader = self._events, self._reader
        ends = time.monotonic() + events._lifetime
        while time.monotonic() < ends:
            taken = await reader.take(min(events._heartbeat, max(0.0, ends - time.monotonic())))
            for event in taken:
                if not self._is_told(event):
                    yield self._line(event)
            if reader.behind:
                if snapshot is None:
                    yield lines(RESYNC, "{}")
                    return
                reader.catch_up()
                self._position = self._now()
                yield lines(RESYNC, "{}", self._position.text)
                yield await self._whole(snapshot)
                continue
            if reader.ended:
                return
            if not taken:
                yield HEARTBEAT

    def _line(self, event: Event) -> bytes:
        self._position = self._position.after(number=event.number, entry=event.entry)
        text = event.text if self._render is None else self._render(event)
        return lines(event.kind, text, self._position.text)
