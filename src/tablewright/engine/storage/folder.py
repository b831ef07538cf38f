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

FORMAT = 1


class FolderError(Exception):
    """The data folder cannot be used; the text says why and what to do."""


class FolderInUse(FolderError):
    """Another process owns the data folder."""


class Folder:
    """An owned data folder."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.engine = self.path / "engine"
        self._owner: IO[str] | None = None
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
    def backups(self) -> Path:
        return self.engine / "backups"

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
            text = path.read_text().strip()
        except FileNotFoundError:
            path.write_text(f"{FORMAT}\n")
            return
        if not text.isdigit():
            raise FolderError(f"{path} holds {text!r}, which is not a format number.")
        if int(text) > FORMAT:
            raise FolderError(
                f"The data folder {self.path} has format {text}; this version of tablewright "
                f"reads up to format {FORMAT}. Upgrade tablewright to open it."
            )


def _cannot_use(path: Path, error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"The data folder {path} cannot be used: {reason}. Choose a folder you may write to."
