"""A lock that the system lets go of when its process dies, however it dies."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, Literal, overload


@overload
def lock(path: Path, *, wait: Literal[True] = True) -> BinaryIO: ...
@overload
def lock(path: Path, *, wait: Literal[False]) -> BinaryIO | None: ...
def lock(path: Path, *, wait: bool = True) -> BinaryIO | None:
    """The open file that holds the lock; None if another process has it and we do not wait."""
    file = path.open("ab")
    try:
        _take(file, wait)
    except OSError:
        file.close()
        return None
    return file


if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO, wait: bool) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(file: BinaryIO, wait: bool) -> None:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
