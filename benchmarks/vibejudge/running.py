"""The service under test: the real command, its own process, a folder on disk."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.http import cpu_seconds

API = "/vibejudge/api/v1"
#: The data folder of a service, within the folder that it is given.
DATA = "data"


@dataclass(frozen=True)
class Service:
    """A running service, and what a client needs to use it."""

    url: str
    pid: int
    #: An administrator's key.
    admin: str

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    @property
    def cpu(self) -> float:
        """CPU time that it has used so far; 0 where the system does not tell."""
        return cpu_seconds(self.pid) or 0.0


@contextmanager
def service(folder: Path) -> Iterator[Service]:
    """`tablewright up vibejudge` on `folder`."""
    command = [sys.executable, "-m", "tablewright", "up", "vibejudge", "--port", "0", "--json"]
    # A log that is kept, as in production: writing it is part of the cost.
    log = (folder / "service.log").open("w")
    process = subprocess.Popen(
        [*command, "--data", str(folder / DATA)], stdout=subprocess.PIPE, stderr=log, text=True
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError((folder / "service.log").read_text())
        said = json.loads(line)
        admin = Path(said["admin_key_file"]).read_text().strip()
        yield Service(said["url"].rstrip("/"), process.pid, admin)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()
        log.close()
