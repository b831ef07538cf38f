"""Fetching a repository from a host into a bare folder."""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from tablewright.service.outbound import Place, UnsafeAddress
from tablewright.service.outbound.addresses import Resolver, checked, look_up
from tablewright.service.repo_urls import HOSTS, BadRepoUrl, parse
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import Git, Stopped, TooLong, TooMuch
from tablewright.systems.vibejudge.repos.limits import Limits

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
PINNED = "refs/vibejudge/pinned"
EMPTY = "the repository has no commits on its default branch"


@dataclass(frozen=True, slots=True)
class Access:
    """Which repositories may be read."""

    hosts: frozenset[str] = HOSTS
    #: Servers on this machine, by http: for tests and rehearsals.
    loopback: bool = False
    #: Repositories below this folder; None: none of this machine.
    local_root: Path | None = None
    #: And below this one, which holds what comes with the program and nothing else.
    bundled_root: Path | None = None

    def root_of(self, url: str) -> Path | None:
        """The folder that a path is read below; None for an address of a host."""
        path = Path(os.path.normpath(url))
        if not path.is_absolute():
            return None
        if self.bundled_root is not None and path.is_relative_to(self.bundled_root):
            return self.bundled_root
        return self.local_root


@dataclass(frozen=True, slots=True)
class Bare:
    """A bare repository that may be read, and the commit that it is read at."""

    folder: Path
    sha: str
    branch_count: int
    default_branch: str | None
    #: Whether it lacks a part of its history.
    shallow: bool = False


@contextmanager
def fetched(
    url: str,
    *,
    sha: str | None = None,
    limits: Limits | None = None,
    access: Access | None = None,
    resolver: Resolver = look_up,
) -> Iterator[Bare]:
    """The repository in a folder that is gone afterwards. It blocks."""
    limits, access = limits or Limits(), access or Access()
    if sha is not None and not SHA.fullmatch(sha):
        raise RepoError("COMMIT_UNAVAILABLE", "a commit is named by its whole hash")
    place = _place(url, access, resolver)
    with TemporaryDirectory(prefix="vibejudge-") as folder:
        yield _Fetch(place, Path(folder), limits).bare(sha)


def remote_head(
    url: str, *, limits: Limits, access: Access, resolver: Resolver = look_up
) -> tuple[str, str | None]:
    """The commit of the default branch at a host, and the branch; nothing is fetched. It blocks."""
    place = _place(url, access, resolver)
    with TemporaryDirectory(prefix="vibejudge-") as folder:
        _, head, branch = _Fetch(place, Path(folder), limits).heads("HEAD")
    if head is None:
        raise RepoError("REPO_EMPTY", EMPTY)
    return head, branch


def _place(url: str, access: Access, resolver: Resolver) -> Place:
    """Where the repository is, if it may be asked for. Its host is looked up here and only here."""
    try:
        if not (access.loopback and url.startswith("http://")):
            url = parse(url, access.hosts).url
        return asyncio.run(checked(url, allow_local=access.loopback, resolver=resolver))
    except BadRepoUrl as error:
        raise RepoError("REPO_REFUSED", str(error)) from None
    except UnsafeAddress as error:
        raise RepoError("REPO_REFUSED", f"the address {error}") from None
    except OSError:
        raise RepoError("REPO_UNREACHABLE", "the host cannot be found") from None


