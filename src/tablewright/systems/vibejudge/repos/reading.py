"""A whole snapshot of a repository, from a host or from this machine. Everything here blocks."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

from tablewright.service.outbound.addresses import Resolver, look_up
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access, Bare, fetched
from tablewright.systems.vibejudge.repos.git import Git, TooLong, TooMuch
from tablewright.systems.vibejudge.repos.history import read_commits, read_diffs
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.local import opened
from tablewright.systems.vibejudge.repos.snapshot import Skipped, SkipReason, Snapshot
from tablewright.systems.vibejudge.repos.trees import read_files

_TOLD: dict[SkipReason, str] = {
    "symlink": "symbolic links",
    "submodule": "submodules",
    "too_large": "files above the size that is read",
    "too_much_text": "files after the amount that is read",
    "missing": "files whose contents are missing",
    "lfs": "files kept in LFS",
}


def read_snapshot(bare: Bare, limits: Limits | None = None) -> Snapshot:
    limits = limits or Limits()
    git = Git(bare.folder, deadline=time.monotonic() + limits.secs)
    try:
        files, skipped = read_files(git, bare.sha, limits)
        commits, count = read_commits(git, bare.sha, limits)
        diffs = read_diffs(git, commits, limits) if limits.diffs else ()
    except TooLong:
        raise RepoError("REPO_TIMEOUT", f"it was not read within {limits.secs:g} s") from None
    except TooMuch:
        raise RepoError("REPO_TOO_LARGE", "the repository lists more than is read") from None
    if not files and not skipped:
        raise RepoError("REPO_EMPTY", "the commit has no files")
    return Snapshot(
        sha=bare.sha,
        files=files,
        commits=commits,
        commit_count=count,
        branch_count=max(1, bare.branch_count),
        default_branch=bare.default_branch,
        diffs=diffs,
        skipped=skipped,
        notes=_notes(skipped, count, len(commits), shallow=bare.shallow),
    )


def _notes(
    skipped: tuple[Skipped, ...], count: int, read: int, *, shallow: bool
) -> tuple[str, ...]:
    """What people should know of what was not looked at."""
    numbers = Counter(each.reason for each in skipped)
    notes = [f"Skipped {numbers[key]} {what}." for key, what in _TOLD.items() if numbers[key]]
    if count > read:
        notes.append(f"Read the newest {read} of {count} commits.")
    if shallow:
        notes.append("The history is cut off: it was cloned without all of it.")
    return tuple(notes)


def snapshot_of_url(
    url: str,
    *,
    sha: str | None = None,
    limits: Limits | None = None,
    access: Access | None = None,
    resolver: Resolver = look_up,
) -> Snapshot:
    """A repository at one of the hosts, or below the folder of this machine that is allowed."""
    root = access.root_of(url) if access else None
    if root is not None:
        return snapshot_of_path(Path(url), root=root, sha=sha, limits=limits)
    with fetched(url, sha=sha, limits=limits, access=access, resolver=resolver) as bare:
        return read_snapshot(bare, limits)


def snapshot_of_path(
    path: Path, *, root: Path, sha: str | None = None, limits: Limits | None = None
) -> Snapshot:
    with opened(path, root=root, sha=sha, limits=limits) as bare:
        return read_snapshot(bare, limits)
