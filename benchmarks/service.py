"""A service under test: the real command, its own process, a folder on disk."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx

from benchmarks.http import cpu_seconds

#: The data folder of a service, within the folder that it is given.
DATA = "data"
_SAMPLE = re.compile(r"tablewright_db_(requests|read_units|write_units)_total\{(.*)\} (\S+)")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


@dataclass(frozen=True)
class Used:
    """What a service has asked of the database since it started."""

    #: By operation and pattern.
    requests: Counter[tuple[str, str]]
    #: By pattern.
    read_units: Counter[str]
    write_units: Counter[str]

    def since(self, before: Used) -> Used:
        """What has been asked since then."""
        return Used(
            self.requests - before.requests,
            self.read_units - before.read_units,
            self.write_units - before.write_units,
        )


@dataclass(frozen=True)
class Service:
    """A running service, and what a client needs to use it."""

    system: str
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

    def key(self, role: str, name: str = "bench") -> str:
        """A new key for a program."""
        return str(self.ask("POST", "/api-keys", {"name": name, "roles": [role]})["api_key"])

    def ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """One request of the administrator, outside all measuring."""
        headers = {"Authorization": f"Bearer {self.admin}"}
        url = f"{self.url}/{self.system}/api/v1{path}"
        response = httpx.request(method, url, headers=headers, json=body, timeout=30)
        if response.is_error:
            raise RuntimeError(f"{path}: {response.status_code} {response.text}")
        found: dict[str, object] = response.json()
        return found

    def used(self) -> Used:
        found = Used(Counter(), Counter(), Counter())
        for line in httpx.get(f"{self.url}/metrics", timeout=30).text.splitlines():
            sample = _SAMPLE.match(line)
            if sample is None:
                continue
            kind, told, amount = sample.groups()
            labels = dict(_LABEL.findall(told))
            if kind == "requests":
                found.requests[labels["operation"], labels["pattern"]] += int(float(amount))
            else:
                getattr(found, kind)[labels["pattern"]] += float(amount)
        return found


@contextmanager
def up(
    system: str, folder: Path, *more: str, environ: Mapping[str, str] | None = None
) -> Iterator[Service]:
    """``tablewright up <system>`` on ``folder``, until the block ends.

    ``environ``: the limits on a client's rate are for production; here the service itself is to be
    measured.
    """
    command = [sys.executable, "-m", "tablewright", "up", system, "--port", "0", "--json"]
    # A log that is kept, as in production: writing it is part of the cost.
    log = (folder / "service.log").open("w")
    process = subprocess.Popen(
        [*command, "--data", str(folder / DATA), *more],
        stdout=subprocess.PIPE,
        stderr=log,
        env={**os.environ, **(environ or {})},
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError((folder / "service.log").read_text())
        said = json.loads(line)
        admin = Path(said["admin_key_file"]).read_text().strip()
        yield Service(system, said["url"].rstrip("/"), process.pid, admin)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        process.stdout.close()
        log.close()
