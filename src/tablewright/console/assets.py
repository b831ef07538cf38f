"""Scripts, styles and icons: where they lie, and the names that pages give them.

What npm brought lies in ``static`` under hashed names already (requirements/assets.py writes it);
our own files lie in ``own`` and get their hash when the process starts. Under such a name a file
never changes, so browsers keep it for good.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
OWN = HERE / "own"
STATIC = HERE / "static"
#: Below it, all files are found.
PREFIX = "/assets"
#: What is needed of what npm brings; without it no page can be shown.
NEEDED = (
    "tabler.css",
    "htmx.js",
    "sse.js",
    "echarts.js",
    "jsqr.js",
    "icons.svg",
    "licenses.txt",
)

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True)
class File:
    """One file, ready to be sent."""

    content: bytes
    packed: bytes
    media_type: str


class Assets:
    """All files of the pages."""

    def __init__(self, static: Path = STATIC, own: Path = OWN) -> None:
        brought = _manifest(static)
        #: What is not there; the process runs, and the console says what to do.
        self.missing = tuple(name for name in NEEDED if name not in brought)
        self._names = {name: f"{PREFIX}/{hashed}" for name, hashed in brought.items()}
        self._brought = {hashed: static / hashed for hashed in brought.values()}
        self._files: dict[str, File] = {}
        for path in sorted(own.iterdir()):
            content = path.read_bytes()
            hashed = _hashed(path, content)
            self._names[path.name] = f"{PREFIX}/{hashed}"
            self._files[hashed] = _file(path, content)

    def url(self, name: str) -> str:
        """The path of a file by the name that templates use."""
        return self._names.get(name, f"{PREFIX}/missing/{name}")

    def file(self, hashed: str) -> File | None:
        """A file by its hashed name; read from the disk once."""
        found = self._files.get(hashed)
        if found is None and (path := self._brought.get(hashed)) is not None:
            packed = path.with_name(f"{path.name}.gz")
            content = path.read_bytes()
            found = _file(path, content, packed.read_bytes() if packed.exists() else None)
            self._files[hashed] = found
        return found


def _manifest(static: Path) -> Mapping[str, str]:
    """The names in the folder; none if it is not there, or not whole."""
    try:
        found = json.loads((static / "manifest.json").read_text())
    except (OSError, ValueError):
        return {}
    return {name: hashed for name, hashed in found.items() if (static / hashed).exists()}


def _hashed(path: Path, content: bytes) -> str:
    return f"{path.stem}-{hashlib.sha256(content).hexdigest()[:12]}{path.suffix}"


def _file(path: Path, content: bytes, packed: bytes | None = None) -> File:
    smaller = gzip.compress(content, 6, mtime=0) if packed is None else packed
    return File(content, smaller, _TYPES[path.suffix])


def icon_names(listing: Path = HERE / "icons.txt") -> frozenset[str]:
    """The icons that were fetched."""
    lines: Iterable[str] = listing.read_text().splitlines()
    return frozenset(name for line in lines if (name := line.partition("#")[0].strip()))
