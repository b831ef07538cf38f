"""A model at work: in threads of our own, so that the loop goes on, and within a time limit.

A thread cannot be ended from outside. One that takes too long is left alone, and another takes its
seat; it ends when its model comes back. If too many hang, no more are started: then it is the model
that is broken, and not a text. A model that takes less time than a thread does is asked directly.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread

from tablewright.systems.sentiment.analysers.analyser import Analyser, Verdict, is_quick

log = logging.getLogger("tablewright.sentiment")

#: Threads that judge at the same time.
SEATS = 4
#: Threads that may hang in a model.
MOST_HUNG = 32


class ModelHangs(Exception):
    """So many calls never came back that no more are made."""


@dataclass(frozen=True)
class Unjudged:
    """That there is no verdict on a text, and why."""

    code: str


class Judging:
    """The seats of one process."""

    def __init__(self, limit_secs: float, seats: int = SEATS) -> None:
        self._limit_secs = limit_secs
        self._free = asyncio.Semaphore(seats)
        self._seats: list[_Seat] = []
        self._hung: list[_Seat] = []
        # Threads end with whom they work for, also if nobody has said so.
        weakref.finalize(self, _leave_all, self._seats)

    async def verdict(self, analyser: Analyser, text: str) -> Verdict | Unjudged:
        """What the model says about one text."""
        return (await self.verdicts(analyser, [text]))[0]

    async def verdicts(self, analyser: Analyser, texts: Sequence[str]) -> list[Verdict | Unjudged]:
        """What the model says about each text.

        They are judged together; if that fails, one by one, so that a bad one fails alone.
        """
        if not texts:
            return []
        try:
            return list(await self._judged(analyser, texts))
        except TimeoutError:
            code = "model_timeout"
        except ModelHangs:
            raise
        except Exception as error:
            log.warning("model %s failed: %r", analyser.version, error)
            code = "model_error"
        if len(texts) == 1:
            return [Unjudged(code)]
        return [await self.verdict(analyser, text) for text in texts]

    async def _judged(self, analyser: Analyser, texts: Sequence[str]) -> Sequence[Verdict]:
        if len(texts) == 1 and is_quick(analyser):
            found: Sequence[Verdict] = analyser.judge(texts)
        else:
            found = await self._in_seat(analyser, texts)
        if len(found) != len(texts):
            raise ValueError(f"{len(found)} verdicts on {len(texts)} texts")
        return found

    async def _in_seat(self, analyser: Analyser, texts: Sequence[str]) -> Sequence[Verdict]:
        async with self._free:
            seat = self._seats.pop() if self._seats else self._new_seat()
            try:
                async with asyncio.timeout(self._limit_secs):
                    return await seat.judge(analyser, texts)
            finally:
                if seat.busy:
                    seat.leave()
                    self._hung.append(seat)
                else:
                    self._seats.append(seat)

    def _new_seat(self) -> _Seat:
        self._hung = [seat for seat in self._hung if seat.alive]
        if len(self._hung) >= MOST_HUNG:
            raise ModelHangs(f"{len(self._hung)} calls of the model have not come back")
        return _Seat()

    def close(self) -> None:
        """Let the threads end."""
        _leave_all(self._seats)


def _leave_all(seats: list[_Seat]) -> None:
    while seats:
        seats.pop().leave()


_Work = tuple[
    Analyser, Sequence[str], asyncio.AbstractEventLoop, "asyncio.Future[Sequence[Verdict]]"
]


class _Seat:
    """One thread, which judges what it is given."""

    def __init__(self) -> None:
        self.busy = False
        self._work: SimpleQueue[_Work | None] = SimpleQueue()
        # A daemon: a model that never comes back does not keep the process.
        self._thread = Thread(target=self._run, name="sentiment judge", daemon=True)
        self._thread.start()

    @property
    def alive(self) -> bool:
        return self._thread.is_alive()

    async def judge(self, analyser: Analyser, texts: Sequence[str]) -> Sequence[Verdict]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Sequence[Verdict]] = loop.create_future()
        self.busy = True
        self._work.put((analyser, texts, loop, done))
        return await done

    def leave(self) -> None:
        """End once there is nothing more to do."""
        self._work.put(None)

    def _run(self) -> None:
        while (work := self._work.get()) is not None:
            analyser, texts, loop, done = work
            found: Sequence[Verdict] | Exception
            try:
                found = analyser.judge(texts)
            except BaseException as error:
                found = error if isinstance(error, Exception) else RuntimeError(repr(error))
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(self._tell, done, found)

    def _tell(
        self, done: asyncio.Future[Sequence[Verdict]], found: Sequence[Verdict] | Exception
    ) -> None:
        self.busy = False
        if done.done():
            return
        if isinstance(found, Exception):
            done.set_exception(found)
        else:
            done.set_result(found)
