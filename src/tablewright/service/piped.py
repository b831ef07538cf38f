"""Standard input that can be given up.

Whoever waits for a pipe in a thread cannot be interrupted: Ctrl-C would wait for the next line. So
this one looks every now and then whether anybody still wants it.
"""

from __future__ import annotations

import io
import os
import select
from typing import BinaryIO

_LOOK_SECS = 0.2


class Piped(io.RawIOBase):
    """What comes through standard input, until it is closed on either side."""

    def __init__(self, stdin: BinaryIO) -> None:
        self._stdin = stdin
        self._number = _pollable(stdin)
        self._given_up = False

    def readable(self) -> bool:
        return True

    def readinto(self, space: bytearray | memoryview) -> int:  # type: ignore[override]
        if self._number is None:
            found = self._stdin.read(len(space))
        else:
            found = self._awaited(self._number, len(space))
        space[: len(found)] = found
        return len(found)

    def _awaited(self, number: int, most: int) -> bytes:
        while not self._given_up:
            if select.select([number], [], [], _LOOK_SECS)[0]:
                return os.read(number, most)
        return b""

    def close(self) -> None:
        """Let go of it; standard input itself stays open."""
        self._given_up = True


def _pollable(stdin: BinaryIO) -> int | None:
    """The number of what can be waited for; None if it is no pipe of this system."""
    try:
        return stdin.fileno() if os.name == "posix" else None
    except (OSError, io.UnsupportedOperation):
        return None
