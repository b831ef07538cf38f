"""Feeds and records in the folder that the settings name: sources without a network.

A source says ``file:headlines.jsonl``: the name of a file in there, never a path.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

from tablewright.service.outbound import UnsafeAddress
from tablewright.systems.sentiment.fetching.failures import Refused
from tablewright.systems.sentiment.fetching.feeds import parsed
from tablewright.systems.sentiment.fetching.found import Found
from tablewright.systems.sentiment.rules.lines import BadFile, FileKind, Line, lines_of

SCHEME = "file:"
MOST_FEED_BYTES = 5 * 1024 * 1024
#: Records that are handed on at once, and bytes that are read at once.
BATCH, PIECE = 100, 64 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\Z")
_FEEDS = frozenset({".xml", ".rss", ".atom"})
_KINDS: dict[str, FileKind] = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv"}


def is_file(url: str) -> bool:
    return url.startswith(SCHEME)


def path_of(url: str, folder: Path | None, *, feed: bool) -> Path:
    """The file that a source names; :class:`UnsafeAddress` if it may not be read."""
    if folder is None:
        raise UnsafeAddress("is a file, but the settings name no feed_folder")
    name = url.removeprefix(SCHEME)
    allowed = _FEEDS if feed else frozenset(_KINDS)
    if _NAME.match(name) is None or Path(name).suffix.lower() not in allowed:
        wanted = ", ".join(sorted(allowed))
        raise UnsafeAddress(f"must be the name of a file in feed_folder that ends with {wanted}")
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UnsafeAddress("leads out of feed_folder")
    return path


async def read_feed(path: Path, etag: str | None) -> Found | None:
    """A feed in a file; None if it is what it was."""
    try:
        mark = await asyncio.to_thread(mark_of, path)
        if mark == etag:
            return None
        body = await asyncio.to_thread(_read, path)
    except OSError as error:
        raise Refused("NO_FILE", f"cannot be read: {error.strerror}") from error
    return await parsed(body, path.stem, etag=mark)


def mark_of(path: Path) -> str:
    """Changes with the file."""
    stat = path.stat()
    return f"{stat.st_mtime_ns:x}-{stat.st_size:x}"


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        body = file.read(MOST_FEED_BYTES + 1)
    if len(body) > MOST_FEED_BYTES:
        raise Refused("TOO_LARGE", f"more than {MOST_FEED_BYTES} bytes")
    return body


def batches(path: Path, size: int = BATCH) -> Iterator[list[Line]]:
    """The lines of a file of records, some at a time; as they are read, so is the file."""
    lines = lines_of(_KINDS[path.suffix.lower()])
    waiting: list[Line] = []
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                waiting.extend(lines.feed(piece))
                while len(waiting) >= size:
                    yield waiting[:size]
                    del waiting[:size]
        waiting.extend(lines.end())
    except BadFile as error:
        raise Refused("BAD_FILE", str(error)) from error
    except OSError as error:
        raise Refused("NO_FILE", f"cannot be read: {error.strerror}") from error
    yield from (waiting[at : at + size] for at in range(0, len(waiting), size))
