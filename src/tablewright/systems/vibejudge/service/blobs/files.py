"""Blobs in a folder, which only its owner can look into."""

from __future__ import annotations

import os
import shutil
import uuid
from contextlib import suppress
from pathlib import Path


class Files:
    """One file for each; its time is when it was put."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def put(self, key: str, data: bytes, now: float) -> None:
        """Whole or not at all: another process may read it at this moment."""
        path = self._folder / key
        fresh = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(data)
            os.utime(fresh, (now, now))
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def get(self, key: str) -> bytes | None:
        try:
            return (self._folder / key).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            return None

    def erase(self, prefix: str) -> int:
        folder = self._folder / prefix
        found = sum(each.is_file() for each in folder.rglob("*"))
        shutil.rmtree(folder, ignore_errors=True)
        return found

    def sweep(self, before: float) -> int:
        ended = 0
        # From the leaves up, so that folders that have become empty go, too.
        for parent, _, names in os.walk(self._folder, topdown=False):
            for name in names:
                ended += _ended(Path(parent, name), before)
            if Path(parent) != self._folder:
                with suppress(OSError):
                    Path(parent).rmdir()
        return ended


def _ended(path: Path, before: float) -> bool:
    """Others may sweep at the same time."""
    with suppress(FileNotFoundError):
        if path.stat().st_mtime < before:
            path.unlink()
            return True
    return False
