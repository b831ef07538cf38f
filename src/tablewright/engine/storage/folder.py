"""The data folder: who owns it, and which format it has.

One process owns a folder at a time. Ownership is an advisory lock on ``engine/owner``, which the
operating system drops when the process dies, however it dies; the file's text names the pid for
the error message only.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows: exclusive creation of the SQLite lock still protects the data
    fcntl = None  # type: ignore[assignment]

#: 1: pages without checksums. 2: with them.
FORMAT = 2


class FolderError(Exception):
    """The data folder cannot be used; the text says why and what to do."""


class DamagedFolder(FolderError):
    """Data in the folder is missing or damaged."""


class FolderInUse(FolderError):
    """Another process owns the data folder."""


class Folder:
    """An owned data folder."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.engine = self.path / "engine"
        self._owner: IO[str] | None = None
        #: The format that the folder had when it was opened; None if it is new.
        self.found_format: int | None = None
        try:
            # A new one is for its owner: others on this machine have no business in it.
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.engine.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise FolderError(_cannot_use(self.path, error)) from None
        self._take()
        try:
            self._check_format()
        except OSError as error:
            self.release()
            raise FolderError(_cannot_use(self.path, error)) from None
        except FolderError:
            self.release()
            raise

    @property
    def database(self) -> Path:
        return self.engine / "store.sqlite"

    @property
    def log(self) -> Path:
        """SQLite's write-ahead log."""
        return self.engine / "store.sqlite-wal"

    @property
    def log_mark(self) -> Path:
        """How much of the log is committed."""
        return self.engine / "committed"

    @property
    def backups(self) -> Path:
        return self.engine / "backups"

    def settle_format(self) -> None:
        """Write the format down, now that the database is there and has it."""
        if self.found_format == FORMAT:
            return
        try:
            fresh = self.path / f"format.{os.getpid()}"
            fresh.write_text(f"{FORMAT}\n")
            fresh.replace(self.path / "format")
        except OSError as error:
            raise FolderError(_cannot_use(self.path, error)) from None
        self.found_format = FORMAT

    def release(self) -> None:
        """Give the folder up, so that another process may open it."""
        if self._owner is not None:
            owner, self._owner = self._owner, None
            with suppress(OSError):  # the pid may still be unwritten, on a full disk
                owner.close()

    def _take(self) -> None:
        path = self.engine / "owner"
        try:
            owner = path.open("a+")
        except OSError as error:
            raise FolderError(_cannot_use(self.path, error)) from None
        if fcntl is not None:
            try:
                fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                owner.seek(0)
                pid = owner.read().strip() or "unknown"
                owner.close()
                raise FolderInUse(
                    f"The data folder {self.path} is in use by the process with pid {pid}. "
                    "Stop that process, talk to it instead, or choose another folder."
                ) from None
        self._owner = owner
        with suppress(OSError):  # a full disk: the lock is what counts, the pid is for people
            owner.truncate(0)
            owner.write(f"{os.getpid()}\n")
            owner.flush()

    def _check_format(self) -> None:
        path = self.path / "format"
        try:
            text = path.read_bytes()[:100].decode("latin-1").strip()
        except FileNotFoundError:
            return
        if not (text.isascii() and text.isdigit()):
            raise FolderError(
                f"The file {path} is damaged: it holds {text!r} instead of a format number. "
                "Restore the data folder from a backup."
            )
        if int(text) > FORMAT:
            raise FolderError(
                f"The data folder {self.path} has format {text}; this version of tablewright "
                f"reads up to format {FORMAT}. Upgrade tablewright to open it."
            )
        self.found_format = int(text)
        self._require_database()

    def _require_database(self) -> None:
        """Refuse a folder whose database is gone, which would otherwise start as an empty one."""
        with suppress(FileNotFoundError):
            if self.database.stat().st_size > 0:
                return
        raise DamagedFolder(
            f"The data folder {self.path} has lost its database: {self.database} is missing or "
            "empty. Restore the folder from a backup. To start again without data, remove the "
            f"file {self.path / 'format'}."
        )


def _cannot_use(path: Path, error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"The data folder {path} cannot be used: {reason}. Choose a folder you may write to."
