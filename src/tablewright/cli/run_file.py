"""``DATA/run.json``: where the process that owns a data folder answers, for those that join it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAME = "run.json"


@contextmanager
def announced(folder: Path | None, *, wire: str, console: str) -> Iterator[None]:
    """The file is there as long as this lasts; without a folder there is nobody to tell.

    A process that was killed leaves its file behind. Whoever reads it does so because the folder is
    locked, and the owner of the lock has written it anew.
    """
    if folder is None:
        yield
        return
    path = folder / NAME
    _write(path, {"url": wire, "console": console, "pid": os.getpid()})
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()


def answering(folder: Path) -> str | None:
    """Where the engine of the process that owns the folder answers, if it says so."""
    try:
        url = json.loads((folder / NAME).read_text()).get("url")
    except (OSError, ValueError, AttributeError):
        return None
    return url if isinstance(url, str) else None


def _write(path: Path, content: dict[str, object]) -> None:
    """All of it or nothing."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(content) + "\n")
    fresh.replace(path)
