"""Starting an analysis from an event loop, and ending it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import sys
from tempfile import TemporaryDirectory

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


async def run(order: Order, *, timeout: float = 300.0) -> Analysis:
    """The analysis; RepoError if the repository cannot be read, AnalysisFailed if it breaks off.

    To cancel this is to end the process and all that it has started.
    """
    # Ours, so that it goes even if the process is ended by force.
    with TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder:
        return await _run(order, timeout, folder)


async def _run(order: Order, timeout: float, folder: str) -> Analysis:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tablewright.systems.vibejudge.analysing",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
        # Hashes of texts must not decide anything; if one did, it would be the same every time.
        env={**os.environ, "PYTHONHASHSEED": "0", "TMPDIR": folder},
    )
    try:
        async with asyncio.timeout(timeout):
            return await _asked(process, order)
    except TimeoutError:
        raise AnalysisFailed("ANALYSIS_TIMEOUT", f"no result within {timeout:g} s") from None
    finally:
        await asyncio.shield(_ended(process))


async def _asked(process: asyncio.subprocess.Process, order: Order) -> Analysis:
    assert process.stdin is not None
    assert process.stdout is not None
    data = packed(order)
    try:
        process.stdin.write(len(data).to_bytes(_LENGTH, "big") + data)
        await process.stdin.drain()
        length = int.from_bytes(await process.stdout.readexactly(_LENGTH), "big")
        if length > _MOST:
            raise AnalysisFailed("ANALYSIS_FAILED", "the result is too large")
        answer = unpacked(await process.stdout.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError, pickle.UnpicklingError):
        raise AnalysisFailed("ANALYSIS_FAILED", "the analysis broke off") from None
    if isinstance(answer, RepoError):
        raise answer
    if not isinstance(answer, Analysis):
        raise AnalysisFailed("ANALYSIS_FAILED", "the analysis answered something else")
    return answer


async def _ended(process: asyncio.subprocess.Process) -> None:
    """First by closing its input, so that it ends its own; then by force."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(_GRACE_SECS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
