"""Asking the nursery for a new process."""

from __future__ import annotations

import atexit
import contextlib
import os
import socket
import subprocess
import sys
import threading

#: Bytes that say how many bytes follow.
HEAD = 2
_NURSERY = "tablewright.systems.vibejudge.analysing.nursery"
_PATIENCE_SECS = 5.0


class Nursery:
    """The nursery of this process: it is started when it is wanted, and again if it has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None

    @property
    def pid(self) -> int | None:
        """Of the process, if there is one."""
        return None if self._process is None else self._process.pid

    def ask(self, folder: str) -> socket.socket:
        """The connection to a new process that works in a folder; it ends when that is closed."""
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                self._send(folder.encode(), theirs.fileno())
            except BaseException:
                ours.close()
                raise
        return ours

    def _send(self, said: bytes, connection: int) -> None:
        message = len(said).to_bytes(HEAD, "big") + said
        with self._lock:
            try:
                socket.send_fds(self._open(), [message], [connection])
            except OSError:
                # It has ended, having been idle; or somebody has ended it.
                self._close()
                socket.send_fds(self._open(), [message], [connection])

    def close(self) -> None:
        """It ends, too; analyses that are under way do not."""
        with self._lock:
            self._close()

    def _open(self) -> socket.socket:
        if self._channel is not None:
            return self._channel
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", _NURSERY, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                # Hashes of texts must not decide anything; if one did, it would be the same every
                # time.
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
        ours.settimeout(_PATIENCE_SECS)
        self._channel = ours
        return ours

    def _close(self) -> None:
        channel, process = self._channel, self._process
        self._channel = self._process = None
        if channel is not None:
            channel.close()
        if process is not None:
            # Nothing is lost with it.
            process.kill()
            process.wait()


def received(channel: socket.socket, head: bytes) -> bytes:
    """What follows the head of a message."""
    length, data = int.from_bytes(head, "big"), b""
    while len(data) < length:
        more = channel.recv(length - len(data))
        if not more:
            raise ConnectionError("it ended in the middle")
        data += more
    return data


nursery = Nursery()


@atexit.register
def _end() -> None:
    with contextlib.suppress(Exception):
        nursery.close()
