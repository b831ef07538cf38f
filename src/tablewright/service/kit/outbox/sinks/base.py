"""What a sink is, and how sending fails."""

from __future__ import annotations

from typing import Protocol

from tablewright.service.kit.outbox.messages import Message


class SendFailed(Exception):
    """A message did not go out, for a reason that may be shown to operators."""

    def __init__(
        self,
        reason: str,
        *,
        permanent: bool = False,
        retry_after: float | None = None,
        lasting: bool = False,
    ) -> None:
        super().__init__(reason)
        #: Trying again would not help.
        self.permanent = permanent
        #: The message is wanted however late it comes: it is not given up for this.
        self.lasting = lasting
        #: Seconds that the receiver asks to be left alone.
        self.retry_after = retry_after


class Sink(Protocol):
    """Somewhere to send messages. The same message may come again: it has the same id."""

    @property
    def name(self) -> str:
        """Kept with a message that has arrived here; stays the same for ever."""
        ...

    def takes(self, message: Message) -> bool:
        """Whether the message is for this sink."""
        ...

    async def send(self, message: Message) -> None:
        """Return once the message is in safe hands, else raise :class:`SendFailed`."""
        ...

    async def close(self) -> None: ...
