"""A child process that is the command, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_LOOK_SECS = 0.05


class NotStarted(Exception):
    """It ended, or said nothing, instead of starting."""


@dataclass
class Process:
    """The command with some words; the same ones each time it is started."""

    name: str
    words: Sequence[str]
    environ: Mapping[str, str]
    log: Path
    patience_secs: float = 120.0
    #: What it said at its start.
    facts: dict[str, Any] = field(default_factory=dict)
    _child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    @property
    def running(self) -> bool:
        return self._child is not None and self._child.poll() is None

    async def start(self) -> None:
        said = self.log.with_suffix(".said")
        with self.log.open("ab") as log, said.open("wb") as out:
            self._child = subprocess.Popen(
                [sys.executable, "-m", "soak.launch", *self.words, "--json"],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=log,
                env={**os.environ, **self.environ},
                # A group of its own, so that what it leaves behind is found.
                start_new_session=True,
            )
        ends = time.monotonic() + self.patience_secs
        while not (line := said.read_bytes().partition(b"\n")[0]):
            if not self.running or time.monotonic() > ends:
                self.kill()
                raise NotStarted(f"{self.name} did not start; see {self.log}")
            await asyncio.sleep(_LOOK_SECS)
        self.facts = json.loads(line)

    def kill(self) -> None:
        """At once (SIGKILL)."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    async def stop(self) -> int:
        """Ask it to end (SIGTERM); its exit status."""
        assert self._child is not None
        if self.running:
            self._child.terminate()
        return await asyncio.to_thread(self._child.wait, self.patience_secs)

    def sweep(self) -> None:
        """End whatever is left of its group."""
        if self._child is None:
            return
        self.kill()
        end_group(self.pid)


async def is_left(group: int, within_secs: float = 60.0) -> bool:
    """Whether children of a process are still there so long after it has ended."""
    ends = time.monotonic() + within_secs
    while time.monotonic() < ends:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        await asyncio.sleep(_LOOK_SECS)
    return True


def end_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
