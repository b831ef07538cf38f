"""Repositories of this machine, where an operator has allowed a folder of them.

Its objects are read from a bare folder of ours that names them as alternates. So the repository's
own configuration, which could name programs to run, is never looked at, and nothing is copied.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import (
    EMPTY,
    SHA,
    Bare,
    check_commit,
    disk_use,
    make_bare,
)
from tablewright.systems.vibejudge.repos.git import Git
from tablewright.systems.vibejudge.repos.limits import Limits

#: Other repositories whose objects one borrows.
_MOST_BORROWED = 20
_SHORT = re.compile(r"[0-9a-f]{4,64}")
_ANY = 1 << 62
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


def local_head(path: Path, *, root: Path) -> tuple[str, str | None]:
    """The commit of the default branch, and the branch; no object is read. It blocks."""
    store = _Store(path, root)
    return store.head(), store.branch


def commit_named(path: Path, *, root: Path, name: str | None) -> str:
    """The whole hash of a commit: by a branch, a tag, or the beginning of a hash; else the head."""
    store = _Store(path, root)
    if name is None:
        return store.head()
    wanted = store.named(name) or name.lower()
    if not _SHORT.fullmatch(wanted):
        raise RepoError("COMMIT_UNAVAILABLE", f"there is no commit, branch or tag {name!r}")
    with opened(path, root=root, limits=Limits(repo_bytes=_ANY)) as bare:
        git = Git(bare.folder, deadline=time.monotonic() + Limits().secs)
        ended = git.run(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{wanted}^{{commit}}"
        )
    found = ended.out.decode("ascii", "replace").strip()
    if ended.status or not SHA.fullmatch(found):
        raise RepoError("COMMIT_UNAVAILABLE", f"there is no commit, branch or tag {name!r}")
    return found


def _borrowed(folder: Path, store: _Store, sha: str, limits: Limits) -> Bare:
    git = Git(folder, deadline=time.monotonic() + limits.secs)
    make_bare(git, folder, sha)
    info = folder / "objects" / "info"
    info.mkdir(exist_ok=True)
    places = "".join(f"{each}\n" for each in (store.objects, *store.borrowed))
    (info / "alternates").write_text(places, encoding="utf-8")
    if store.shallow is not None:
        (folder / "shallow").write_text(store.shallow, encoding="ascii", errors="ignore")
    check_commit(git, sha)
    return Bare(folder, sha, store.branches(), store.branch, bool(store.shallow))


class _Store:
    """Where a repository keeps its objects and its references; all below the root."""

    def __init__(self, path: Path, root: Path) -> None:
        self._root = root.resolve()
        place = self._inside(path)
        self._own = self._git_folder(place)
        self._common = self._shared(self._own)
        self.objects = self._inside(self._common / "objects")
        self._named_safely(self.objects)
        self.borrowed = self._borrowed(self.objects)
        self.shallow = self._text(self._common / "shallow")
        said = self._text(self._own / "HEAD") or ""
        self._said = said.strip()
        named = self._said.removeprefix("ref: refs/heads/")
        self.branch = named[:255] if named != self._said else None

    def _named_safely(self, objects: Path) -> None:
        if "\n" in str(objects) or str(objects).startswith(("#", '"')):
            raise RepoError("REPO_REFUSED", "the path has a character that git misreads")

    def _borrowed(self, objects: Path) -> list[Path]:
        """Where else its objects are, and theirs; all below the root as well."""
        found: list[Path] = []
        waiting = [objects]
        while waiting and len(found) <= _MOST_BORROWED:
            place = waiting.pop()
            for line in (self._text(place / "info" / "alternates") or "").splitlines():
                if not line or line.startswith("#"):
                    continue
                other = self._inside(place / line)
                self._named_safely(other)
                if other != objects and other not in found:
                    found.append(other)
                    waiting.append(other)
        if len(found) > _MOST_BORROWED:
            raise RepoError("REPO_REFUSED", "the repository borrows objects of too many others")
        return found

    def named(self, name: str) -> str | None:
        """The commit of a branch, or the object of a tag."""
        known = self._references()
        return known.get(f"refs/heads/{name}") or known.get(f"refs/tags/{name}")

    def head(self) -> str:
        """The commit that is checked out or, in a bare one, of the default branch."""
        if SHA.fullmatch(self._said):
            return self._said
        found = self._references().get(self._said.removeprefix("ref: "))
        if found is None:
            raise RepoError("REPO_EMPTY", EMPTY)
        return found

    def branches(self) -> int:
        return sum(name.startswith("refs/heads/") for name in self._references())

    def _references(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for line in (self._text(self._common / "packed-refs") or "").splitlines():
            value, _, name = line.partition(" ")
            if SHA.fullmatch(value):
                found[name] = value
        for folder in (self._common / "refs" / "heads", self._common / "refs" / "tags"):
            for each in sorted(folder.rglob("*")) if folder.is_dir() else ():
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
