"""What lies in a work tree and in no commit: told to whoever looks at their own repository.

The work tree is compared by a git folder of ours, so that the repository's own settings, which
could name programs to run, are not looked at here either.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import Git, TooLong, TooMuch
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.local import opened

#: It is good to know, and no more: nobody waits long for it.
_SECS = 10.0
_MOST_SAID = 8 * 1024 * 1024
#: What a work tree has of these is never what is committed.
_BUT_LFS = ("--", ".", ":(exclude,attr:filter=lfs)")
_OTHERS = (
    *("ls-files", "--others", "--exclude-standard", "-z"),
    # A folder without anything that is committed counts as one.
    *("--directory", "--no-empty-directory"),
)


@dataclass(frozen=True, slots=True)
class Uncommitted:
    """Numbers of files."""

    changed: int
    new: int

    def __bool__(self) -> bool:
        return bool(self.changed or self.new)


def uncommitted(path: Path, *, root: Path) -> Uncommitted | None:
    """Of a work tree, compared with its head. None if it has none, or if that takes too long."""
    if not (path / ".git").exists():
        return None
    try:
        with opened(path, root=root, limits=Limits(repo_bytes=1 << 62)) as bare:
            return _compared(bare.folder, path, bare.sha)
    except (RepoError, TooLong, TooMuch):
        return None


def _compared(folder: Path, path: Path, sha: str) -> Uncommitted | None:
    git = Git(folder, deadline=time.monotonic() + _SECS, cwd=path)
    here = f"--work-tree={path}"
    if git.run(here, "read-tree", sha).status:
        return None
    git.run(here, "update-index", "-q", "--refresh", most=_MOST_SAID)
    said = ("diff-files", "--name-only", "-z", "--ignore-submodules=all", *_BUT_LFS)
    changed = git.run(here, *said, most=_MOST_SAID)
    new = git.run(here, *_OTHERS, f"--exclude-from={_ignored(folder, path)}", most=_MOST_SAID)
    if changed.status or new.status:
        return None
    return Uncommitted(changed.out.count(b"\0"), new.out.count(b"\0"))


def _ignored(folder: Path, path: Path) -> Path:
    """What the repository ignores beside what its files say: patterns, and nothing to run."""
    own = path / ".git" / "info" / "exclude"
    copy = folder / "ignored"
    copy.write_bytes(own.read_bytes() if own.is_file() else b"")
    return copy
