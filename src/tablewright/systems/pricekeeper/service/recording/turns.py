"""The order of a lane's flushes, of which one is on its way while the next one is made.

A flush is sent once the one before it is committed, and told of after it; so nothing that rests on
the order of flushes sees a difference. If the one before was not committed as it was made, it gets
a higher number than what was made meanwhile: that is then made anew.
"""

from __future__ import annotations

import asyncio


class Turn:
    """One flush in the order of its lane."""

    __slots__ = ("_as_made", "_before", "_ended", "_followed")

    def __init__(self, before: Turn | None = None) -> None:
        loop = asyncio.get_running_loop()
        #: True once it is committed as it was made, False if it never will be.
        self._as_made: asyncio.Future[bool] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()
        self._before = None if before is None or before._ended.done() else before
        self._followed = False
        if self._before is not None:
            self._before._followed = True

    @property
    def is_next(self) -> bool:
        """Whether it need not wait for another one."""
        return self._before is None

    async def come(self) -> bool:
        """Wait until it may be sent; whether what was made before that may be."""
        if self._before is None or await asyncio.shield(self._before._as_made):
            return True
        await asyncio.shield(self._before._ended)
        return False

    def spoil(self) -> None:
        """It will not be committed as it was made."""
        if not self._as_made.done():
            self._as_made.set_result(False)

    async def pass_on(self) -> None:
        """It is committed: the next one may be sent, and then this one be told."""
        if not self._as_made.done():
            self._as_made.set_result(True)
        if self._followed:
            # The store has something to do then, while callers are answered.
            await asyncio.sleep(0)
        if self._before is not None:
            await asyncio.shield(self._before._ended)

    def end(self) -> None:
        """It is settled, whichever way."""
        self._before = None
        self.spoil()
        self._ended.set_result(None)
