"""The repository that somebody asks for: a folder of theirs, or an address at a host."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.repo_urls import HOSTS, BadRepoUrl, RepoUrl, parse
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.local import commit_named

#: Whoever types may read what they may read: nothing is shared with anybody.
EVERYWHERE = Path("/")
_SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://")
_SSH = re.compile(r"^(?:ssh://)?git@([\w.-]+)[:/](.+)$")
_WHOLE = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
#: What to do about it, by code.
_HINTS = {
    "REPO_NOT_FOUND": "Private repositories: clone it, and name the folder.",
    "REPO_MOVED": "Give the address that a browser ends up at.",
    "REPO_UNREACHABLE": "Is there a connection? A repository in a folder needs none.",
    "REPO_TIMEOUT": "Run it again, or clone it and name the folder.",
    "REPO_TOO_LARGE": "Clone it with less history (git clone --depth 200), and name the folder.",
    "REPO_EMPTY": "Only what is committed counts: git add, git commit, and run it again.",
    "COMMIT_UNAVAILABLE": "git log shows the commits that there are.",
    "GIT_UNUSABLE": "Install git, and run it again.",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A repository, and the commit of it that is looked at."""

    #: The address, or the path of the work tree.
    source: str
    title: str
    #: None: the head of the default branch, whatever it is by then.
    sha: str | None
    #: At a host; None for a folder.
    repo: RepoUrl | None = None

    @property
    def folder(self) -> Path | None:
        return None if self.repo else Path(self.source)


def asked(text: str, sha: str | None) -> Asked:
    """What is meant by a path or an address; it blocks for a moment."""
    address = _address(text)
    return _at_host(address, sha) if address else _in_folder(Path(text).expanduser(), sha)


def _address(text: str) -> str | None:
    found = _SSH.match(text)
    if found:
        return f"https://{found[1]}/{found[2]}"
    if _SCHEME.match(text):
        return text
    host = text.partition("/")[0].lower()
    return f"https://{text}" if host in HOSTS and not Path(text).exists() else None


def _at_host(address: str, sha: str | None) -> Asked:
    try:
        repo = parse(address)
    except BadRepoUrl as error:
        hint = f"An address is https://HOST/OWNER/NAME; hosts: {', '.join(sorted(HOSTS))}."
        raise Problem(422, "REPO_REFUSED", f"{address}: {error}.", extra={"hint": hint}) from None
    if sha is not None and not _WHOLE.fullmatch(sha):
        raise invalid(FieldError("--sha", "a host is asked by the whole hash of a commit"))
    return Asked(repo.page, f"{repo.owner}/{repo.name}", sha, repo)


def _in_folder(path: Path, name: str | None) -> Asked:
    real = path.resolve()
    if not real.exists():
        raise Problem(404, "REPO_NOT_FOUND", f"There is no folder {path}.")
    found = repository_of(real)
    if found is None:
        hint = "git init and git commit make one; an address of a host is fine, too."
        detail = f"There is no git repository in {real}, nor in a folder above it."
        raise Problem(422, "REPO_NOT_FOUND", detail, extra={"hint": hint})
    try:
        sha = commit_named(found, root=EVERYWHERE, name=name)
    except RepoError as error:
        raise refused(error, str(found)) from None
    title = found.name.removesuffix(".git") or found.parent.name
    return Asked(str(found), title or "repository", sha)


def repository_of(path: Path) -> Path | None:
    """The repository that a path is in: the path itself, or the nearest folder above it."""
    for each in (path, *path.parents):
        bare = (each / "HEAD").is_file() and (each / "objects").is_dir()
        if each.name == ".git" and bare:
            return each.parent
        if (each / ".git").exists() or bare:
            return each
    return None


def refused(error: RepoError, source: str) -> Problem:
    """Why a repository could not be looked at, and what to do about it."""
    hint = _HINTS.get(error.code, "")
    return Problem(422, error.code, f"{source}: {error.reason}.", extra={"hint": hint})
