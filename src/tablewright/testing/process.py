"""The engine in a process of its own, for tests that kill it."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO

#: How long a start or a stop may take, on a machine that is busy with other things.
PATIENCE_SECONDS = 20.0


class StartFailed(Exception):
    """The process ended or stayed silent instead of starting; the text is what it said."""


class EngineProcess:
    """``tablewright engine`` as a child process::

    with EngineProcess(data=tmp_path) as engine:
        client = boto3.client("dynamodb", endpoint_url=engine.url, ...)
        engine.kill()       # as a power switch would
        engine.start()      # the same data, the same port
    """

    def __init__(
        self,
        data: str | os.PathLike[str] | None = None,
        *,
        port: int = 0,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        """Without ``data``, everything is kept in memory. Port 0 takes a free one, and keeps it."""
        self._data = data
        self._port = port
        self._arguments = tuple(arguments)
        self._environment = environment
        self._patience = patience
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self.url = ""

    @property
    def pid(self) -> int:
        """Of the process."""
        if self._process is None:
            raise RuntimeError("the engine's process has not been started")
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> EngineProcess:
        """Start the process and wait until it answers; raises :class:`StartFailed`."""
        if self.running:
            raise RuntimeError("the engine's process is running already")
        self._close()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            self._command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **(self._environment or {})},
        )
        until = time.monotonic() + self._patience
        try:
            self.url = str(json.loads(self._first_line())["url"])
            self._wait_until_healthy(until)
        except (ValueError, KeyError, queue.Empty, TimeoutError):
            self.kill()
            raise StartFailed(self._said() or "the engine did not start in time") from None
        self._port = int(self.url.rpartition(":")[2])
        return self

    def kill(self) -> None:
        """End the process at once, without a chance to finish anything (SIGKILL)."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """Ask the process to finish and end (SIGTERM); its exit status."""
        process = self._process
        if process is None:
            return 0
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        try:
            return process.wait(self._patience)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self._close()

    def __enter__(self) -> EngineProcess:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    # --- inside ----------------------------------------------------------------------

    def _command(self) -> list[str]:
        where = ["--memory"] if self._data is None else ["--data", os.fspath(self._data)]
        command = [sys.executable, "-m", "tablewright", "engine", "--json"]
        return [*command, "--port", str(self._port), *where, *self._arguments]

    def _first_line(self) -> bytes:
        """What the process prints once its port is open."""
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert self._process is not None
        assert self._process.stdout is not None
        read = self._process.stdout.readline
        threading.Thread(target=lambda: lines.put(read()), daemon=True).start()
        return lines.get(timeout=self._patience)

    def _wait_until_healthy(self, until: float) -> None:
        # Here and not above: every pytest run would pay for it (see the plugin).
        import urllib.request

        while True:
            try:
                with urllib.request.urlopen(self.url + "/healthz", timeout=1):
                    return
            except OSError:
                if not self.running or time.monotonic() > until:
                    raise TimeoutError from None
                time.sleep(0.01)

    def _said(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip()

    def _close(self) -> None:
        if self._process is not None and self._process.stdout is not None:
            self._process.stdout.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None
