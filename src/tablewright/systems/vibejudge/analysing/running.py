"""Starting an analysis from an event loop, and ending it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
from tempfile import TemporaryDirectory

from tablewright.systems.vibejudge.analysing.asking import nursery
from tablewright.systems.vibejudge.analysing.orders import (
    PREFIX,
    Analysis,
    Order,
    packed,
    unpacked,
)
from tablewright.systems.vibejudge.repos.errors import RepoError

_LENGTH = 8
#: What an answer may have; a snapshot's text is bounded, and so is this.
_MOST = 512 * 1024 * 1024
#: For a process that was told to end, before it is ended.
_GRACE_SECS = 2.0


class AnalysisFailed(Exception):
    """The process ended without an answer: killed, out of memory, or out of time."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        #: ANALYSIS_TIMEOUT or ANALYSIS_FAILED.
        self.code = code


class _NotBegun(Exception):
    """There was no process: the nursery ended just then."""


async def run(order: Order, *, timeout: float = 300.0) -> Analysis:
    """The analysis; RepoError if the repository cannot be read, AnalysisFailed if it breaks off.

    To cancel this is to end the process and all that it has started.
    """
    # Ours, so that it goes even if the process is ended by force.
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder:
        try:
            async with asyncio.timeout(timeout):
                return await _run(order, folder)
        except TimeoutError:
            raise AnalysisFailed("ANALYSIS_TIMEOUT", f"no result within {timeout:g} s") from None


async def _run(order: Order, folder: str) -> Analysis:
    for _ in range(2):
        process = await _Process.new(folder)
        try:
            return await process.asked(order)
        except _NotBegun:
            continue
        finally:
            await asyncio.shield(process.ended())
    raise AnalysisFailed("ANALYSIS_FAILED", "the analysis did not begin")


class _Process:
    """A process that analyses one repository."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        #: Known once it has begun.
        self._pid: int | None = None

    @classmethod
    async def new(cls, folder: str) -> _Process:
        return cls(*await asyncio.open_connection(sock=nursery.ask(folder)))

    async def asked(self, order: Order) -> Analysis:
        data = packed(order)
        try:
            self._writer.write(len(data).to_bytes(_LENGTH, "big") + data)
            self._pid = await self._number()
        except (asyncio.IncompleteReadError, ConnectionError):
            raise _NotBegun from None
        try:
            length = await self._number()
            if length > _MOST:
                raise AnalysisFailed("ANALYSIS_FAILED", "the result is too large")
            answer = unpacked(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError, pickle.UnpicklingError):
            raise AnalysisFailed("ANALYSIS_FAILED", "the analysis broke off") from None
        if isinstance(answer, RepoError):
            raise answer
        if not isinstance(answer, Analysis):
            raise AnalysisFailed("ANALYSIS_FAILED", "the analysis answered something else")
        return answer

    async def _number(self) -> int:
        return int.from_bytes(await self._reader.readexactly(_LENGTH), "big")

    async def ended(self) -> None:
        """First by closing its input, so that it ends its own; then by force."""
        try:
            with contextlib.suppress(OSError):
                self._writer.write_eof()
            try:
                async with asyncio.timeout(_GRACE_SECS):
                    await self._rest()
            except TimeoutError:
                await self._killed()
        finally:
            self._writer.close()

    async def _killed(self) -> None:
        if self._pid is None:
            return  # when it begins, it finds that nobody wants anything
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._pid, signal.SIGKILL)
        await self._rest()

    async def _rest(self) -> None:
        """Until it has ended: its side of the connection is closed then."""
        with contextlib.suppress(ConnectionError):
            while await self._reader.read(1 << 16):
                continue
