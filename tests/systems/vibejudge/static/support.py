"""Snapshots made of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from tablewright.systems.vibejudge.repos.languages import language_of
from tablewright.systems.vibejudge.repos.snapshot import Change, Commit, Snapshot, SourceFile
from tablewright.systems.vibejudge.static.codebase import Code, Codebase
from tablewright.systems.vibejudge.static.facts import Facts

START = datetime(2026, 3, 1, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


def file_of(path: str, text: str | None, size: int | None = None) -> SourceFile:
    length = len((text or "").encode()) if size is None else size
    lines = 0 if not text else text.count("\n") + (not text.endswith("\n"))
    return SourceFile(path, length, text, language_of(path), lines)


def code_of(text: str, path: str = "app.py") -> Code:
    return Code(file_of(path, text), "product")


def commit(
    number: int,
    changes: Mapping[str, int] | None = None,
    *,
    at: datetime | None = None,
    who: str = "author-1",
    message: str = "Work",
) -> Commit:
    return Commit(
        sha=f"{number:040x}",
        author=who,
        at=at or START + number * HOUR,
        message=message,
        files_changed=tuple(Change(path, added, 0) for path, added in (changes or {}).items()),
    )


def snapshot_of(
    files: Mapping[str, str | None],
    commits: Sequence[Commit] = (),
    sizes: Mapping[str, int] | None = None,
) -> Snapshot:
    made = [file_of(path, text, (sizes or {}).get(path)) for path, text in files.items()]
    held = tuple(commits) or (commit(1, {each.path: each.lines for each in made}),)
    return Snapshot(
        sha="a" * 40,
        files=tuple(sorted(made, key=lambda each: each.path)),
        commits=held,
        commit_count=len(held),
    )


def facts_of(
    files: Mapping[str, str | None],
    commits: Sequence[Commit] = (),
    sizes: Mapping[str, int] | None = None,
) -> Facts:
    return Facts(Codebase(snapshot_of(files, commits, sizes)))
