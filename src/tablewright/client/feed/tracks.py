"""The shards that a feed follows, and how eagerly.

A stream is a forest of shards: each is closed after some hours, and its children go on. All
changes of an item are in one shard or in its descendants, so they come in order if a child is read
only after its parent's last record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tablewright.client.feed.checkpoints import Position
from tablewright.client.feed.streams import Shard

#: Reads without a record after which a shard has no more: a page may be empty in between.
_CAUGHT_UP = 3


@dataclass(frozen=True)
class Polling:
    """How eagerly to read. A shard allows five reads a second, by all its consumers together."""

    #: Records per request; the service gives at most 1000.
    page: int = 1000
    #: Seconds between two reads of a shard. After a full page there is no wait.
    least: float = 0.2
    #: Seconds between two reads of a shard where nothing happens.
    most: float = 1.0
    #: Seconds between two looks for new shards. After the end of one, looks are more frequent.
    relist: float = 30.0
    #: Seconds between two checkpoints where nothing was delivered.
    refresh: float = 900.0


@dataclass(eq=False)
class Track:
    """One shard that is followed."""

    shard: Shard
    #: Up to where it was read, and up to where the checkpoint says so.
    position: Position
    saved: Position
    #: Every change of the shard up to this moment is handled; None if that was never so.
    seen: float | None
    iterator: str | None = None
    #: Records before this moment are older than the feed's first start.
    since: float | None = None
    #: Whether changes were delivered that are not committed.
    delivered: bool = False
    #: Whether it was looked at already what a start at the oldest record leaves out.
    judged: bool = False
    due: float = 0.0
    last_read: float = 0.0
    #: Reads in a row without a record, and how long to wait after the next one.
    empty: int = 0
    wait: float = 0.0

    def begin_read(self, now: float, polling: Polling) -> None:
        self.last_read = now
        self.due = now + polling.least

    def end_read(self, records: int, asked: float, polling: Polling) -> None:
        """When to read it again, after a page of so many records."""
        if records:
            self.empty, self.wait = 0, polling.least
            if records >= polling.page:
                self.due = self.last_read
            return
        self.empty += 1
        self.wait = min(polling.most, max(polling.least, self.wait * 2))
        self.due = self.last_read + self.wait
        if not self.delivered and (self.empty >= _CAUGHT_UP or self.position.done):
            self.seen = asked

    def finish(self) -> None:
        self.position = replace(self.position, done=True)
        self.iterator = None

    def rewind(self) -> None:
        """Back to the checkpoint, if changes were delivered since."""
        if self.delivered:
            self.position = self.saved
            self.iterator = None
            self.delivered = self.judged = False
            self.due = 0.0


class Tracks:
    """All of them, by the shard's id."""

    def __init__(self) -> None:
        self._tracks: dict[str, Track] = {}

    def __iter__(self) -> Iterator[Track]:
        return iter(list(self._tracks.values()))

    def __len__(self) -> int:
        return len(self._tracks)

    def __contains__(self, shard: str) -> bool:
        return shard in self._tracks

    def __getitem__(self, shard: str) -> Track:
        return self._tracks[shard]

    def add(self, track: Track) -> None:
        self._tracks[track.shard.id] = track

    def drop(self, shard: str) -> None:
        del self._tracks[shard]

    def clear(self) -> None:
        self._tracks.clear()

    def parent(self, shard: Shard) -> Track | None:
        return self._tracks.get(shard.parent or "")

    def readable(self) -> list[Track]:
        """Those that are not at their end, and whose ancestors all are."""
        return [
            track
            for track in self._tracks.values()
            if not track.position.done and self._is_next(track.shard)
        ]

    def _is_next(self, shard: Shard) -> bool:
        # All of them, not only the parent: one that was rewound has read descendants for a while.
        parent = self.parent(shard)
        while parent is not None:
            if not parent.position.done:
                return False
            parent = self.parent(parent.shard)
        return True

    def ready(self, now: float) -> list[Track]:
        """Those that may be read now; the one that waited longest is first."""
        due = (track for track in self.readable() if track.due <= now)
        return sorted(due, key=lambda track: track.last_read)

    @property
    def all_done(self) -> bool:
        return all(track.position.done for track in self._tracks.values())

    def watermark(self) -> float | None:
        """Every change up to this moment is handled; None if that was never so."""
        # A shard that is over counts until its children, which go on from there, are followed.
        parents = {track.shard.parent for track in self._tracks.values()}
        counting = [
            track.seen
            for track in self._tracks.values()
            if not (track.saved.done and track.shard.id in parents)
        ]
        known = [seen for seen in counting if seen is not None]
        return min(known, default=None) if len(known) == len(counting) else None
