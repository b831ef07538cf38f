"""Repositories of this machine, where an operator has allowed a folder of them.

Its objects are read from a bare folder of ours that names them as alternates. So the repository's
own configuration, which could name programs to run, is never looked at, and nothing is copied.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import (
    SHA,
    Bare,
    check_commit,
    disk_use,
    make_bare,
)
from tablewright.systems.vibejudge.repos.git import Git
from tablewright.systems.vibejudge.repos.limits import Limits

_MOST_REFS = 32 * 1024 * 1024


@contextmanager
def opened(
    path: Path, *, root: Path, sha: str | None = None, limits: Limits | None = None
) -> Iterator[Bare]:
    """A repository below an allowed folder, work tree or bare. It blocks."""
    limits = limits or Limits()
    store = _Store(path, root)
    if disk_use(store.objects, limits.repo_bytes) > limits.repo_bytes:
        raise RepoError("REPO_TOO_LARGE", "the repository is larger than what is read")
    wanted = sha or store.head()
    if not SHA.fullmatch(wanted):
        raise RepoError("COMMIT_UNAVAILABLE", "a commit is named by its whole hash")
    with TemporaryDirectory(prefix="vibejudge-") as folder:
        yield _borrowed(Path(folder), store, wanted, limits)


def _borrowed(folder: Path, store: _Store, sha: str, limits: Limits) -> Bare:
    git = Git(folder, deadline=time.monotonic() + limits.secs)
    make_bare(git, folder, sha)
    info = folder / "objects" / "info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{store.objects}\n", encoding="utf-8")
    if store.shallow is not None:
        (folder / "shallow").write_text(store.shallow, encoding="ascii", errors="ignore")
    check_commit(git, sha)
    return Bare(folder, sha, store.branches(), store.branch)


class _Store:
    """Where a repository keeps its objects and its references; all below the root."""

    def __init__(self, path: Path, root: Path) -> None:
        self._root = root.resolve()
        place = self._inside(path)
        self._own = self._git_folder(place)
        self._common = self._shared(self._own)
        self.objects = self._inside(self._common / "objects")
        if "\n" in str(self.objects) or str(self.objects).startswith(("#", '"')):
            raise RepoError("REPO_REFUSED", "the path has a character that git misreads")
        if (self.objects / "info" / "alternates").exists():
            # It may name objects outside of what was allowed.
            raise RepoError("REPO_REFUSED", "the repository borrows objects of another one")
        self.shallow = self._text(self._common / "shallow")
        said = self._text(self._own / "HEAD") or ""
        self._said = said.strip()
        named = self._said.removeprefix("ref: refs/heads/")
        self.branch = named[:255] if named != self._said else None

    def head(self) -> str:
        """The commit that is checked out or, in a bare one, of the default branch."""
        if SHA.fullmatch(self._said):
            return self._said
        found = self._references().get(self._said.removeprefix("ref: "))
        if found is None:
            raise RepoError("REPO_EMPTY", "the repository has no commits on its default branch")
        return found

    def branches(self) -> int:
        return sum(name.startswith("refs/heads/") for name in self._references())

    def _references(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in (self._text(self._common / "packed-refs") or "").splitlines():
            value, _, name = line.partition(" ")
            if SHA.fullmatch(value):
                found[name] = value
        heads = self._common / "refs" / "heads"
        for each in sorted(heads.rglob("*")) if heads.is_dir() else ():
            value = (self._text(each) or "").strip()
            if SHA.fullmatch(value):
                found[each.relative_to(self._common).as_posix()] = value
        return found

    def _git_folder(self, place: Path) -> Path:
        inner = place / ".git"
        if inner.is_file():
            said = (self._text(inner) or "").strip().removeprefix("gitdir: ")
            return self._inside(place / said)
        found = inner if inner.is_dir() else place
        if not (found / "objects").is_dir() or not (found / "HEAD").is_file():
            raise RepoError("REPO_NOT_FOUND", "there is no git repository")
        return self._inside(found)

    def _shared(self, own: Path) -> Path:
        said = self._text(own / "commondir")
        return own if said is None else self._inside(own / said.strip())

    def _inside(self, path: Path) -> Path:
        real = path.resolve()
        if not real.is_relative_to(self._root):
            raise RepoError("REPO_REFUSED", "the path is not below the folder that is allowed")
        return real

    def _text(self, path: Path) -> str | None:
        if not path.is_file():
            return None
        real = self._inside(path)
        if real.stat().st_size > _MOST_REFS:
            raise RepoError("REPO_TOO_LARGE", "the repository has too many references")
        return real.read_text(encoding="utf-8", errors="replace")
