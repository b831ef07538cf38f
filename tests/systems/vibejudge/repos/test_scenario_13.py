"""Scenario 13: file://, ext::, private addresses, redirects, links, submodules and pack bombs are
refused or skipped. Git and the servers are real.
"""

from __future__ import annotations

import subprocess
import sys
import time
import zlib
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.systems.vibejudge.repos.support import HOUR, START, Repo, git_server, serving

from tablewright.systems.vibejudge.repos import Limits, RepoError, Skipped, fetching
from tablewright.systems.vibejudge.repos.fetching import Access, fetched
from tablewright.systems.vibejudge.repos.git import Ended, Git
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path, snapshot_of_url

LOOPBACK = Access(loopback=True)


def refused(url: str, access: Access | None = None, **more: object) -> RepoError:
    with pytest.raises(RepoError) as caught:
        snapshot_of_url(url, access=access, **more)  # type: ignore[arg-type]
    return caught.value


# --- addresses -----------------------------------------------------------------------------------


@pytest.mark.parametrize("access", [None, LOOPBACK])
def test_scenario_13_protocols(tmp_path: Path, access: Access | None) -> None:
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "1\n"})
    mark = tmp_path / "ran"
    for url in (
        f"file://{repo.folder}",
        str(repo.folder),
        f"ext::sh -c touch% {mark}",
        f"ssh://localhost{repo.folder}",
        f"--upload-pack=touch {mark}",
        f"ssh://-oProxyCommand=touch% {mark}/team/app",
        f"git@-oProxyCommand=touch {mark}:team/app",
        "git://localhost/team/app",
        "git@example.com:team/app.git",
        "ssh://git@10.0.0.1/team/app.git",
        "ssh://git@github.com:22/team/app.git",
        "ssh://git@github.com@example.com/team/app.git",
    ):
        assert refused(url, access).code == "REPO_REFUSED", url
    assert not mark.exists()


