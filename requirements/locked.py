"""What the locks hold: every package with its version, its hashes, and what it is needed for.

Read by the audit and by the bill of materials, so that both speak of the same things. Only the
standard library is used.
"""

from __future__ import annotations

import base64
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
#: What names ourselves in the remarks of a lock.
_OURSELVES = "tablewright"
#: Locks of what is needed before or beside everything else, and by nobody who installs the package.
_TOOLS = ("bootstrap.txt", "node.txt")
#: The extras that are for users; `dev` is for those who work on it.
EXTRAS = ("aws", "systems", "onnx", "tools")

#: Who needs a package, the most important first.
CORE, EXTRA, DEV = "core", "extra", "development"


@dataclass(frozen=True)
class Hash:
    """A checksum of one file in which a package is published."""

    algorithm: str
    content: str


@dataclass(frozen=True)
class Package:
    """One package in one version."""

    ecosystem: str
    name: str
    version: str
    #: Who needs it: ``core``, ``extra`` or ``development``.
    use: str
    hashes: tuple[Hash, ...]
    #: The names of those that need it directly.
    wanted_by: tuple[str, ...] = ()
    #: For which machines it is, if not for all.
    marker: str = ""

    @property
    def purl(self) -> str:
        """How bills of materials name it."""
        return f"pkg:{self.ecosystem}/{self.name.replace('@', '%40')}@{self.version}"


def packages(root: Path = ROOT) -> list[Package]:
    """Everything that is locked, Python's first, by name."""
    return [*python_packages(root), *npm_packages(root)]


# --- Python --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Entry:
    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    wanted_by: tuple[str, ...]


def python_packages(root: Path = ROOT) -> list[Package]:
    folder = root / "requirements"
    whole = _entries((folder / "dev.txt").read_text())
    use = _use_of(whole, {each.name for each in _entries((folder / "core.txt").read_text())}, root)
    found = {(each.name, each.version): _package(each, use[each.name]) for each in whole}
    for lock in _TOOLS:
        for each in _entries((folder / lock).read_text()):
            found.setdefault((each.name, each.version), _package(each, DEV))
    return [found[key] for key in sorted(found)]


def _entries(text: str) -> list[_Entry]:
    """The requirements of a lock as `uv pip compile` writes it."""
    blocks = re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]
    return [_entry(block) for block in blocks]


def _entry(block: str) -> _Entry:
    head = block.partition("\n")[0].rstrip("\\ ")
    pinned, _, marker = head.partition(" ; ")
    name, _, version = pinned.partition("==")
    if not version:
        raise ValueError(f"not a locked requirement: {head!r}")
    remarks = re.findall(r"^    #(?: via)? +(\S+)", block, re.MULTILINE)
    return _Entry(
        name.partition("[")[0].strip(),
        version.strip(),
        marker.strip(),
        tuple(re.findall(r"--hash=sha256:([0-9a-f]{64})", block)),
        tuple(sorted({each for each in remarks if each not in ("-r", "via")})),
    )


def _package(entry: _Entry, use: str) -> Package:
    hashes = tuple(Hash("SHA-256", each) for each in sorted(entry.hashes))
    wanted_by = tuple(each for each in entry.wanted_by if "/" not in each)
    return Package("pypi", entry.name, entry.version, use, hashes, wanted_by, entry.marker)


def _use_of(entries: Iterable[_Entry], core: set[str], root: Path) -> dict[str, str]:
    """Who needs what: core by its own lock, extras by what their packages lead to."""
    wants: dict[str, set[str]] = {}
    for entry in entries:
        for parent in entry.wanted_by:
            wants.setdefault(parent, set()).add(entry.name)
    extra = _reached(_asked_for(root), wants)
    names = (entry.name for entry in entries)
    return {each: CORE if each in core else EXTRA if each in extra else DEV for each in names}


def _asked_for(root: Path) -> set[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    asked = [each for extra in EXTRAS for each in project["optional-dependencies"][extra]]
    found = (re.match(r"[A-Za-z0-9._-]+", each) for each in asked)
    return {re.sub(r"[-_.]+", "-", each[0]).lower() for each in found if each}


def _reached(start: set[str], wants: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    ahead = list(start)
    while ahead:
        name = ahead.pop()
        if name not in reached and name != _OURSELVES:
            reached.add(name)
            ahead += wants.get(name, ())
    return reached


# --- npm -----------------------------------------------------------------------------------------


def npm_packages(root: Path = ROOT) -> list[Package]:
    lock = json.loads((root / "package-lock.json").read_text())["packages"]
    places = {place: about for place, about in lock.items() if place}
    wanted: dict[str, list[str]] = {}
    for place, about in lock.items():
        for name in (*about.get("dependencies", ()), *about.get("devDependencies", ())):
            wanted.setdefault(name, []).append(npm_name(place) if place else _OURSELVES)
    found = [_npm_package(place, about, wanted) for place, about in places.items()]
    return sorted(found, key=lambda each: (each.name, each.version))


def npm_name(place: str) -> str:
    """The name of what lies at a place such as `node_modules/@tabler/core`."""
    return place.rpartition("node_modules/")[2]


def _npm_package(
    place: str, about: Mapping[str, str], wanted: Mapping[str, Iterable[str]]
) -> Package:
    name = npm_name(place)
    algorithm, _, content = about["integrity"].partition("-")
    plain = Hash(f"SHA-{algorithm.removeprefix('sha')}", base64.b64decode(content).hex())
    use = DEV if about.get("dev") else EXTRA
    return Package("npm", name, about["version"], use, (plain,), tuple(sorted(wanted[name])))
