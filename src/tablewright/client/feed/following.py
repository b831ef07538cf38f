"""The core of a feed: what to read next, what to deliver, what to commit. Flows, no I/O.

Theory of operation. Each shard has a :class:`Track` with a ``position`` (up to where it was read)
and the position that is ``saved``. What is between them and was delivered comes again after a
crash, or after ``rewind``: at least once.

A checkpoint moves when the caller commits what was delivered. Where nothing was delivered (other
entities, the feed's own bookkeeping) it is moved now and then: if checkpoints are kept in the very
table that is consumed, writing one after each page would make the next page.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Literal, TypeAlias

from tablewright.client.context import Context
from tablewright.client.feed.change import Change
from tablewright.client.feed.checkpoints import Checkpoints, Claim, Position
from tablewright.client.feed.errors import ConsumerReplaced
from tablewright.client.feed.gaps import Gaps
from tablewright.client.feed.reading import Reading
from tablewright.client.feed.records import Decoder
from tablewright.client.feed.streams import Gone, Listing, Streams
from tablewright.client.feed.tracks import Polling, Track, Tracks
from tablewright.client.steps import Flow
from tablewright.model.errors import RequestError

Start: TypeAlias = Literal["oldest", "latest"]


class Following:
    """One consumer's way through one table's stream."""

    def __init__(
        self,
        streams: Streams,
        decoder: Decoder,
        checkpoints: Checkpoints,
        gaps: Gaps,
        start: Start = "oldest",
        polling: Polling | None = None,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._streams = streams
        self._context: Context = streams.context
        self._checkpoints = checkpoints
        self._gaps = gaps
        self._start = start
        self._polling = polling or Polling()
        self._timer = timer
        self._reading = Reading(streams, decoder, gaps, self._polling, timer)
        self._claim: Claim | None = None
        self._replaced: ConsumerReplaced | None = None
        self._arn = ""
        self._tracks = Tracks()
        self._delivered: list[Change] = []
        self._relist_at = self._relist_wait = 0.0
        self._refreshed = 0.0
        self._noted = False

    # --- starting --------------------------------------------------------------------

    def begin(self) -> Flow[None]:
        """Claim the consumer's name and find the shards. Does nothing the second time."""
        self._check_owner()
        if self._claim is not None:
            return
        claim = yield from self._checkpoints.claim(self._context, self._gaps.consumer)
        self._tracks.clear()
        yield from self._fenced(self._find_shards(claim))
        now = self._timer()
        self._relist_later(now, self._polling.relist if self._tracks else self._polling.least)
        self._refreshed = now
        self._claim = claim

    def _find_shards(self, claim: Claim) -> Flow[None]:
        if claim.stream is not None:
            yield from self._find_again(claim, claim.stream)
            return
        newest = self._start == "latest"
        seen = self._context.clock.now() if newest else None
        self._arn = yield from self._streams.latest()
        listing = yield from self._streams.listing(self._arn)
        yield from self._open(claim, listing, seen, newest)
        yield from self._checkpoints.note(self._context, claim, self._arn, seen)

    def _listed_again(self, stream: str) -> Flow[Listing | None]:
        """None if it is gone, or never was a stream of this table."""
        if not self._streams.has(stream):
            return None
        try:
            return (yield from self._streams.listing(stream))
        except Gone:
            return None

    def _find_again(self, claim: Claim, stream: str) -> Flow[None]:
        """The shards of the stream that was read last, or of the next one if it is gone."""
        seen = claim.seen_at
        listing = yield from self._listed_again(stream)
        if listing is None:
            self._gaps.expired(None, None, seen)
            following = yield from self._streams.following(stream)
            stream = following or (yield from self._streams.latest())
            listing = yield from self._streams.listing(stream)
            seen = None
        self._arn = stream
        yield from self._open(claim, listing, seen)

    def _open(
        self, claim: Claim, listing: Listing, seen: float | None, newest: bool = False
    ) -> Flow[None]:
        """Follow the shards that are not followed yet; ``newest`` leaves out what is there."""
        shards = [shard for shard in listing.shards if shard.id not in self._tracks]
        ids = [shard.id for shard in shards]
        known = yield from self._checkpoints.open(self._context, claim, ids)
        for shard in shards:
            position = known.get(shard.id)
            iterator: str | None = None
            if position is None:
                position = Position()
                if newest and shard.closed:
                    position = Position(done=True)
                elif newest:
                    # The iterator is the place; the moment finds it again should that expire.
                    position = Position(since=self._context.clock.now())
                    iterator = yield from self._streams.newest(self._arn, shard.id)
                yield from self._checkpoints.create(self._context, claim, shard.id, position)
            parent = self._tracks.parent(shard)
            handled = seen if parent is None else parent.seen
            self._tracks.add(Track(shard, position, position, handled, iterator))

    # --- reading ---------------------------------------------------------------------

    def poll(self) -> Flow[list[Change]]:
        """The next changes of one shard; none if no shard that is due has any."""
        yield from self.begin()
        if self._timer() >= self._relist_at:
            yield from self._relist()
        yield from self._refresh()
        for track in self._tracks.ready(self._timer()):
            changes = yield from self._reading.read(self._arn, track)
            if track.position.done:
                # Its children are there, or will be soon.
                self._relist_later(self._timer(), 0.0)
            if changes:
                self._delivered += changes
                return changes
        return []

    def idle(self) -> float:
        """Seconds until there is something to do."""
        if self._claim is None:
            return 0.0
        due = [self._relist_at, *(track.due for track in self._tracks.readable())]
        return max(0.0, min(due) - self._timer())

    # --- committing ------------------------------------------------------------------

    def commit(self, through: Change | None = None) -> Flow[None]:
        """What was delivered is handled: all of it, or up to one change."""
        self._check_owner()
        count = len(self._delivered) if through is None else self._place(through) + 1
        handled, left = self._delivered[:count], self._delivered[count:]
        waiting = {change.shard for change in left}
        # In the order of delivery, so that a parent is saved before its children.
        for shard, change in {change.shard: change for change in handled}.items():
            track = self._tracks[shard]
            whole = shard not in waiting
            yield from self._save(track, track.position if whole else Position(change.sequence))
            track.delivered = not whole
            track.seen = max(track.seen or 0.0, change.at.timestamp())
        self._delivered = left

    def rewind(self) -> None:
        """Deliver again what was not committed."""
        self._delivered.clear()
        for track in self._tracks:
            track.rewind()

    def settle(self) -> Flow[None]:
        """Save what was read although nothing of it was delivered: before a stop."""
        if self._claim is not None and self._replaced is None:
            yield from self._refresh(now=True)

    def _place(self, change: Change) -> int:
        for place, each in enumerate(self._delivered):
            if each.shard == change.shard and each.sequence == change.sequence:
                return place
        raise RequestError(f"{change} is not among what was delivered and not yet committed")

    def _save(self, track: Track, position: Position) -> Flow[None]:
        if position != track.saved:
            save = self._checkpoints.save
            yield from self._fenced(save(self._context, self._claimed(), track.shard.id, position))
            track.saved = position

    def _refresh(self, now: bool = False) -> Flow[None]:
        """Move the checkpoints of shards where nothing was delivered, now and then."""
        if self._delivered:
            return
        seen = self._tracks.watermark()
        elapsed = self._timer() - self._refreshed
        if now or elapsed >= self._polling.refresh or (seen is not None and not self._noted):
            for track in self._tracks:
                yield from self._save(track, track.position)
            yield from self._note(seen)
            self._refreshed = self._timer()

    def _note(self, seen: float | None) -> Flow[None]:
        if seen is not None:
            note = self._checkpoints.note
            yield from self._fenced(note(self._context, self._claimed(), self._arn, seen))
            self._noted = True

    def _claimed(self) -> Claim:
        if self._claim is None:
            raise RequestError("there is nothing to commit: nothing was polled yet")
        return self._claim

    def _check_owner(self) -> None:
        if self._replaced is not None:
            raise self._replaced

    def _fenced(self, flow: Flow[None]) -> Flow[None]:
        """A write that shows whether this is still the latest start; if not, this feed is over."""
        try:
            yield from flow
        except ConsumerReplaced as replaced:
            self._replaced = replaced
            raise

    # --- shards that come and go -------------------------------------------------------

    def _relist(self) -> Flow[None]:
        before = len(self._tracks)
        try:
            listing = yield from self._streams.listing(self._arn)
        except Gone:
            # A day after it was switched off; reading its shards tells what that means.
            listing = Listing((), ended=True)
        else:
            yield from self._fenced(self._open(self._claimed(), listing, self._tracks.watermark()))
            yield from self._tidy(listing)
        if listing.ended:
            yield from self._move_on()
        if len(self._tracks) > before:
            self._relist_wait = self._polling.relist
        self._relist_later(self._timer(), max(self._relist_wait * 2, self._polling.least, 0.01))

    def _relist_later(self, now: float, wait: float) -> None:
        self._relist_wait = min(self._polling.relist, wait)
        self._relist_at = now + self._relist_wait

    def _tidy(self, listing: Listing) -> Flow[None]:
        """Forget shards that are done and that the service has forgotten too."""
        listed = {shard.id for shard in listing.shards}
        yield from self._forget(
            track.shard.id
            for track in self._tracks
            if track.saved.done and track.shard.id not in listed
        )

    def _move_on(self) -> Flow[None]:
        """From a stream that was switched off and read to its end to the table's next one."""
        if self._delivered or not self._tracks.all_done:
            return
        following = yield from self._streams.following(self._arn)
        if following is None:
            return
        self._gaps.switched_off(self._tracks.watermark())
        listing = yield from self._streams.listing(following)
        for track in self._tracks:
            yield from self._save(track, track.position)
        old = [track.shard.id for track in self._tracks]
        note = self._checkpoints.note
        yield from self._fenced(note(self._context, self._claimed(), following, None))
        self._arn = following
        yield from self._forget(old)
        yield from self._fenced(self._open(self._claimed(), listing, None))

    def _forget(self, shards: Iterable[str]) -> Flow[None]:
        over = list(shards)
        if over:
            forget = self._checkpoints.forget
            yield from self._fenced(forget(self._context, self._claimed(), over))
        for shard in over:
            self._tracks.drop(shard)
