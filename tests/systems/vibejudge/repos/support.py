"""Real repositories, and real servers that give them out."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TypeAlias

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Repo:
    """A repository in a folder, with commits at times that are chosen."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *words: str, given: bytes = b"", at: datetime = START, who: str = "ann") -> str:
        moment = at.strftime("%Y-%m-%dT%H:%M:%S+0000")
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_DATE": moment,
            "GIT_COMMITTER_DATE": moment,
            "GIT_AUTHOR_NAME": who,
            "GIT_AUTHOR_EMAIL": f"{who}@people.test",
            "GIT_COMMITTER_NAME": who,
            "GIT_COMMITTER_EMAIL": f"{who}@people.test",
        }
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, input=given, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(
        self,
        files: Mapping[str, str | bytes],
        message: str = "Work",
        *,
        at: datetime = START,
        who: str = "ann",
    ) -> str:
        for name, content in files.items():
            place = self.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message, at=at, who=who)
        return self.git("rev-parse", "HEAD")

    def blob(self, content: bytes) -> str:
        return self.git("hash-object", "-w", "--stdin", given=content)

    def tree(self, *entries: tuple[str, str, str, str]) -> str:
        """Of (mode, kind, hash, name)."""
        lines = "".join(f"{mode} {kind} {sha}\t{name}\n" for mode, kind, sha, name in entries)
        return self.git("mktree", "--missing", given=lines.encode())

    def commit_tree(self, tree: str) -> str:
        sha = self.git("commit-tree", tree, "-m", "Made by hand")
        self.git("update-ref", "refs/heads/main", sha)
        return sha


@dataclass(frozen=True)
class Answer:
    """What git's server program says to a request; ``sent`` of it arrives, None for all."""

    asked: bytes
    status: int
    fields: Mapping[str, str]
    body: bytes
    sent: int | None = None

    @property
    def fetch(self) -> bool:
        return b"command=fetch" in self.asked


Spoil: TypeAlias = Callable[[Answer], Answer]


class _Smart(BaseHTTPRequestHandler):
    """Git's own server program behind HTTP."""

    root: Path
    seen: list[str]
    spoils: Sequence[Spoil]

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length", 0))))

    def _answer(self, body: bytes) -> None:
        path, _, query = self.path.partition("?")
        self.seen.append(path)
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
            "GIT_CONFIG_KEY_1": "uploadpack.allowAnySHA1InWant",
            "GIT_CONFIG_VALUE_1": "true",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("content-type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
            "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"], env=environment, input=body, capture_output=True
        )
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(fields.pop("Status", "200").split()[0])
        said = Answer(body, status, fields, answer)
        for spoil in self.spoils:
            said = spoil(said)
        self.send_response(said.status)
        for name, value in said.fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(said.body)))
        self.end_headers()
        self.wfile.write(said.body[: said.sent])

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(handler: type[BaseHTTPRequestHandler], ip: str = "127.0.0.1") -> Iterator[str]:
    server = ThreadingHTTPServer((ip, 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://{ip}:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextlib.contextmanager
def git_server(
    root: Path, ip: str = "127.0.0.1", *, spoils: Sequence[Spoil] = ()
) -> Iterator[tuple[str, list[str]]]:
    """All repositories below a folder, and the paths that were asked for."""
    seen: list[str] = []
    own = {"root": root, "seen": seen, "spoils": spoils}
    with serving(type("Smart", (_Smart,), own), ip) as url:
        yield url, seen
