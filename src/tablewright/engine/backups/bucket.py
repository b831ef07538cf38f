"""Local folders that stand for S3 buckets: where exports go and imports come from.

The bucket ``name`` is the folder ``blobs/name`` in the data folder; an engine in memory has a
temporary folder, which goes when the engine is closed. Keys are paths below it. Nothing a request
names may lead out of its bucket.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.engine.backups.files import sync_folder
from tablewright.engine.errors import validation

if TYPE_CHECKING:
    from tablewright.engine.engine import Engine

_NAME = re.compile(r"[a-z0-9A-Z]+[.\-\w]*[a-z0-9A-Z]+", re.ASCII).fullmatch
#: Fits every file system that matters, and nothing in it has a meaning to one.
_SEGMENT = re.compile(r"[^/\\:\x00-\x1f]{1,255}").fullmatch

_making = threading.Lock()


def root(engine: Engine) -> Path:
    """The folder that holds all buckets."""
    if engine.folder is not None:
        return engine.folder.path / "blobs"
    with _making:
        if engine.buckets is None:
            folder = tempfile.TemporaryDirectory(prefix="tablewright-")
            engine.buckets = Path(engine.resources.enter_context(folder))
        return engine.buckets


def path_of(engine: Engine, bucket: str) -> Path:
    """The folder of one bucket."""
    if _NAME(bucket) is None:
        raise validation(f"Invalid S3 bucket name: {bucket}")
    return root(engine) / bucket


def check_prefix(prefix: str) -> str:
    """The prefix without slashes at its ends; refused if it could lead out of the bucket."""
    trimmed = prefix.strip("/")
    for segment in trimmed.split("/") if trimmed else ():
        if segment in (".", "..") or _SEGMENT(segment) is None:
            raise validation(f"Invalid S3 prefix: {prefix}")
    return trimmed


def target(engine: Engine, bucket: str, key: str) -> Path:
    """The file of a key that is to be written, its folder made."""
    base = path_of(engine, bucket)
    path = base / check_prefix(key)
    # A link inside the bucket must not lead out of it either.
    if not path.parent.resolve().is_relative_to(base.resolve()):
        raise OSError(f"{key} lies outside of the bucket {bucket}")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def put(engine: Engine, bucket: str, key: str, content: bytes) -> None:
    """Write one whole file; it appears when all of it is on disk."""
    path = target(engine, bucket, key)
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        sync_folder(path.parent)
    finally:
        part.unlink(missing_ok=True)


def keys(engine: Engine, bucket: str, prefix: str) -> Iterator[tuple[str, Path]]:
    """The keys that begin with ``prefix``, in order, and their files."""
    base = path_of(engine, bucket).resolve()
    found = []
    for path in base.rglob("*"):
        key = path.relative_to(base).as_posix()
        if key.startswith(prefix) and path.is_file() and path.resolve().is_relative_to(base):
            found.append((key, path))
    yield from sorted(found)
