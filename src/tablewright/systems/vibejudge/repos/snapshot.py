"""A repository at one commit, as data. It can be pickled, and holds nobody's name or address."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias

SkipReason: TypeAlias = Literal[
    "symlink", "submodule", "too_large", "binary", "too_much_text", "missing", "lfs"
]


@dataclass(frozen=True, slots=True)
class SourceFile:
    path: str
    size: int
    #: None: binary, or too large. Lines end in \n, whatever the file has.
    text: str | None
    language: str | None
    lines: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a commit did to a file; a binary one has no lines."""

    path: str
    added: int
    deleted: int


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    #: ``author-1`` is who made the oldest of these commits. Names and addresses stay in git.
    author: str
    #: When it was written, in UTC.
    at: datetime
    message: str
    files_changed: tuple[Change, ...] = ()
    merge: bool = False

    @property
    def added(self) -> int:
        return sum(each.added for each in self.files_changed)


@dataclass(frozen=True, slots=True)
class Diff:
    sha: str
    text: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that is there but was not read."""

    path: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Snapshot:
    sha: str
    #: By path.
    files: tuple[SourceFile, ...]
    #: From the newest.
    commits: tuple[Commit, ...]
    #: All of them, though only the newest are told.
    commit_count: int
    branch_count: int = 1
    default_branch: str | None = None
    diffs: tuple[Diff, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = field(default=())

    def file(self, path: str) -> SourceFile | None:
        return next((each for each in self.files if each.path == path), None)
