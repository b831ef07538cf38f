"""Commits, what they changed, and diffs; from the newest.

Commits are read as objects, whose parts have lengths, and changes as lists that end in NUL: what
somebody writes into a message or a name cannot be taken for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import Git, TooMuch
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.snapshot import Change, Commit, Diff
from tablewright.systems.vibejudge.repos.trees import objects

_MOST_MESSAGE = 4000
_MOST_BROKEN = 25
_PERSON = re.compile(rb"(?P<name>[^<\n]*)<(?P<email>[^>\n]*)>\s*(?P<at>-?\d{1,12})")
_CHANGE = re.compile(rb"(\d+|-)\t(\d+|-)\t(.+)", re.DOTALL)
_SHA_LINE = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DIFF = ("diff-tree", "--stdin", "-r", "--root", "--no-renames", "--no-ext-diff", "--no-textconv")
_EPOCH_MOST = 253402300799


@dataclass(frozen=True, slots=True)
class _Raw:
    commit: Commit
    #: Who, as git has it; it goes no further than this module.
    who: bytes


def read_commits(git: Git, sha: str, limits: Limits) -> tuple[tuple[Commit, ...], int]:
    """The newest commits with their changes, and how many there are in all."""
    shas = _shas(git, sha, limits)
    read = [_raw(each, body) for each, body in zip(shas, objects(git, shas, limits), strict=True)]
    found = [each for each in read if each is not None]
    changes = _changes(git, [each.commit.sha for each in found if not each.commit.merge], limits)
    names = _anonymous(found)
    commits = tuple(
        replace(
            each.commit,
            author=names[each.who],
            files_changed=tuple(changes.get(each.commit.sha, ())),
        )
        for each in found
    )
    return commits, _count(git, sha, len(commits))


def _shas(git: Git, sha: str, limits: Limits) -> list[bytes]:
    ended = git.run("rev-list", f"--max-count={limits.commits}", sha, most=limits.listing_bytes)
    if ended.status:
        raise RepoError("REPO_BROKEN", "the history of the repository cannot be read")
    return ended.out.split()


def _count(git: Git, sha: str, read: int) -> int:
    ended = git.run("rev-list", "--count", sha)
    said = ended.out.strip()
    return int(said) if said.isdigit() else read


def _raw(sha: bytes, body: bytes | None) -> _Raw | None:
    if body is None:
        return None
    head, _, message = body.partition(b"\n\n")
    lines = head.split(b"\n")
    author = next((line[7:] for line in lines if line.startswith(b"author ")), b"")
    known = _PERSON.match(author)
    who = (known["email"].strip().lower() or known["name"].strip()) if known else author
    at = _moment(int(known["at"])) if known else datetime.fromtimestamp(0, UTC)
    text = message[:_MOST_MESSAGE].decode("utf-8", "replace").strip()
    merge = sum(line.startswith(b"parent ") for line in lines) > 1
    return _Raw(Commit(sha.decode("ascii"), "", at, text, merge=merge), who)


def _moment(epoch: int) -> datetime:
    return datetime.fromtimestamp(min(max(epoch, 0), _EPOCH_MOST), UTC)


def _anonymous(found: Sequence[_Raw]) -> dict[bytes, str]:
    """A number for each, from the oldest commit on: nothing to guess an address from."""
    names: dict[bytes, str] = {}
    for each in reversed(found):
        names.setdefault(each.who, f"author-{len(names) + 1}")
    return names


def _changes(git: Git, shas: Sequence[str], limits: Limits) -> dict[str, list[Change]]:
    """By commit. Git stops at one whose objects are missing: it goes on after that one."""
    found: dict[str, list[Change]] = {}
    left = list(shas)
    for _ in range(_MOST_BROKEN):
        try:
            _read_changes(git, left, limits, found)
            break
        except RepoError as error:
            if error.code != "REPO_BROKEN":
                raise
        read = next((at for at, sha in enumerate(reversed(left)) if sha in found), len(left))
        # What follows the last one that was told is the broken one.
        left = left[len(left) - read + 1 :]
    return found


def _read_changes(
    git: Git, shas: Sequence[str], limits: Limits, found: dict[str, list[Change]]
) -> None:
    current: list[Change] = []
    for token in _tokens(git, shas, limits):
        change = _CHANGE.fullmatch(token)
        if change is not None:
            current.append(_change(change))
        elif _SHA_LINE.fullmatch(token.strip()):
            current = found.setdefault(token.strip().decode("ascii"), [])


def _tokens(git: Git, shas: Sequence[str], limits: Limits) -> Iterator[bytes]:
    if not shas:
        return
    given = "".join(f"{sha}\n" for sha in shas).encode("ascii")
    rest = b""
    try:
        for piece in git.stream(*_DIFF, "-z", "--numstat", given=given, most=limits.listing_bytes):
            *whole, rest = (rest + piece).split(b"\0")
            yield from whole
    except TooMuch:
        raise RepoError("REPO_TOO_LARGE", "the history changes too many files") from None


def _change(found: re.Match[bytes]) -> Change:
    added, deleted, path = found.groups()
    return Change(path.decode("utf-8", "replace"), _lines(added), _lines(deleted))


def _lines(said: bytes) -> int:
    return int(said) if said.isdigit() else 0


def read_diffs(git: Git, commits: Sequence[Commit], limits: Limits) -> tuple[Diff, ...]:
    """The diffs of the newest commits, each cut to a length."""
    shas = [each.sha for each in commits if not each.merge][: limits.diffs]
    found: dict[str, list[str]] = {}
    left, current = 0, [""]
    for line in _patch(git, shas, limits):
        # Every line of a patch has a mark in front; a bare hash can only be the next commit.
        if _SHA_LINE.fullmatch(line):
            current, left = found.setdefault(line.decode("ascii"), []), limits.diff_chars
        elif left > 0:
            text = line.decode("utf-8", "replace")[:left]
            left -= len(text) + 1
            current.append(text)
    return tuple(Diff(sha, "\n".join(found[sha])) for sha in shas if found.get(sha))


def _patch(git: Git, shas: Sequence[str], limits: Limits) -> Iterator[bytes]:
    if not shas:
        return
    given = "".join(f"{sha}\n" for sha in shas).encode("ascii")
    rest = b""
    try:
        for piece in git.stream(*_DIFF, "-p", given=given, most=limits.listing_bytes):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
    except (TooMuch, RepoError):
        # Diffs only illustrate: those that were read do.
        return