class _Fetch:
    def __init__(self, place: Place, folder: Path, limits: Limits) -> None:
        self._place, self._folder, self._limits = place, folder, limits
        ips = ",".join(f"[{ip}]" if ":" in ip else ip for ip in place.ips)
        self._git = Git(
            folder,
            deadline=time.monotonic() + limits.secs,
            protocols=place.scheme,
            extra={
                f"protocol.{place.scheme}.allow": "always",
                "http.curloptResolve": f"{place.host}:{place.port}:{ips}",
            },
        )

    def bare(self, sha: str | None) -> Bare:
        heads, head, branch = self.heads("HEAD", "refs/heads/*")
        wanted = sha or head
        if wanted is None:
            raise RepoError("REPO_EMPTY", EMPTY)
        make_bare(self._git, self._folder, wanted)
        self._bring(wanted)
        return Bare(self._folder, wanted, heads, branch)

    def heads(self, *patterns: str) -> tuple[int, str | None, str | None]:
        """How many branches there are, the commit of the default one, and its name."""
        said = self._asked("ls-remote", "--symref", "--", self._place.url, *patterns)
        heads, head, branch = 0, None, None
        for line in said.decode("utf-8", "replace").splitlines():
            value, _, name = line.partition("\t")
            if value.startswith("ref: refs/heads/") and name == "HEAD":
                branch = value.removeprefix("ref: refs/heads/")[:255]
            elif name == "HEAD" and SHA.fullmatch(value):
                head = value
            elif name.startswith("refs/heads/"):
                heads += 1
        return heads, head, branch

    def _bring(self, sha: str) -> None:
        """The commit and its history; from a host that gives none by hash, all branches."""
        try:
            self._asked(*_FETCH, self._place.url, f"{sha}:{PINNED}")
        except RepoError as error:
            if error.code not in ("REPO_NOT_FOUND", "REPO_UNREACHABLE", "REPO_BROKEN"):
                raise
            self._asked(*_FETCH, self._place.url, "+refs/heads/*:refs/heads/*")
        check_commit(self._git, sha)

    def _asked(self, *words: str) -> bytes:
        try:
            ended = self._git.run(*words, most=self._limits.listing_bytes, watch=self._too_large)
        except TooLong:
            secs = f"{self._limits.secs:g}"
            raise RepoError("REPO_TIMEOUT", f"it was not fetched within {secs} s") from None
        except (TooMuch, Stopped):
            raise self._over() from None
        # What came at once was never looked at on its way.
        if self._too_large():
            raise self._over()
        if ended.status:
            raise told(ended.err)
        return ended.out

    def _too_large(self) -> bool:
        return disk_use(self._folder, self._limits.repo_bytes) > self._limits.repo_bytes

    def _over(self) -> RepoError:
        megabytes = self._limits.repo_bytes / (1 << 20)
        return RepoError("REPO_TOO_LARGE", f"the repository has more than {megabytes:g} MB")


_FETCH = ("fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-auto-gc", "--")


def make_bare(git: Git, folder: Path, sha: str) -> None:
    form = "sha256" if len(sha) == 64 else "sha1"
    made = git.run(
        "init", "--quiet", "--bare", "--template=", f"--object-format={form}", str(folder)
    )
    if made.status:
        raise RepoError("REPO_BROKEN", "no folder for the repository could be made")


def check_commit(git: Git, sha: str) -> None:
    ended = git.run("cat-file", "-t", sha)
    if ended.status or ended.out.strip() != b"commit":
        raise RepoError("COMMIT_UNAVAILABLE", f"the repository has no commit {sha}")


def disk_use(folder: Path, enough: int) -> int:
    """Bytes below a folder; it stops to count when there are more than enough."""
    total, waiting = 0, [str(folder)]
    while waiting and total <= enough:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_size
        except FileNotFoundError:
            # Git moves its files about while they are counted.
            continue
    return total


#: A repository may be called "backpack" or "redirect".
_URL = re.compile(r"https?://\S+")
_STATUS = re.compile(r"returned error: (\d{3})|rpc failed; http (\d{3})")
#: The connection broke. Git complains about the pack as well when the rest of it does not come.
_BROKEN_OFF = ("rpc failed", "early eof", "unexpected disconnect", "hung up")


def told(complaint: str) -> RepoError:
    """What went wrong, in our words: git's hold whatever the host has said."""
    text = _URL.sub("", complaint.lower())
    status = _STATUS.search(text)
    if status is not None:
        return _answered(int(status[1] or status[2]))
    if "redirect" in text:
        return _moved()
    if _any(text, "could not read username", "not found"):
        return _not_found()
    if "not allowed" in text:
        return RepoError("REPO_REFUSED", "this protocol is not used")
    if _any(text, "out of memory", "malloc", "mmap failed"):
        return RepoError("REPO_TOO_LARGE", "the repository unpacks to more than memory holds")
    if _any(text, *_BROKEN_OFF):
        return _unreachable()
    if _any(text, "pack", "bad object", "corrupt", "fatal: bad"):
        return RepoError("REPO_BROKEN", "what the host sends is not a sound repository")
    return _unreachable()


def _answered(status: int) -> RepoError:
    """What an HTTP status means; a host that is busy or out of order may not be so later."""
    if status in (301, 302, 303, 307, 308):
        return _moved()
    return _not_found() if status in (401, 403, 404) else _unreachable()


def _moved() -> RepoError:
    return RepoError("REPO_MOVED", "the host answers with a redirect; give the new address")


def _not_found() -> RepoError:
    return RepoError("REPO_NOT_FOUND", "there is no such repository, or it is not public")


def _unreachable() -> RepoError:
    return RepoError("REPO_UNREACHABLE", "the host did not give the repository")


def _any(text: str, *words: str) -> bool:
    return any(each in text for each in words)