@pytest.mark.parametrize(
    ("url", "access"),
    [
        *(
            (url, access)
            for url in (
                "github.com/team/app",
                "git@github.com:team/app.git",
                "ssh://git@github.com/team/app.git",
                "ssh://github.com/team/app",
                "git://github.com/team/app",
                "git+ssh://git@github.com/team/app.git",
                "HTTP://github.com/team/app/tree/main?tab=readme",
            )
            for access in (None, LOOPBACK)
        ),
        ("http://github.com/team/app", None),
    ],
)
def test_scenario_13_git_gets_https_however_an_address_is_pasted(
    url: str, access: Access | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other protocols are rewritten before git is called, and git may use https alone."""
    calls: list[tuple[str, ...]] = []
    allowed: list[str] = []

    class RecordingGit(Git):
        def __init__(self, *args: Any, protocols: str, **more: Any) -> None:
            allowed.append(protocols)
            super().__init__(*args, protocols=protocols, **more)

        def run(self, *words: str, **more: Any) -> Ended:
            calls.append(words)
            return Ended(128, b"", "fatal: repository not found")

    async def find_public_address(host: str, port: int) -> Sequence[str]:
        assert (host, port) == ("github.com", 443)
        return ["140.82.112.3"]

    monkeypatch.setattr(fetching, "Git", RecordingGit)
    assert refused(url, access, resolver=find_public_address).code == "REPO_NOT_FOUND"
    assert calls
    for words in calls:
        options, _, operands = " ".join(words).partition(" -- ")
        assert ":" not in options
        assert operands.split()[0] == "https://github.com/team/app.git"
    assert set(allowed) == {"https"}


@pytest.mark.parametrize("url", ["file://{0}", "ext::cat {0}/HEAD", "{0}", "fd::0"])
def test_scenario_13_git_itself_refuses_other_protocols(tmp_path: Path, url: str) -> None:
    """Were an address to slip through, git has been told to use one protocol only."""
    repo = Repo(tmp_path / "repo")
    repo.commit({"a.py": "1\n"})
    folder = tmp_path / "bare"
    folder.mkdir()
    git = Git(folder, deadline=time.monotonic() + 10, protocols="https")
    git.run("init", "-q", "--bare", str(folder))
    ended = git.run("fetch", "--", url.format(repo.folder), "HEAD")
    assert ended.status != 0
    assert "not allowed" in ended.err


@pytest.mark.parametrize(
    "ip", ["10.0.0.1", "127.0.0.1", "169.254.169.254", "192.168.1.1", "::1", "fd00::1", "0.0.0.0"]
)
def test_scenario_13_private_addresses(ip: str) -> None:
    async def private(_: str, __: int) -> Sequence[str]:
        return ["140.82.112.3", ip]

    found = refused("https://github.com/team/app", resolver=private)
    assert found.code == "REPO_REFUSED"
    assert "not public" in str(found)


def test_scenario_13_hosts_and_numbers() -> None:
    for url in ("https://10.0.0.1/team/app", "https://example.com/team/app"):
        assert refused(url).code == "REPO_REFUSED"


@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is this machine on Linux alone")
def test_scenario_13_the_checked_address_is_the_one_that_is_asked(tmp_path: Path) -> None:
    """The machine's resolver would say 127.0.0.1, where nobody listens."""
    root = tmp_path / "root"
    Repo(root / "team" / "app").commit({"a.py": "1\n"})

    async def checked(_: str, __: int) -> Sequence[str]:
        return ["127.0.0.2"]

    with git_server(root, "127.0.0.2") as (url, seen):
        port = url.rpartition(":")[2]
        named = f"http://localhost:{port}/team/app/.git"
        found = snapshot_of_url(named, access=LOOPBACK, resolver=checked)
    assert found.file("a.py") is not None
    assert seen


def test_scenario_13_redirects(tmp_path: Path) -> None:
    root = tmp_path / "root"
    Repo(root / "team" / "app").commit({"a.py": "1\n"})
    with git_server(root) as (target, seen):

        class Redirect(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(302)
                self.send_header("Location", f"{target}{self.path}")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        with serving(Redirect) as url:
            assert refused(f"{url}/team/app/.git", LOOPBACK).code == "REPO_MOVED"
        assert not seen
        assert snapshot_of_url(f"{target}/team/app/.git", access=LOOPBACK).files


# --- what repositories hold ----------------------------------------------------------------------


def test_scenario_13_links_and_submodules(tmp_path: Path) -> None:
    root = tmp_path / "root"
    repo = Repo(root / "app")
    repo.commit(
        {"real.py": "x = 1\n", ".gitmodules": '[submodule "s"]\n\tpath = s\n\turl = ext::id\n'}
    )
    (repo.folder / "link.py").symlink_to("/etc/passwd")
    repo.git("add", "-A")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},s")
    repo.git("commit", "-q", "-m", "Links", at=START + HOUR)
    with git_server(root) as (url, _):
        found = snapshot_of_url(f"{url}/app/.git", access=LOOPBACK)
    assert set(found.skipped) == {Skipped("link.py", "symlink"), Skipped("s", "submodule")}
    assert "passwd" not in str(found.files)
    assert "Skipped 1 symbolic links." in found.notes


def test_scenario_13_hooks_filters_and_settings_do_not_run(tmp_path: Path) -> None:
    repo, mark = Repo(tmp_path / "root" / "app"), tmp_path / "ran"
    repo.commit(
        {
            "a.py": "x = 1\n",
            "b.bin": "data\n",
            ".gitattributes": "* filter=evil diff=evil\n",
            ".gitconfig": f"[core]\n\tfsmonitor = touch {mark}\n",
        }
    )
    command = f"touch {mark}; cat"
    for name, value in {
        "core.fsmonitor": f"touch {mark}",
        "core.sshCommand": command,
        "core.pager": command,
        "diff.external": command,
        "diff.evil.textconv": command,
        "diff.evil.command": command,
        "filter.evil.smudge": command,
        "filter.evil.clean": command,
        "gpg.program": f"touch {mark}",
        "log.showSignature": "true",
        "uploadpack.packObjectsHook": command,
        "core.hooksPath": str(repo.folder / "hooks"),
        "credential.helper": f"!touch {mark}",
    }.items():
        repo.git("config", name, value)
    assert snapshot_of_path(repo.folder, root=repo.folder).files
    assert not mark.exists()


# --- bombs ---------------------------------------------------------------------------------------


def test_scenario_13_trees_that_hold_each_other_many_times(tmp_path: Path) -> None:
    """Ten trees of ten: ten thousand million files out of a kilobyte."""
    repo = Repo(tmp_path / "bomb")
    inner = repo.blob(b"boom\n")
    mode, kind = "100644", "blob"
    for _ in range(10):
        names = [f"d{at}" for at in range(10)]
        inner = repo.tree(*((mode, kind, inner, name) for name in names))
        mode, kind = "040000", "tree"
    repo.commit_tree(inner)
    started = time.monotonic()
    with pytest.raises(RepoError) as caught:
        snapshot_of_path(repo.folder, root=repo.folder)
    assert caught.value.code == "REPO_TOO_LARGE"
    assert time.monotonic() - started < 20


def test_scenario_13_a_blob_that_unpacks_to_much(tmp_path: Path) -> None:
    """Forty megabytes of nothing in forty kilobytes: named, and never unpacked here."""
    root = tmp_path / "root"
    repo = Repo(root / "app")
    with (repo.folder / "zeros.txt").open("wb") as out:
        out.truncate(40 * 1024 * 1024)
    repo.commit({"a.py": "x = 1\n"})
    (repo.folder / "zeros.txt").unlink()
    with git_server(root) as (url, _):
        found = snapshot_of_url(
            f"{url}/app/.git", access=LOOPBACK, limits=Limits(repo_bytes=4 * 1024 * 1024)
        )
    assert found.skipped == (Skipped("zeros.txt", "too_large"),)


def test_scenario_13_a_pack_above_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    repo = Repo(root / "app")
    noise = b"".join(zlib.crc32(str(at).encode()).to_bytes(4, "big") for at in range(500_000))
    repo.commit({"noise.bin": noise})
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    with git_server(root) as (url, _):
        found = refused(f"{url}/app/.git", LOOPBACK, limits=Limits(repo_bytes=500_000))
    assert found.code == "REPO_TOO_LARGE"
    assert not list(scratch.iterdir())


def test_scenario_13_a_host_that_never_ends(tmp_path: Path) -> None:
    class Drip(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/x-git-upload-pack-advertisement")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"0")
                    self.wfile.flush()
                    time.sleep(0.02)
            except OSError:
                return

        def log_message(self, *_: object) -> None:
            pass

    started = time.monotonic()
    with serving(Drip) as url:
        found = refused(f"{url}/app.git", LOOPBACK, limits=Limits(secs=1))
    assert found.code == "REPO_TIMEOUT"
    assert time.monotonic() - started < 5
    # The helpers of git are in its group and gone with it.
    left = subprocess.run(["pgrep", "-f", url], capture_output=True, text=True).stdout
    assert not left.strip()


def test_scenario_13_more_files_than_are_read(tmp_path: Path) -> None:
    repo = Repo(tmp_path / "many")
    repo.commit({f"f{at}.txt": "x" for at in range(30)})
    with pytest.raises(RepoError) as caught:
        snapshot_of_path(repo.folder, root=repo.folder, limits=Limits(files=20))
    assert caught.value.code == "REPO_TOO_LARGE"


# --- hosts that are fine -------------------------------------------------------------------------


def test_scenario_13_a_good_repository_is_read(tmp_path: Path) -> None:
    root = tmp_path / "root"
    repo = Repo(root / "team" / "app")
    first = repo.commit({"a.py": "1\n"})
    second = repo.commit({"a.py": "2\n"}, at=START + HOUR)
    with git_server(root) as (url, _):
        address = f"{url}/team/app/.git"
        assert snapshot_of_url(address, access=LOOPBACK).sha == second
        pinned = snapshot_of_url(address, access=LOOPBACK, sha=first)
        assert (pinned.sha, pinned.file("a.py").text) == (first, "1\n")  # type: ignore[union-attr]
        assert refused(address, LOOPBACK, sha="e" * 40).code == "COMMIT_UNAVAILABLE"
        assert refused(f"{url}/team/none/.git", LOOPBACK).code == "REPO_NOT_FOUND"
        with fetched(address, access=LOOPBACK) as bare:
            folder = bare.folder
            assert not (folder / "hooks").exists()
        assert not folder.exists()


def test_scenario_13_folders_outside_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", Repo(tmp_path / "outside")
    outside.commit({"a.py": "1\n"})
    inside = Repo(root / "app")
    inside.commit({"a.py": "1\n"})
    (root / "link").symlink_to(outside.folder)
    pointer = root / "pointer"
    pointer.mkdir()
    (pointer / ".git").write_text(f"gitdir: {outside.folder}/.git\n")
    for path in (outside.folder, root / "link", pointer, root / "app" / ".." / ".." / "outside"):
        with pytest.raises(RepoError) as caught:
            snapshot_of_path(path, root=root)
        assert caught.value.code == "REPO_REFUSED"
    allowed = Access(local_root=root)
    assert snapshot_of_url(str(inside.folder), access=allowed).files
    assert refused(str(outside.folder), allowed).code == "REPO_REFUSED"
    (inside.folder / ".git/objects/info/alternates").write_text(f"{outside.folder}/.git/objects\n")
    assert refused(str(inside.folder), allowed).code == "REPO_REFUSED"
