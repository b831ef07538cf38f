"""The folders that models are loaded from: where they may lie, and what is in them.

A model is known by a checksum over all files of its folder. So a folder that has changed since it
was registered is another model, and is not loaded as the one that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

#: No model is made of more.
MAX_FILES = 1000
_CHUNK = 1 << 20


class BadModel(Exception):
    """A model that cannot be used, and why; fit to be told to whoever wants to use it."""


class NotInstalled(Exception):
    """What a model runs on is not installed, and what to do about it."""


def folder_below(root: Path | None, path: str) -> Path:
    """The folder of a model, all links followed; it lies below the root or is refused.

    What lies elsewhere gets the answer of what is not there: nobody learns what other folders hold.
    """
    if root is None:
        raise BadModel("no folder for models is configured: set models_folder")
    try:
        top = root.resolve(strict=True)
        found = (top / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        raise BadModel(_nowhere(path)) from None
    if found == top or not found.is_relative_to(top) or not found.is_dir():
        raise BadModel(_nowhere(path))
    return found


def _nowhere(path: str) -> str:
    return f"there is no folder {path!r} below the folder for models"


def files_in(folder: Path, root: Path) -> list[Path]:
    """All files of a folder; one that is a link out of the root is refused."""
    found = list(_capped(folder))
    top = root.resolve()
    for each in found:
        if not each.resolve().is_relative_to(top):
            raise BadModel(f"{each.name} is a link to a place outside of the folder for models")
    if not found:
        raise BadModel("the folder is empty")
    return found


def _capped(folder: Path) -> Iterator[Path]:
    count = 0
    for each in folder.rglob("*"):
        if each.is_dir():
            continue
        if not each.is_file():
            raise BadModel(f"{each.name} is neither a file nor a folder")
        count += 1
        if count > MAX_FILES:
            raise BadModel(f"the folder holds more than {MAX_FILES} files")
        yield each


def checksum(folder: Path, files: Iterable[Path]) -> str:
    """SHA-256 over names, sizes and contents, in the order of the names."""
    whole = sha256()
    for name, each in sorted((each.relative_to(folder).as_posix(), each) for each in files):
        size, content = _content(each)
        whole.update(f"{name}\0{size}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def _content(path: Path) -> tuple[int, bytes]:
    """How long a file is, and the hash of it; read in pieces, since models are large."""
    size, found = 0, sha256()
    with path.open("rb") as file:
        while piece := file.read(_CHUNK):
            size += len(piece)
            found.update(piece)
    return size, found.digest()
