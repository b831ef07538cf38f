"""``python -m soak.launch up ...``: the command, with two handles for somebody outside.

``SOAK_CLOCK`` names the file of a :class:`~tablewright.clock.FileClock`: whatever asks for the time
gets that one's. ``SOAK_FAULTS`` names a file of realism settings, which the database in this
process takes over whenever the file changes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tablewright import clock
from tablewright.engine import Engine, EngineClosed, Realism

CLOCK, FAULTS = "SOAK_CLOCK", "SOAK_FAULTS"
_LOOK_SECS = 0.1


def move_clock(file: str) -> None:
    """The machine's time is from now on what the file says."""
    moved = clock.FileClock(file)
    clock.SystemClock.now = lambda self: moved.now()  # type: ignore[method-assign]


def follow_faults(file: str) -> None:
    """Every database that is kept goes by the file."""
    opened = Engine.__init__

    def followed(self: Engine, path: Any = None, *given: Any, **more: Any) -> None:
        opened(self, path, *given, **more)
        if path is not None:
            threading.Thread(target=_follow, args=(self, Path(file)), daemon=True).start()

    Engine.__init__ = followed  # type: ignore[method-assign]


def _follow(engine: Engine, file: Path) -> None:
    seen = ""
    # A thread of nobody's: it ends with the database that it follows.
    with contextlib.suppress(EngineClosed):
        while True:
            said = _said(file)
            if said != seen:
                engine.realism = Realism.parse(said) if said else Realism()
                seen = said
            time.sleep(_LOOK_SECS)


def _said(file: Path) -> str:
    try:
        return file.read_text()
    except FileNotFoundError:
        return ""


def main() -> None:
    from tablewright.cli import main as command

    if os.environ.get(CLOCK):
        move_clock(os.environ[CLOCK])
    if os.environ.get(FAULTS):
        follow_faults(os.environ[FAULTS])
    sys.argv[0] = "tablewright"
    command()


if __name__ == "__main__":
    main()
