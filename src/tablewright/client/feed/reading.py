"""Reading one page of one shard, and noticing what is missing.

Theory of operation. A stream drops records after 24 hours, and says so only to those who ask for a
dropped one by its number. So a track also knows a moment up to which every change is handled,
``seen``; the least of all tracks is kept with the checkpoints. If it is younger than 24 hours,
nothing unread was dropped, whatever the service says; if it is older, changes may be lost, and the
policy for gaps decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tablewright.client.feed.change import Change
from tablewright.client.feed.checkpoints import Position
from tablewright.client.feed.gaps import Gaps
from tablewright.client.feed.records import Decoder, moment_of
from tablewright.client.feed.streams import (
    Gone,
    IteratorExpired,
    RecordPage,
    Streams,
    TooFast,
    Trimmed,
)
from tablewright.client.feed.tracks import Polling, Track
from tablewright.client.steps import Flow
from tablewright.model.errors import DataError

#: How long a stream keeps its records.
RETENTION = 24 * 3600.0
#: How far the clocks of this machine and of the service may be apart.
_SKEW = 2.0


@dataclass(frozen=True)
class Reading:
    """Reads the tracks of one feed."""

    streams: Streams
    decoder: Decoder
    gaps: Gaps
    polling: Polling
    timer: Callable[[], float]

    def read(self, arn: str, track: Track) -> Flow[list[Change]]:
        """The next changes of the shard; its track moves on, or says when to come again."""
        asked = self.streams.context.clock.now()
        track.begin_read(self.timer(), self.polling)
        try:
            if track.iterator is None:
                track.iterator = yield from self._seek(arn, track)
            page = yield from self.streams.records(
                track.iterator, self.polling.page, self.decoder.read
            )
        except IteratorExpired:
            track.iterator = None
            track.due = track.last_read
            return []
        except Trimmed:
            self._skip_ahead(track)
            return []
        except Gone:
            self._judge(track)
            track.finish()
            return []
        except TooFast:
            track.due = track.last_read + self.polling.most
            return []
        changes = self._changes(track, page)
        track.delivered = track.delivered or bool(changes)
        track.end_read(len(page.records), asked, self.polling)
        return changes

    def _changes(self, track: Track, page: RecordPage) -> list[Change]:
        changes: list[Change] = []
        for record in page.records:
            if track.since is None or moment_of(record).timestamp() >= track.since:
                try:
                    change = self.decoder.change(record, track.shard.id)
                except DataError:
                    # What is before it is delivered first; the next read begins with it again.
                    track.iterator = None
                    if changes:
                        return changes
                    raise
                if change is not None:
                    changes.append(change)
            track.position = Position(record["dynamodb"]["SequenceNumber"])
            track.judged = False
        track.iterator = page.next
        if page.next is None:
            track.finish()
        return changes

    def _seek(self, arn: str, track: Track) -> Flow[str]:
        """An iterator at the track's position; raises :class:`Trimmed` or :class:`Gone`."""
        position = track.position
        track.since = None
        if position.sequence is None:
            self._judge(track)
            if position.since is not None:
                # Records tell their time in whole seconds.
                track.since = float(int(position.since)) - _SKEW
        return (yield from self.streams.iterator(arn, track.shard.id, position))

    # --- gaps ------------------------------------------------------------------------

    def _skip_ahead(self, track: Track) -> None:
        """Go on with the oldest record there is."""
        self._judge(track)
        track.iterator = None
        track.position = replace(track.position, sequence=None)

    def _judge(self, track: Track) -> None:
        """Report if unread changes may be among the records that the stream has dropped."""
        if track.judged:
            return
        now = self.streams.context.clock.now()
        position = track.position
        # Nothing was promised to a feed that asked for the oldest record and never got one.
        lost = position.sequence is not None if track.seen is None else now - track.seen > RETENTION
        if lost:
            self.gaps.expired(track.shard.id, position.sequence, track.seen)
            track.seen = None
        track.judged = True
