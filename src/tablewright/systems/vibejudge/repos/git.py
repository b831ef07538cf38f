"""Git, run so that nothing but the command decides what it does.

No configuration of the machine, the user or a repository; no hooks, credentials, pagers, editors,
filters, proxies or submodules; one protocol. It runs in a process group of its own, which is ended
as a whole when its time is over or what it says gets too long.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import selectors
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tablewright.systems.vibejudge.repos.errors import RepoError

#: Since then, git connects to the address that it is given for a host (http.curloptResolve).
OLDEST = (2, 37)
_CHUNK = 1 << 16
_STDERR_KEPT = 1 << 14
#: Groups that run now: whoever has to end at once ends them, too.
_running: set[int] = set()
_guard = threading.Lock()

_SETTINGS: Mapping[str, str] = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.attributesFile": "/dev/null",
    "core.excludesFile": "/dev/null",
    "core.quotePath": "false",
    # Larger blobs are streamed and not compared: memory and time stay bounded.
    "core.bigFileThreshold": "1m",
    "core.packedGitWindowSize": "16m",
    "core.packedGitLimit": "256m",
    "core.deltaBaseCacheLimit": "32m",
    "core.commitGraph": "false",
    "credential.helper": "",
    "credential.interactive": "false",
    "diff.external": "",
    "diff.renames": "false",
    "diff.algorithm": "myers",
    "fetch.recurseSubmodules": "false",
    "fetch.unpackLimit": "1",
    "fetch.writeCommitGraph": "false",
    "filter.lfs.smudge": "",
    "filter.lfs.process": "",
    "filter.lfs.required": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "gpg.program": "false",
    "http.followRedirects": "false",
    "http.sslVerify": "true",
    "http.proxy": "",
    "http.cookieFile": "",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "20",
    "log.mailmap": "false",
    "log.showSignature": "false",
    "mailmap.file": "",
    "pack.threads": "1",
    "pager.log": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int
    out: bytes
    err: str


class TooMuch(Exception):
    """A command said more than it may."""


class TooLong(Exception):
    """A command took longer than it may."""


class Stopped(Exception):
    """A command was stopped by whoever watched it."""


class Git:
    """Git in one bare folder, until a moment on the clock of this process."""

    def __init__(
        self,
        folder: Path,
        *,
        deadline: float,
        protocols: str = "",
        extra: Mapping[str, str] = {},
        cwd: Path | None = None,
    ) -> None:
        self._folder = folder
        self._cwd = cwd or folder
        self._deadline = deadline
        self._protocols = protocols
        self._extra = dict(extra)

    def run(
        self,
        *words: str,
        given: bytes = b"",
        most: int = 1 << 20,
        watch: Callable[[], bool] | None = None,
    ) -> Ended:
        """Run a command to its end. ``watch`` is asked now and then; True stops it."""
        pieces: list[bytes] = []
        status, err = 0, ""
        for piece, ended in self._pieces(words, given, most, watch):
            if ended is None:
                pieces.append(piece)
            else:
                status, err = ended
        return Ended(status, b"".join(pieces), err)

    def stream(self, *words: str, given: bytes = b"", most: int = 1 << 26) -> Iterator[bytes]:
        """What a command says, piece by piece; RepoError if it fails."""
        for piece, ended in self._pieces(words, given, most, None):
            if ended is None:
                yield piece
            elif ended[0]:
                raise RepoError("REPO_BROKEN", "git could not read the repository")

    def _pieces(
        self,
        words: Sequence[str],
        given: bytes,
        most: int,
        watch: Callable[[], bool] | None,
    ) -> Iterator[tuple[bytes, tuple[int, str] | None]]:
        with _started(self._command(words), self._environment(), given, self._cwd) as running:
            process, err = running
            said = 0
            for piece in _heard(process, self._deadline, watch):
                said += len(piece)
                if said > most:
                    raise TooMuch(words[0])
                yield piece, None
            status = process.wait(max(0.1, self._deadline - time.monotonic()))
            yield b"", (status, err())

    def _command(self, words: Sequence[str]) -> list[str]:
        settings = {**_SETTINGS, **self._extra}
        # An empty helper forgets those before it; it cannot come by the environment as a list.
        said = [piece for name, value in settings.items() for piece in ("-c", f"{name}={value}")]
        return [program(), "--no-pager", "--no-replace-objects", *said, *words]

    def _environment(self) -> dict[str, str]:
        allowed = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}
        for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_EXEC_PATH", "SYSTEMROOT"):
            if name in os.environ:
                allowed[name] = os.environ[name]
        return {
            **allowed,
            "HOME": str(self._folder),
            "XDG_CONFIG_HOME": str(self._folder),
            # Before there is a repository, none further up is taken for it.
            **({"GIT_DIR": str(self._folder)} if (self._folder / "HEAD").exists() else {}),
            "GIT_CEILING_DIRECTORIES": str(self._folder.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "false",
            "GIT_ALLOW_PROTOCOL": self._protocols,
            "GIT_PROTOCOL_FROM_USER": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
        }


@functools.cache
def program() -> str:
    """Where git is, if it is one that can be run safely."""
    found = shutil.which("git")
    if found is None:
        raise RepoError("GIT_UNUSABLE", "git is not installed")
    said = subprocess.run(
        [found, "--version"], capture_output=True, text=True, timeout=10, check=False
    ).stdout
    version = re.search(r"(\d+)\.(\d+)", said)
    if version is None or (int(version[1]), int(version[2])) < OLDEST:
        least = ".".join(map(str, OLDEST))
        raise RepoError("GIT_UNUSABLE", f"git {least} or newer is needed, this is: {said.strip()}")
    return found


def end_all() -> None:
    """End every git that runs now; for a process that ends itself."""
    with _guard:
        for group in _running:
            _kill(group)


@contextlib.contextmanager
def _started(
    command: list[str], environment: Mapping[str, str], given: bytes, folder: Path
) -> Iterator[tuple[subprocess.Popen[bytes], Callable[[], str]]]:
    # What it reads and what it complains about are files: no pipe of theirs can fill up.
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as complaints:
        source.write(given)
        source.seek(0)
        process = subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
        with _guard:
            _running.add(process.pid)
        try:
            yield process, lambda: _read_end(complaints.fileno())
        finally:
            # The group outlives git itself as long as one of its helpers does.
            _kill(process.pid)
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
            with _guard:
                _running.discard(process.pid)


def _heard(
    process: subprocess.Popen[bytes], deadline: float, watch: Callable[[], bool] | None
) -> Iterator[bytes]:
    assert process.stdout is not None
    source = process.stdout.fileno()
    pause = 0.05 if watch else 1.0
    with selectors.DefaultSelector() as ready:
        ready.register(source, selectors.EVENT_READ)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TooLong
            if watch is not None and watch():
                raise Stopped
            if ready.select(min(pause, left)):
                piece = os.read(source, _CHUNK)
                if not piece:
                    return
                yield piece


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


def _read_end(source: int) -> str:
    size = os.fstat(source).st_size
    kept = os.pread(source, _STDERR_KEPT, max(0, size - _STDERR_KEPT))
    return kept.decode("utf-8", "replace")
