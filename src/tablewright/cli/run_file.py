"""``DATA/run.json``: where the process that owns a data folder answers, for those that join it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

NAME = "run.json"
#: For who looks whether it answers: it is on this machine.
_PATIENCE_SECS = 3.0


@dataclass(frozen=True)
class Owner:
    """The process that owns a folder, as it says itself."""

    #: Of its engine.
    url: str
    #: For people.
    console: str
    pid: int

    @property
    def answers(self) -> bool:
        """Whether it is there: a process that was killed leaves its file behind."""
        from urllib.error import HTTPError
        from urllib.request import ProxyHandler, build_opener

        # Without the proxies of the environment: they do not lead to this machine.
        opener = build_opener(ProxyHandler({}))
        try:
            with opener.open(f"{self.console}/health", timeout=_PATIENCE_SECS):
                return True
        except HTTPError:
            return True  # it is not well, but there
        except (OSError, ValueError):
            return False


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


def owner_of(folder: Path) -> Owner | None:
    """What the file says; None if there is none that can be read."""
    try:
        found = json.loads((folder / NAME).read_text())
        return Owner(str(found["url"]), str(found.get("console", "")), int(found.get("pid", 0)))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def answering(folder: Path) -> str | None:
    """Where the engine of the process that owns the folder answers, if it says so."""
    owner = owner_of(folder)
    return None if owner is None else owner.url


def _write(path: Path, content: dict[str, object]) -> None:
    """All of it or nothing."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    fresh.write_text(json.dumps(content) + "\n")
    fresh.replace(path)
