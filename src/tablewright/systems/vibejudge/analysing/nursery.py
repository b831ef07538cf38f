"""A process that has loaded what an analysis needs, and forks one whenever it is asked.

To load it takes longer than to analyse a small repository. It reads nothing that strangers wrote,
so every analysis begins with the same, clean process.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import tempfile
from types import FrameType

from tablewright.systems.vibejudge.analysing import __main__ as analysis
from tablewright.systems.vibejudge.analysing.asking import HEAD, received

#: It ends when nobody wants anything for so long.
IDLE_SECS = 120.0
_FAILED = 70


def main() -> int:
    # Who interrupts a command means the command; this one ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, _reap)
    # What is loaded stays as it is, in memory that all have in common.
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        channel.settimeout(IDLE_SECS)
        while (asked := _asked(channel)) is not None:
            connection, folder = asked
            if os.fork() == 0:
                channel.close()
                _become(connection, folder)
            os.close(connection)
    return 0


def _asked(channel: socket.socket) -> tuple[int, str] | None:
    """Where an analysis is to answer, and the folder that it works in; None: there is no more."""
    try:
        head, connections, _, _ = socket.recv_fds(channel, HEAD, 1)
        if not head:
            return None
        return connections[0], received(channel, head).decode()
    except (TimeoutError, ConnectionError):
        return None


def _become(connection: int, folder: str) -> None:
    """In the new process: analyse, and end."""
    status = _FAILED
    try:
        # A group of its own, to be ended as a whole.
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(connection, sys.stdin.fileno())
        os.dup2(connection, sys.stdout.fileno())
        os.close(connection)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        status = analysis.main()
    finally:
        os._exit(status)


def _reap(_signal: int, _frame: FrameType | None) -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return


if __name__ == "__main__":
    sys.exit(main())
