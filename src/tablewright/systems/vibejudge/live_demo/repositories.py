"""The demo's repositories, made of their stories: the same commits on every machine."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from tempfile import mkdtemp

from tablewright.systems.vibejudge.live_demo.stories import Step, Story, read_story
from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import Git

BRANCH = "refs/heads/main"
_SUFFIX = ".story"
#: In each of them: what it was made of.
_MADE_OF = "made-of"
_SECS = 60.0
_SETTINGS = {
    "fastimport.unpackLimit": "0",
    # Whoever reads repositories of this machine reads references as files.
    "init.defaultRefFormat": "files",
}


@cache
def projects() -> tuple[str, ...]:
    """All that come with the program, by name."""
    found = (each.name for each in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in found if name.endswith(_SUFFIX)))


@cache
def story(project: str) -> Story:
    text = (_folder() / f"{project}{_SUFFIX}").read_text(encoding="utf-8")
    return read_story(text, lambda other: story(other).files())


def place_of(folder: Path, project: str) -> Path:
    return folder / f"{project}.git"


def build(folder: Path) -> None:
    """All repositories, bare, below a folder. It blocks.

    Each is made beside its place and moved there when it is whole, so whoever looks finds a whole
    one or none. One that is there already is left alone, unless its story has changed since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for project in projects():
        _build_one(folder, project)


def stream(told: Story) -> bytes:
    """A story as ``git fast-import`` reads it."""
    return b"".join(piece for step in told.steps for piece in _commit(step))


def _commit(step: Step) -> Iterator[bytes]:
    who = f"{step.author.name} <{step.author.email}> {int(step.at.timestamp())} +0000"
    yield f"commit {BRANCH}\nauthor {who}\ncommitter {who}\n".encode()
    yield _data(step.message)
    for path, text in sorted(step.changes.items()):
        if text is None:
            yield f"D {path}\n".encode()
        else:
            yield f"M 100644 inline {path}\n".encode() + _data(text)
    yield b"\n"


def _data(text: str) -> bytes:
    said = text.encode()
    return b"data %d\n%s\n" % (len(said), said)


def _build_one(folder: Path, project: str) -> None:
    place, given = place_of(folder, project), stream(story(project))
    made_of = sha256(given).hexdigest()
    if _read(place / _MADE_OF) == made_of:
        return
    fresh = Path(mkdtemp(prefix=f".{project}-", dir=folder))
    try:
        _import(fresh, given)
        (fresh / _MADE_OF).write_text(made_of, encoding="ascii")
        _move(fresh, place, made_of)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _import(folder: Path, given: bytes) -> None:
    git = Git(folder, deadline=time.monotonic() + _SECS, extra=_SETTINGS)
    for words, said in (
        (("init", "--quiet", "--bare", "--template=", "--object-format=sha1", str(folder)), b""),
        (("fast-import", "--quiet", "--date-format=raw"), given),
        (("symbolic-ref", "HEAD", BRANCH), b""),
    ):
        ended = git.run(*words, given=said)
        if ended.status:
            raise RepoError("REPO_BROKEN", f"git {words[0]} made no repository: {ended.err}")


def _move(fresh: Path, place: Path, made_of: str) -> None:
    """Into its place; somebody else may have put the same there meanwhile."""
    if _read(place / _MADE_OF) == made_of:
        return
    old = fresh.with_name(f"{fresh.name}-old")
    try:
        with suppress(FileNotFoundError):  # none, or somebody else has just moved it away
            os.rename(place, old)
        os.rename(fresh, place)
    except OSError:
        if _read(place / _MADE_OF) != made_of:
            raise
    finally:
        shutil.rmtree(old, ignore_errors=True)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return None


def _folder() -> Path:
    return Path(str(files("tablewright.systems.vibejudge.live_demo") / "projects"))
