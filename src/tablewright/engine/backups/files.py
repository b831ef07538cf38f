"""Backup files: one table's items at one moment, compressed, in the data folder.

A file is gzipped JSON lines: a first line that says what it is, one ``{"Item": ...}`` per item,
and a last line with their number. It is written under another name and renamed when all of it is
on disk; whatever else lies in the folder is left from a crash and removed at the next opening.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import orjson

from tablewright.values import Item

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

FORMAT = 1
#: Fast rather than small: a backup is read once, if ever.
_LEVEL = 3
#: Items written between two steps of the job.
_STEP = 500


def path_of(engine: Engine, name: str) -> Path:
    if engine.folder is None:
        raise FileNotFoundError(name)
    return engine.folder.backups / name


def write(path: Path, head: dict[str, Any], rows: Iterable[tuple[bytes]]) -> Iterator[object]:
    """Write a backup file, step by step; there is none until all of it is on disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    count = 0
    try:
        with part.open("wb") as raw:
            with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_LEVEL, filename="") as file:
                file.write(orjson.dumps({"format": FORMAT, **head}) + b"\n")
                for count, (blob,) in enumerate(rows, 1):
                    file.write(b'{"Item":' + blob + b"}\n")
                    if count % _STEP == 0:
                        yield None
                file.write(orjson.dumps({"Items": count}) + b"\n")
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(path)
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def read(path: Path) -> Iterator[Item]:
    """The items of a backup file; ValueError or EOFError if it is not whole."""
    count = 0
    with gzip.open(path, "rb") as file:
        head = orjson.loads(file.readline())
        if head.get("format") != FORMAT:
            raise ValueError(f"{path} has format {head.get('format')}, which is not known here")
        for line in file:
            entry = orjson.loads(line)
            if "Item" in entry:
                count += 1
                yield entry["Item"]
            elif entry["Items"] == count:
                return
    raise ValueError(f"{path} is not whole: it ends after {count} items")


def rows_of(connection: apsw.Connection, number: int) -> Iterator[tuple[bytes]]:
    """The stored items of a table."""
    rows: Any = connection.execute(f"SELECT item FROM t{number} ORDER BY pk, sk")
    yield from rows


def clean(engine: Engine, keep: set[str]) -> None:
    """Remove every file that is not one of ``keep``."""
    if engine.folder is None or not engine.folder.backups.is_dir():
        return
    for path in engine.folder.backups.iterdir():
        if path.name not in keep and path.is_file():
            path.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Make a rename in this folder durable, where the system offers that."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return  # Windows has no such thing for folders
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
