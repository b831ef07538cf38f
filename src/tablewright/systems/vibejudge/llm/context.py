"""What a model gets to see of a repository.

At most 25 files of 200 lines, 100 commits, 30 diffs, 12,000 characters of the README, and no more
than a model with a small window can read. Lines of files carry their numbers, so that they can be
cited; nothing that a repository says begins a line, so that it cannot pass for one of our headings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tablewright.systems.vibejudge.llm.boundary import visible
from tablewright.systems.vibejudge.llm.injection import Said, Suspicion, scan
from tablewright.systems.vibejudge.llm.selecting import DATA, readme_of, selected
from tablewright.systems.vibejudge.repos.snapshot import Commit, Diff, Snapshot, SourceFile
from tablewright.systems.vibejudge.table import Agent

FILE_LINES, COMMITS, DIFFS, README_CHARS = 200, 100, 30, 12_000
LISTED, DIFF_LINES = 300, 60
#: Characters of a line of code, of a message, and of a line of a diff.
LINE_CHARS, MESSAGE_CHARS, DIFF_CHARS = 300, 200, 200
#: Bytes of all of it: 100,000 tokens at three each, which every model of the list can read.
MOST_BYTES = 300_000
_DIFF_BYTES = 100_000
#: Who looks at the history, and who at what each commit changed.
_HISTORY: frozenset[Agent] = frozenset({"innovation", "ai_detection"})
_CHANGES: frozenset[Agent] = frozenset({"ai_detection"})
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")


@dataclass(frozen=True, slots=True)
class Material:
    """A repository made ready to be shown, once for all agents. It can be pickled."""

    sha: str
    commit_count: int
    #: By agent, what it is shown.
    shown: Mapping[Agent, str]
    #: The text of every file, for citations.
    texts: Mapping[str, str]
    suspicions: tuple[Suspicion, ...]


def material_of(snapshot: Snapshot, agents: Iterable[Agent]) -> Material:
    """Select, render and search. That is work for a processor: not for the thread of an event loop.

    The same snapshot always gives the same.
    """
    files, readme = selected(snapshot.files), readme_of(snapshot.files)
    return Material(
        sha=snapshot.sha,
        commit_count=snapshot.commit_count,
        shown={agent: rendered(agent, snapshot, files, readme) for agent in agents},
        texts={each.path: each.text for each in snapshot.files if each.text is not None},
        suspicions=scan(said_in(snapshot, readme, {each.path for each in files})),
    )


def suspicions_in(snapshot: Snapshot) -> tuple[Suspicion, ...]:
    """What talks to graders, for people to see where no model is asked."""
    shown = {each.path for each in selected(snapshot.files)}
    return scan(said_in(snapshot, readme_of(snapshot.files), shown))


def said_in(snapshot: Snapshot, readme: SourceFile | None, shown: Container[str]) -> Iterator[Said]:
    """All that people wrote, what models read first before the rest.

    Records that no model is shown are left out: reviews of restaurants give tens, too.
    """
    if readme is not None:
        yield Said("file", readme.path, readme.text or "")
    for commit in snapshot.commits:
        yield Said("commit", commit.sha[:12], commit.message)
    for file in snapshot.files:
        yield Said("path", file.path, file.path.replace("/", " ").replace("_", " "))
        if file.text and file != readme and (file.language not in DATA or file.path in shown):
            yield Said("file", file.path, file.text)
    for diff in snapshot.diffs[:DIFFS]:
        yield Said("commit", diff.sha[:12], diff.text)


def rendered(
    agent: Agent, snapshot: Snapshot, files: Iterable[SourceFile], readme: SourceFile | None
) -> str:
    room = _Room(MOST_BYTES)
    room.add(_overview(snapshot))
    room.add(_listing(snapshot))
    if readme is not None:
        room.add(_readme(readme))
    if agent in _HISTORY:
        room.add(_history(snapshot))
    if agent in _CHANGES:
        room.add_all(map(_diff, snapshot.diffs[:DIFFS]), _DIFF_BYTES)
    room.add_all(map(_excerpt, files), MOST_BYTES)
    return room.text()


class _Room:
    """Pieces of text, as long as there is room for whole ones."""

    def __init__(self, most: int) -> None:
        self._left = most
        self._pieces: list[str] = []

    def add(self, piece: str) -> bool:
        piece = visible(piece)
        size = len(piece.encode("utf-8", "replace")) + 2
        if size > self._left:
            return False
        self._left -= size
        self._pieces.append(piece)
        return True

    def add_all(self, pieces: Iterable[str], most: int) -> None:
        until = self._left - most
        for piece in pieces:
            if self._left <= until or not self.add(piece):
                return

    def text(self) -> str:
        return "\n\n".join(self._pieces)


def _overview(snapshot: Snapshot) -> str:
    lines: Counter[str] = Counter()
    for file in snapshot.files:
        if file.language is not None and file.text is not None:
            lines[file.language] += file.lines
    told = ", ".join(f"{language} {count}" for language, count in _most(lines))
    authors = len({commit.author for commit in snapshot.commits})
    return (
        f"## Repository at {snapshot.sha}\n"
        f"{len(snapshot.files)} files; lines by language: {told or 'none'}\n"
        f"{snapshot.commit_count} commits by {authors} authors"
    )


def _most(lines: Counter[str]) -> list[tuple[str, int]]:
    return sorted(lines.items(), key=lambda each: (-each[1], each[0]))[:8]


def _listing(snapshot: Snapshot) -> str:
    paths = [f"- {_path(each)} ({each.lines})" for each in snapshot.files[:LISTED]]
    more = len(snapshot.files) - LISTED
    if more > 0:
        paths.append(f"- and {more} more")
    return "\n".join(["## Files and their lines", *paths])


def _readme(file: SourceFile) -> str:
    text = (file.text or "")[:README_CHARS]
    lines = text.split("\n")
    # Paragraphs often are one line.
    return "\n".join([_heading(file, len(lines)), *_numbered(lines, README_CHARS)])


def _excerpt(file: SourceFile) -> str:
    lines = (file.text or "").split("\n", FILE_LINES)[:FILE_LINES]
    return "\n".join([_heading(file, len(lines)), *_numbered(lines)])


def _heading(file: SourceFile, shown: int) -> str:
    cut = f", the first {shown} lines of {file.lines}" if shown < file.lines else ""
    return f"## File: {_path(file)}{cut}"


def _numbered(lines: Iterable[str], most: int = LINE_CHARS) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        yield f"{number:>5}| {_short(line, most)}"


def _history(snapshot: Snapshot) -> str:
    told = [_commit(each) for each in snapshot.commits[:COMMITS]]
    return "\n".join(["## Commits, the newest first", *told])


def _commit(commit: Commit) -> str:
    deleted = sum(each.deleted for each in commit.files_changed)
    size = f"+{commit.added} -{deleted} in {len(commit.files_changed)} files"
    message = _short(one_line(_ADDRESS.sub("(address)", commit.message)), MESSAGE_CHARS)
    return f"- {commit.sha[:12]} {commit.at:%Y-%m-%dT%H:%M:%SZ} {commit.author} {size}: {message}"


def _diff(diff: Diff) -> str:
    lines = _ADDRESS.sub("(address)", diff.text).split("\n", DIFF_LINES)[:DIFF_LINES]
    told = [f"     | {_short(line, DIFF_CHARS)}" for line in lines]
    return "\n".join([f"## Changes of {diff.sha[:12]}", *told])


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[:most] + "…"


def _path(file: SourceFile) -> str:
    return file.path.replace("\n", " ")


def one_line(text: str) -> str:
    return " ".join(text.split())
