"""What only a feed raises; the whole tree is drawn in :mod:`tablewright.model.errors`.

A change whose item the model does not know is an ``UnknownEntity``, one whose item it cannot read
a ``DataError``; a table without a stream is a ``RequestError``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Literal

from tablewright.model.errors import TablewrightError

if TYPE_CHECKING:
    from tablewright.client.feed.change import Change


class FeedError(TablewrightError):
    """The root of a feed's own errors."""

    code: ClassVar[str] = "FEED"


class ConsumerReplaced(FeedError):
    """A later start took over the name: this feed must not go on."""

    code = "CONSUMER_REPLACED"

    def __init__(self, consumer: str, generation: int) -> None:
        super().__init__(
            f"consumer {consumer!r} was started again elsewhere (this is its start "
            f"{generation}), or its checkpoints were deleted: nothing more is committed here. Let "
            "one process at a time consume under a name, or give each a name of its own"
        )
        self.consumer = consumer
        self.generation = generation


@dataclass(frozen=True)
class Gap:
    """Changes that no stream has any more, or never had."""

    consumer: str
    table: str
    #: A stream drops its records after 24 hours; one that is switched off records nothing.
    reason: Literal["expired", "switched_off"]
    #: None if it is not one shard alone.
    shard: str | None
    #: Everything up to this sequence number was read; None if nothing was.
    after: str | None
    #: Everything up to this moment was handled; None if that is not known.
    since: datetime | None

    def __str__(self) -> str:
        since = "" if self.since is None else f" after {self.since:%Y-%m-%d %H:%M:%S} UTC"
        if self.reason == "switched_off":
            return f"the stream of table {self.table} was off for a time{since}"
        where = "" if self.shard is None else f", in shard {self.shard}"
        return (
            f"the stream of table {self.table} dropped changes{since} before they were read{where}"
        )


class ChangesLost(FeedError):
    """This consumer will never see some changes."""

    code = "CHANGES_LOST"

    def __init__(self, gap: Gap) -> None:
        super().__init__(
            f"changes are lost for consumer {gap.consumer!r}: {gap}. A stream keeps changes for 24 "
            "hours. Rebuild what depends on them from the table itself, then go on with "
            'on_gap="continue"'
        )
        self.gap = gap


class HandlerFailed(FeedError):
    """The handler raised; its error is the cause. Everything before the change is committed."""

    code = "HANDLER_FAILED"

    def __init__(self, change: Change, error: BaseException) -> None:
        super().__init__(
            f"{change} was not handled: {type(error).__name__}: {error}. The feed stands before it"
        )
        self.change = change
