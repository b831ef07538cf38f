"""The processes under test: one that is everything, or a service and its database apart.

Both work on the same folder, so that what was begun in one way goes on in the other. The service
has the same port all the time; people and programs know no other.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import httpx2 as httpx

from soak.disk import Disk
from soak.issuer import AUDIENCE, Issuer
from soak.launch import CLOCK, FAULTS
from soak.processes import Process, end_group, is_left
from soak.proxy import Proxy
from tablewright.clock import FileClock

Shape = Literal["embedded", "apart"]
SYSTEMS = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")
#: Limits on a client's rate are for production; here everybody comes from one address.
_WIDE = "1000000"
_LIMITS = (
    "KURUKSHETRA_REQUESTS",
    "KURUKSHETRA_ADMIN_REQUESTS",
    "KURUKSHETRA_REGISTRATIONS",
    "LADDERS_REQUESTS",
    "PRICEKEEPER_AGGREGATES",
    "PRICEKEEPER_SELECTIONS",
    "VIBEJUDGE_REGISTRATIONS",
)


@dataclass
class Place:
    """Where everything runs."""

    disk: Disk
    issuer: Issuer
    proxy: Proxy
    #: What is told by who else is there: the gateway's address, a folder of repositories.
    told: Mapping[str, str]
    #: Below it: logs, the clock, the faults.
    folder: Path
    #: The service's, and the database's when it is apart.
    port: int
    shape: Shape = "embedded"
    #: What went wrong with processes: an exit status, children left behind.
    complaints: list[str] = field(default_factory=list)
    #: When a process was killed last, on the monotonic clock.
    killed: float = 0.0
    _service: Process | None = None
    _engine: Process | None = None

    @property
    def data(self) -> Path:
        return self.disk.folder / "data"

    @property
    def clock(self) -> FileClock:
        return FileClock(self.folder / "clock")

    @property
    def faults(self) -> Path:
        return self.folder / "faults.json"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def wire(self) -> str:
        """Where the database answers, past the proxy."""
        if self.shape == "apart":
            return f"http://127.0.0.1:{self.proxy.target}"
        return str(self.service.facts["wire"])

    @property
    def service(self) -> Process:
        assert self._service is not None
        return self._service

    @property
    def database(self) -> Process:
        """The process that has the data open."""
        return self.service if self._engine is None else self._engine

    @property
    def processes(self) -> list[Process]:
        return [each for each in (self._engine, self._service) if each is not None]

    @property
    def logs(self) -> list[Path]:
        return sorted(self.folder.glob("*.log"))

    async def start(self) -> None:
        self._engine = self._database() if self.shape == "apart" else None
        self._service = self._up()
        for each in self.processes:
            await each.start()

    def kill(self, process: Process) -> None:
        """``kill -9``; from now on it is away."""
        process.kill()
        self.killed = time.monotonic()

    async def restart(self, process: Process) -> None:
        """At once, as a supervisor does; what was left of it has to go meanwhile."""
        before = process.pid
        await process.start()
        await self._check_children(process.name, before)

    async def stop(self) -> None:
        """In an orderly way, the service first."""
        for process in reversed(self.processes):
            status = await process.stop()
            if status != 0:
                self.complaints.append(f"{process.name} ended with {status} when it was told to")
            await self._check_children(process.name, process.pid)

    async def change(self, shape: Shape) -> None:
        """The same data in the other way."""
        await self.stop()
        self.shape = shape
        await self.start()

    def sweep(self) -> None:
        for process in self.processes:
            process.sweep()

    async def ready(self, within_secs: float = 120.0) -> None:
        """Until the service says that it is well."""
        ends = time.monotonic() + within_secs
        async with httpx.AsyncClient(base_url=self.url, timeout=10) as http:
            while time.monotonic() < ends:
                try:
                    if (await http.get("/health")).status_code == 200:
                        return
                except httpx.HTTPError:
                    pass
                await asyncio.sleep(0.1)
        self.complaints.append(f"the service was not well after {within_secs:.0f} s")

    async def _check_children(self, name: str, group: int) -> None:
        if await is_left(group):
            self.complaints.append(f"{name} left processes behind")
            end_group(group)

    def _database(self) -> Process:
        words = ["engine", "--data", str(self.data), "--port", str(self.proxy.target)]
        return Process("the database", words, self._handles(), self.folder / "engine.log")

    def _up(self) -> Process:
        words = ["up", "--data", str(self.data), "--port", str(self.port)]
        if self.shape == "apart":
            words += ["--endpoint", f"http://127.0.0.1:{self.proxy.port}"]
        limits = {f"TABLEWRIGHT_{name}_PER_MINUTE": _WIDE for name in _LIMITS}
        environ = {
            **self._handles(),
            **limits,
            **self.told,
            "TABLEWRIGHT_LOCAL": "false",
            "TABLEWRIGHT_ISSUER_URL": self.issuer.url,
            "TABLEWRIGHT_ISSUER_AUDIENCE": AUDIENCE,
            "TABLEWRIGHT_LOG_FORMAT": "json",
        }
        return Process("the service", words, environ, self.folder / "service.log")

    def _handles(self) -> dict[str, str]:
        return {CLOCK: str(self.folder / "clock"), FAULTS: str(self.faults)}


def free_port() -> int:
    """One that nobody has now."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])
