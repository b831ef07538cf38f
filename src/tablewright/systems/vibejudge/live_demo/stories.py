"""Histories of projects, as people can read and write them.

A story tells how a project came about, commit by commit. Lines that begin with ``@@`` say what
follows them; everything else is text.

====================================  ============================================================
``@@ project NAME``                   whose story it is
``@@ author KEY NAME <ADDRESS>``      somebody who takes part
``@@ commit DAY TIME KEY``            in UTC; then the message, up to the first change
``@@ file PATH``                      a new file, or all of one that is there; then its text
``@@ edit PATH``                      a text that stands in the file once, then ``@@ into`` and
                                      what stands there from then on
``@@ delete PATH``                    a file goes
``@@ take PROJECT PATH as PATH``      a file of another project, as it is in the end
====================================  ============================================================

Blank lines at the end of a text are for the eye. Where ``~|~`` stands in a text, there is nothing:
it parts what a search for keys that lie open would otherwise find among the files of this program.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

NOTHING = "~|~"
_MARK = "@@ "
_COMMIT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) (\w+)")
_TAKE = re.compile(r"(\w+) (\S+) as (\S+)")

#: The files of another project, by its name.
Others = Callable[[str], Mapping[str, str]]


class StoryError(Exception):
    """A story that cannot be told; the message says where."""


@dataclass(frozen=True, slots=True)
class Author:
    name: str
    email: str


@dataclass(slots=True)
class Step:
    """A commit, and what it made of the files that it touched; None took one away."""

    author: Author
    at: datetime
    message: str = ""
    changes: dict[str, str | None] = field(default_factory=dict)


@dataclass(slots=True)
class Story:
    project: str
    steps: list[Step] = field(default_factory=list)

    def files(self) -> dict[str, str]:
        """As they are in the end."""
        found: dict[str, str] = {}
        for step in self.steps:
            for path, text in step.changes.items():
                if text is None:
                    found.pop(path, None)
                else:
                    found[path] = text
        return found


def read_story(text: str, others: Others) -> Story:
    return _Reader(others).read(text)


class _Reader:
    def __init__(self, others: Others) -> None:
        self._others = others
        self._authors: dict[str, Author] = {}
        self._files: dict[str, str] = {}
        self._story = Story("")
        #: Where an edit has been begun: the path, and what stands there.
        self._old: tuple[str, str] | None = None

    def read(self, text: str) -> Story:
        for line, word, given, body in _parts(text):
            take = getattr(self, f"_{word}", None)
            if take is None:
                raise StoryError(f"line {line}: nobody knows what @@ {word} is")
            try:
                take(given, body)
            except (LookupError, ValueError) as error:
                raise StoryError(f"{self._story.project}, line {line}: {error}") from error
        return self._story

    def _project(self, given: str, _: str) -> None:
        self._story.project = given

    def _author(self, given: str, _: str) -> None:
        key, _, rest = given.partition(" ")
        name, _, address = rest.partition(" <")
        self._authors[key] = Author(name, address.removesuffix(">"))

    def _commit(self, given: str, body: str) -> None:
        found = _COMMIT.fullmatch(given)
        if found is None:
            raise ValueError("a commit has a day, a time and an author")
        at = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=UTC)
        self._story.steps.append(Step(self._authors[found[2]], at, body))

    def _file(self, path: str, body: str) -> None:
        self._put(path, body)

    def _edit(self, path: str, body: str) -> None:
        self._old = path, body.removesuffix("\n")

    def _into(self, _: str, body: str) -> None:
        if self._old is None:
            raise ValueError("there is no edit that this belongs to")
        path, old = self._old
        text, self._old = self._files[path], None
        if text.count(old) != 1:
            raise ValueError(f"{path} has that text {text.count(old)} times, not once")
        self._put(path, text.replace(old, body.removesuffix("\n")))

    def _delete(self, path: str, _: str) -> None:
        del self._files[path]
        self._story.steps[-1].changes[path] = None

    def _take(self, given: str, _: str) -> None:
        found = _TAKE.fullmatch(given)
        if found is None:
            raise ValueError("a file is taken as: PROJECT PATH as PATH")
        self._put(found[3], self._others(found[1])[found[2]])

    def _put(self, path: str, text: str) -> None:
        self._files[path] = text
        self._story.steps[-1].changes[path] = text


def _parts(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Each mark with its line, its word, what is given to it, and the text below it."""
    mark: tuple[int, str] | None = None
    body: list[str] = []
    for number, line in enumerate([*text.replace(NOTHING, "").split("\n"), _MARK], 1):
        if not line.startswith(_MARK):
            body.append(line)
            continue
        if mark is not None:
            word, _, given = mark[1].partition(" ")
            yield mark[0], word, given, "\n".join(body).rstrip("\n") + "\n"
        mark, body = (number, line.removeprefix(_MARK)), []
