"""The servers under test: ours, and peers found or fetched on demand.

Peers are fetched into a cache folder with npm, as this machine has it configured, and never
become part of the repository. A peer that cannot be had here is left out, with the reason.
"""

from __future__ import annotations

import contextlib
import http.client
import importlib.metadata
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from benchmarks.engine.load import headers
from benchmarks.http import HOST, cpu_seconds


class Unavailable(Exception):
    """Why a peer cannot be run here."""


def cache_folder() -> Path:
    chosen = os.environ.get("TABLEWRIGHT_BENCH_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(chosen) if chosen else Path(base) / "tablewright-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def program(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"{name} is not installed")
    return found


def npm(*words: str, cwd: Path) -> None:
    # A registry that cannot be reached says so within seconds.
    patience = ["--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-timeout=60000"]
    done = subprocess.run(
        [program("npm"), *words, *patience], cwd=cwd, capture_output=True, text=True
    )
    if done.returncode != 0:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), "no reason")
        raise Unavailable(f"npm {words[0]} failed: {reason}")


@dataclass
class Command:
    """How to start a server; `version` is for the report."""

    argv: list[str]
    version: str
    cwd: Path | None = None


def ours(durability: str, folder: Path) -> Callable[[int], Command]:
    def command(port: int) -> Command:
        data = tempfile.mkdtemp(prefix=f"data-{durability}-", dir=folder)
        argv = [sys.executable, "-m", "tablewright", "engine", "--port", str(port)]
        argv += ["--data", data, "--durability", durability]
        return Command(argv, importlib.import_module("tablewright").__version__)

    return command


def _fetched(name: str, wanted: str, fetch: Callable[[Path], None]) -> Path:
    """The folder of a peer, in which the file ``wanted`` is. Several may come at once for one that
    is not there: each fetches it for itself, the first to be ready is kept, and nobody sees a part.
    """
    place = cache_folder() / name
    if (place / wanted).exists():
        return place
    fresh = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=cache_folder()))
    try:
        fetch(fresh)
        with contextlib.suppress(OSError):  # somebody else was quicker
            fresh.rename(place)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    if not (place / wanted).exists():
        raise Unavailable(f"{place} has no {wanted}: remove it, and try again")
    return place


def dynamodb_local(port: int) -> Command:
    java = program("java")
    package = "amplify-dynamodb-simulator"

    def fetch(folder: Path) -> None:
        npm("pack", package, cwd=folder)
        archive = next(folder.glob("*.tgz"))
        with tarfile.open(archive) as content:
            content.extractall(folder, filter="data")
        archive.unlink()

    folder = _fetched(package, "package/emulator/DynamoDBLocal.jar", fetch) / "package"
    emulator = folder / "emulator"
    libraries = f"-Djava.library.path={emulator / 'DynamoDBLocal_lib'}"
    argv = [java, libraries, "-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb"]
    version = json.loads((folder / "package.json").read_text())["version"]
    return Command([*argv, "-port", str(port)], f"from {package} {version}", emulator)


def dynalite(port: int) -> Command:
    node = program("node")

    def fetch(folder: Path) -> None:
        (folder / "package.json").write_text('{"private": true}')
        npm("install", "--no-audit", "--no-fund", "dynalite", cwd=folder)

    found = _fetched("dynalite", "node_modules/dynalite/cli.js", fetch)
    package = found / "node_modules" / "dynalite"
    quick = [f"--{step}TableMs=0" for step in ("create", "delete", "update")]
    version = json.loads((package / "package.json").read_text())["version"]
    return Command([node, str(package / "cli.js"), "--port", str(port), *quick], version)


def moto(port: int) -> Command:
    if importlib.util.find_spec("moto") is None or importlib.util.find_spec("flask") is None:
        raise Unavailable("moto[server] is not installed")
    argv = [sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]
    return Command(argv, importlib.metadata.version("moto"))


PEERS: dict[str, Callable[[int], Command]] = {
    "DynamoDB Local": dynamodb_local,
    "dynalite": dynalite,
    "moto": moto,
}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class Server:
    """A running server."""

    name: str
    command: Callable[[int], Command]
    port: int = field(default_factory=free_port)
    version: str = ""
    start_seconds: float = 0.0

    def __enter__(self) -> Self:
        command = self.command(self.port)
        self.version = command.version
        self._log = tempfile.TemporaryFile()
        started = time.perf_counter()
        self._process = subprocess.Popen(
            command.argv, cwd=command.cwd, stdout=self._log, stderr=self._log
        )
        try:
            self._wait_for_first_answer(started)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    def _wait_for_first_answer(self, started: float, patience: float = 60) -> None:
        while time.perf_counter() - started < patience:
            if self._process.poll() is not None:
                break
            try:
                self.ask("ListTables", {})
            except (OSError, http.client.HTTPException, RuntimeError):
                time.sleep(0.002)
            else:
                self.start_seconds = time.perf_counter() - started
                return
        self._log.seek(0)
        text = self._log.read().decode(errors="replace").strip()
        raise Unavailable(f"it does not start: {text.splitlines()[-1] if text else 'no output'}")

    def ask(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """One request, for set-up and checks; measuring is the load generator's."""
        connection = http.client.HTTPConnection(HOST, self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", "/", json.dumps(request), headers(operation))
            response = connection.getresponse()
            body = response.read()
        if response.status != 200:
            raise RuntimeError(f"{operation}: {response.status} {body[:300]!r}")
        answer: dict[str, Any] = json.loads(body)
        return answer

    def resident_megabytes(self) -> float:
        command = ["ps", "-o", "rss=", "-p", str(self._process.pid)]
        return int(subprocess.run(command, capture_output=True, text=True).stdout) / 1024

    def cpu_seconds(self) -> float | None:
        return cpu_seconds(self._process.pid)

    def settle(self, patience: float = 60) -> None:
        """Wait until it is idle: what it still does must not disturb the next measurement."""
        deadline = time.monotonic() + patience
        before = self.cpu_seconds()
        while before is not None and time.monotonic() < deadline:
            time.sleep(0.1)
            after = self.cpu_seconds()
            if after is None or after - before < 0.02:
                return
            before = after
