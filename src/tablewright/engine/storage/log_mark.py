"""How much of the write-ahead log is committed, noted outside of the log.

Theory of operation. SQLite takes a log that ends early for a log that was never longer: commits
whose frames were lost or damaged are dropped without a word. After each commit the length of the
log is therefore noted in a small file beside it, and a folder whose log is shorter than noted does
not open until somebody decides what to do.

The note is stored without a sync. When the machine loses power it may be older than the log, which
is harmless, but never newer: it is made after the log was synced. It lies in a mapped file, so a
killed process leaves it behind as complete as the log itself.

A log is known by two salts in its header. Once all of it is in the database file, SQLite starts it
again with new salts, the first of them one higher; a process that is killed right then leaves a log
that is younger than its note, which is fine as well.
"""

from __future__ import annotations

import logging
import mmap
import os
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LogMark", "Mark", "read_mark", "read_salts"]

log = logging.getLogger("tablewright.engine")

_FORMAT = struct.Struct("<8sIIII")
_MAGIC = b"TWLOG\x001\n"
_CHECK = struct.Struct("<I")
_SIZE = 4096
#: Where the salts are in the header of a log.
_SALTS = struct.Struct(">II")
_SALTS_AT = 16

_OPEN, _CLOSED = 1, 2


@dataclass(frozen=True, slots=True)
class Mark:
    """What was noted: which log, and how many of its frames are committed."""

    salts: tuple[int, int]
    frames: int

    def lost(self, salts: tuple[int, int] | None, frames: int) -> int:
        """Return how many committed frames a log lacks that has these salts and frames."""
        if salts is None:
            return self.frames
        if salts == self.salts:
            return max(0, self.frames - frames)
        # Salts wrap around; a younger log has what the one before it had in the database file.
        younger = 0 < (salts[0] - self.salts[0]) % 2**32 < 2**31
        return 0 if younger else self.frames


def read_mark(path: Path) -> Mark | None:
    """Read the note in a file; None if the log was closed, or nothing is noted that can be read."""
    with suppress(OSError):
        raw = path.read_bytes()[: _FORMAT.size + _CHECK.size]
        if len(raw) == _FORMAT.size + _CHECK.size:
            magic, state, first, second, frames = _FORMAT.unpack_from(raw)
            (check,) = _CHECK.unpack_from(raw, _FORMAT.size)
            if magic == _MAGIC and check == zlib.crc32(raw[: _FORMAT.size]) and state == _OPEN:
                return Mark((first, second), frames)
    return None


def read_salts(path: Path) -> tuple[int, int] | None:
    """Read the salts of a log; None if there is no log."""
    try:
        with path.open("rb") as file:
            return _parse_salts(file.read(_SALTS_AT + _SALTS.size)[_SALTS_AT:])
    except OSError:
        return None


def _parse_salts(raw: bytes) -> tuple[int, int] | None:
    if len(raw) < _SALTS.size:
        return None
    first, second = _SALTS.unpack(raw)
    return first, second


class LogMark:
    """Notes the length of the log after each commit."""

    def __init__(self, path: Path, log_path: Path) -> None:
        self._log_path = log_path
        #: The log, once it exists; SQLite keeps the same file until it closes the database.
        self._log: int | None = None
        self._salts = self._read_salts()
        self._frames = 0
        with path.open("a+b") as file:
            if file.seek(0, os.SEEK_END) < _SIZE:
                file.write(bytes(_SIZE - file.tell()))
                file.flush()
                os.fsync(file.fileno())
            self._memory = mmap.mmap(file.fileno(), _SIZE)
        #: The log may have been started again since its salts were read.
        self.restarted = True

    def note(self, frames: int) -> None:
        """Note that the log has so many committed frames now."""
        if self.restarted or frames <= self._frames:
            salts = self._read_salts()
            if salts != self._salts:
                self._salts, self.restarted = salts, False
        self._frames = frames
        if self._salts is not None:
            self._write(_OPEN, self._salts, frames)

    def close(self) -> None:
        """Note that the log is about to be emptied into the database file."""
        self._write(_CLOSED, (0, 0), 0)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the files and leave the note as it is."""
        self._memory.close()
        if self._log is not None:
            os.close(self._log)

    def _read_salts(self) -> tuple[int, int] | None:
        if self._log is None:
            with suppress(OSError):
                self._log = os.open(self._log_path, os.O_RDONLY)
        raw = b"" if self._log is None else os.pread(self._log, _SALTS.size, _SALTS_AT)
        return _parse_salts(raw)

    def _write(self, state: int, salts: tuple[int, int], frames: int) -> None:
        body = _FORMAT.pack(_MAGIC, state, *salts, frames)
        self._memory[: _FORMAT.size + _CHECK.size] = body + _CHECK.pack(zlib.crc32(body))
