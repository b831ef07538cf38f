"""Files at a commit: names and sizes first, then the contents of those that are worth it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tablewright.systems.vibejudge.repos.errors import RepoError
from tablewright.systems.vibejudge.repos.git import Git, TooMuch
from tablewright.systems.vibejudge.repos.languages import is_binary_name, language_of
from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.snapshot import Skipped, SkipReason, SourceFile

_SYMLINK, _SUBMODULE = b"120000", b"160000"
_MOST_PATH = 1024
_LFS = b"version https://git-lfs.github.com/spec/"
_SNIFFED = 8000


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    sha: bytes
    size: int


def read_files(
    git: Git, sha: str, limits: Limits
) -> tuple[tuple[SourceFile, ...], tuple[Skipped, ...]]:
    """All files by path, with the text of those that have one, and what was left out."""
    entries, skipped = _listed(git, sha, limits)
    wanted, left_out = _wanted(entries, limits)
    skipped += left_out
    texts, unread = _texts(git, wanted, limits)
    skipped += unread
    files = tuple(_file(each, texts.get(each.path)) for each in entries)
    return files, tuple(sorted(skipped, key=lambda each: each.path))


def _file(entry: _Entry, text: str | None) -> SourceFile:
    lines = 0 if not text else text.count("\n") + (not text.endswith("\n"))
    return SourceFile(entry.path, entry.size, text, language_of(entry.path), lines)


def _listed(git: Git, sha: str, limits: Limits) -> tuple[list[_Entry], list[Skipped]]:
    """Trees may hold one another a billion times over: the list is cut while it is being made."""
    entries: list[_Entry] = []
    skipped: list[Skipped] = []
    try:
        for record in _records(git, sha, limits):
            about, _, name = record.partition(b"\t")
            mode, kind, object_sha, size = about.split()
            path = name.decode("utf-8", "replace")
            if mode in (_SYMLINK, _SUBMODULE):
                skipped.append(Skipped(path, "symlink" if mode == _SYMLINK else "submodule"))
            elif kind == b"blob" and len(name) <= _MOST_PATH:
                entries.append(_Entry(path, object_sha, int(size) if size.isdigit() else 0))
            if len(entries) + len(skipped) > limits.files:
                raise TooMuch("ls-tree")
    except TooMuch:
        raise RepoError(
            "REPO_TOO_LARGE", f"the repository has more than {limits.files} files"
        ) from None
    entries.sort(key=lambda each: each.path)
    return _one_of_each(entries), skipped


def _records(git: Git, sha: str, limits: Limits) -> Iterator[bytes]:
    rest = b""
    words = ("ls-tree", "-r", "-z", "-l", "--full-tree", sha)
    for piece in git.stream(*words, most=limits.listing_bytes):
        *whole, rest = (rest + piece).split(b"\0")
        yield from whole


def _one_of_each(entries: list[_Entry]) -> list[_Entry]:
    # Names that differ only in bytes that are no text look the same to us.
    return list({each.path: each for each in entries}.values())


def _wanted(entries: Sequence[_Entry], limits: Limits) -> tuple[list[_Entry], list[Skipped]]:
    wanted: list[_Entry] = []
    skipped: list[Skipped] = []
    total = 0
    for each in entries:
        reason: SkipReason | None = None
        if is_binary_name(each.path):
            reason = "binary"
        elif each.size > limits.file_bytes:
            reason = "too_large"
        elif total + each.size > limits.text_bytes:
            reason = "too_much_text"
        if reason:
            skipped.append(Skipped(each.path, reason))
        else:
            total += each.size
            wanted.append(each)
    return wanted, skipped


def _texts(
    git: Git, entries: Sequence[_Entry], limits: Limits
) -> tuple[dict[str, str], list[Skipped]]:
    texts: dict[str, str] = {}
    skipped: list[Skipped] = []
    for entry, body in zip(entries, objects(git, [e.sha for e in entries], limits), strict=True):
        reason = _unreadable(body, limits)
        if reason is None and body is not None:
            texts[entry.path] = _decoded(body)
        else:
            skipped.append(Skipped(entry.path, reason or "missing"))
    return texts, skipped


def _unreadable(body: bytes | None, limits: Limits) -> SkipReason | None:
    if body is None:
        return "missing"
    if len(body) > limits.file_bytes:
        return "too_large"
    if body.startswith(_LFS):
        return "lfs"
    if b"\0" in body[:_SNIFFED] and not body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "binary"
    return None


def _decoded(body: bytes) -> str:
    encoding = "utf-16" if body.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError:
        text = body.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def objects(git: Git, shas: Sequence[bytes], limits: Limits) -> Iterator[bytes | None]:
    """The objects in this order; None for one that is not there or larger than a file may be.

    Sizes are asked for before: what a small pack unpacks to is known before it is unpacked.
    """
    sizes = _sizes(git, shas, limits)
    given = [sha for sha in shas if 0 <= sizes[sha] <= limits.file_bytes]
    found = _contents(git, given, sum(sizes[sha] for sha in given) + 200 * len(given))
    for sha in shas:
        yield next(found) if 0 <= sizes[sha] <= limits.file_bytes else None


def _sizes(git: Git, shas: Sequence[bytes], limits: Limits) -> dict[bytes, int]:
    sizes = dict.fromkeys(shas, -1)
    if not shas:
        return sizes
    ended = git.run(
        "cat-file",
        "--batch-check=%(objectname) %(objectsize)",
        given=b"\n".join(sizes) + b"\n",
        most=limits.listing_bytes,
    )
    for line in ended.out.splitlines():
        sha, _, size = line.partition(b" ")
        if size.isdigit():
            sizes[sha] = int(size)
    return sizes


def _contents(git: Git, shas: Sequence[bytes], most: int) -> Iterator[bytes]:
    if not shas:
        return
    held = bytearray()
    pieces = git.stream("cat-file", "--batch", given=b"\n".join(shas) + b"\n", most=most)
    for _ in shas:
        while (end := held.find(b"\n")) < 0:
            held += next(pieces)
        size = int(held[:end].rsplit(b" ", 1)[1])
        del held[: end + 1]
        while len(held) < size + 1:
            held += next(pieces)
        yield bytes(held[:size])
        del held[: size + 1]
