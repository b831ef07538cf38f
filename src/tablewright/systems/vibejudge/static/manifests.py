"""What a project depends on, as its manifests say, for eleven ecosystems."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tablewright.systems.vibejudge.repos.snapshot import SourceFile

#: A name, and what is asked of its version, as written.
Named: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Dependency:
    ecosystem: str
    name: str
    asked: str
    pinned: bool
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Manifest:
    ecosystem: str
    file: str
    dependencies: tuple[Dependency, ...]


_LOCKS = {
    "npm": "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock",
    "pypi": "poetry.lock pipfile.lock uv.lock pdm.lock pixi.lock conda-lock.yml requirements.lock",
    "cargo": "cargo.lock",
    "go": "go.sum",
    "rubygems": "gemfile.lock",
    "packagist": "composer.lock",
    "maven": "gradle.lockfile",
    "nuget": "packages.lock.json",
    "swift": "package.resolved podfile.lock",
    "pub": "pubspec.lock",
    "hex": "mix.lock",
}
LOCKS: Mapping[str, frozenset[str]] = {key: frozenset(v.split()) for key, v in _LOCKS.items()}
#: An exact version or a compatible range; what is open upwards is not.
_PINNED = re.compile(
    r"^(?:=|==|===|~=|\^|~|~>|v)?\s*\d[\w.+*!-]*$|==|~=|<|~>|^[\^~]|^\[[\d.,\s]+[\])]$"
)
_REQUIREMENT = re.compile(
    r"^\s{0,20}([A-Za-z0-9][\w.-]{0,100})\s{0,8}(?:\[[^\]]{0,200}\])?([^;#]{0,200})"
)


def manifests_of(files: Iterable[SourceFile]) -> list[Manifest]:
    found = []
    for file in files:
        known = _reader(file.path)
        if known is None or file.text is None:
            continue
        ecosystem, read = known
        try:
            named = list(dict.fromkeys(read(file.text)))
        except (ValueError, TypeError, AttributeError, RecursionError):
            # Not what its name says; it is a manifest all the same.
            named = []
        found.append(Manifest(ecosystem, file.path, tuple(_dependencies(ecosystem, file, named))))
    return found


def _dependencies(ecosystem: str, file: SourceFile, named: Iterable[Named]) -> Iterator[Dependency]:
    lines = (file.text or "").split("\n")
    for name, asked in named:
        line = _line_of(name, lines)
        asked = asked.strip()
        yield Dependency(ecosystem, name, asked, bool(_PINNED.search(asked)), file.path, line)


def _line_of(name: str, lines: list[str]) -> int:
    """Where it is asked for: in quotes or at the beginning rather than anywhere."""
    low = [line.lower() for line in lines]
    last = name.rpartition(":")[2]
    for wanted in (f'"{name}"', f"'{name}'", f'"{name}', f"'{name}"):
        for number, line in enumerate(low, 1):
            if wanted in line:
                return number
    begins = (
        at for at, line in enumerate(low, 1) if line.strip().replace("_", "-").startswith(name)
    )
    anywhere = (at for at, line in enumerate(low, 1) if last in line)
    return next(begins, None) or next(anywhere, 1)


def _reader(path: str) -> tuple[str, Callable[[str], Iterable[Named]]] | None:
    name = path.rpartition("/")[2].lower()
    if re.fullmatch(r"requirements[\w.-]*\.(?:txt|in)", name):
        return None if re.search(r"dev|test|doc|lint|build", name) else ("pypi", _requirements)
    if name.endswith(".gemspec"):
        return "rubygems", _gemspec
    if name.endswith((".csproj", ".fsproj")):
        return "nuget", _nuget
    return _READERS.get(name)


def _requirements(text: str) -> Iterator[Named]:
    for line in text.split("\n"):
        found = _REQUIREMENT.match(line)
        if found and not line.lstrip().startswith(("#", "-")):
            yield found[1].lower().replace("_", "-"), found[2].strip()


def _pyproject(text: str) -> Iterator[Named]:
    data = tomllib.loads(text)
    project = data.get("project", {})
    for each in project.get("dependencies", []):
        yield from _requirements(each)
    poetry = data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    for name, asked in poetry.items():
        if name != "python":
            yield name.lower(), _asked(asked)


def _pipfile(text: str) -> Iterator[Named]:
    for name, asked in tomllib.loads(text).get("packages", {}).items():
        yield name.lower(), _asked(asked)


def _setup(text: str) -> Iterator[Named]:
    found = re.search(r"install_requires\s*=\s*\[([^\]]{0,5000})\]", text)
    for each in re.findall(r"[\"']([^\"'\n]{1,200})[\"']", found[1]) if found else ():
        yield from _requirements(each)


def _conda(text: str) -> Iterator[Named]:
    for found in re.finditer(
        r"(?m)^\s{0,12}-\s+([A-Za-z][\w.-]{0,80})([=<>~][^\n#]{0,100})?\s*$", text
    ):
        if found[1] not in ("python", "pip", "defaults", "conda-forge"):
            yield found[1].lower().replace("_", "-"), (found[2] or "")


def _npm(text: str) -> Iterator[Named]:
    data = json.loads(text)
    for name, asked in (data.get("dependencies") or {}).items():
        if not name.startswith("@types/"):
            yield name.lower(), str(asked)


def _cargo(text: str) -> Iterator[Named]:
    data = tomllib.loads(text)
    workspace = data.get("workspace", {}).get("dependencies", {})
    for name, asked in {**workspace, **data.get("dependencies", {})}.items():
        if not (isinstance(asked, dict) and ("path" in asked or asked.get("workspace"))):
            yield name.lower(), _asked(asked)


def _asked(said: object) -> str:
    if isinstance(said, dict):
        return str(said.get("version", said.get("rev", said.get("tag", ""))))
    return str(said)


def _go(text: str) -> Iterator[Named]:
    for found in re.finditer(
        r"(?m)^(?:require)?\s{1,8}([\w.-]+\.[a-z]{2,}/\S{1,200})\s+(v\S{1,80})([^\n]*)", text
    ):
        if "// indirect" not in found[3]:
            yield re.sub(r"/v\d+$", "", found[1].lower()), found[2]


def _gemfile(text: str) -> Iterator[Named]:
    for found in re.finditer(r"(?m)^\s{0,12}gem\s*\(?[\"']([\w-]{1,80})[\"']([^\n]{0,200})", text):
        asked = re.search(r"[\"']([~><=\s]{0,4}\d[^\"']{0,40})[\"']", found[2])
        if "path:" not in found[2] and "group" not in found[2]:
            yield found[1].lower(), asked[1] if asked else ""


def _gemspec(text: str) -> Iterator[Named]:
    rule = (
        r"add_(?:runtime_)?dependency\s*\(?\s*[\"']([\w-]{1,80})[\"']"
        r"\s*,?\s*(?:[\"']([^\"'\n]{0,60})[\"'])?"
    )
    for found in re.finditer(rule, text):
        yield found[1].lower(), found[2] or ""


def _composer(text: str) -> Iterator[Named]:
    for name, asked in (json.loads(text).get("require") or {}).items():
        if "/" in name:
            yield name.lower(), str(asked)


def _maven(text: str) -> Iterator[Named]:
    for block in re.findall(r"<dependency>(.{0,1500}?)</dependency>", text, re.DOTALL):
        group = re.search(r"<groupId>\s*([^<\s]{1,200})", block)
        artifact = re.search(r"<artifactId>\s*([^<\s]{1,200})", block)
        version = re.search(r"<version>\s*([^<\s]{1,100})", block)
        if group and artifact and "<scope>test" not in block:
            # Without a version it is the parent's, which is one.
            asked = version[1] if version else "1"
            yield f"{group[1]}:{artifact[1]}".lower(), "1" if asked.startswith("${") else asked


def _gradle(text: str) -> Iterator[Named]:
    rule = (
        r"(?m)^\s{0,20}(?:implementation|api|compile|kapt|runtimeOnly)\b[\s(]{1,4}(?:platform\()?"
        r"[\"']([\w.-]{1,100}:[\w.-]{1,100})(?::([^\"'\s@]{1,60}))?"
    )
    for found in re.finditer(rule, text):
        yield found[1].lower(), found[2] or "1"
    for found in re.finditer(
        r"(?m)^\s{0,20}(?:implementation|api)\b[\s(]{1,4}libs\.([\w.]{1,80})", text
    ):
        yield found[1].lower(), "1"


def _nuget(text: str) -> Iterator[Named]:
    rule = (
        r"<PackageReference\s[^>]{0,40}Include=\"([^\"]{1,200})\""
        r"(?:[^>]{0,40}Version=\"([^\"]{1,60})\")?"
    )
    for found in re.finditer(rule, text):
        yield found[1].lower(), found[2] or ""


def _swift(text: str) -> Iterator[Named]:
    rule = (
        r"\.package\([^)]{0,60}url:\s*\"[^\"]{0,200}/([\w.-]{1,100}?)(?:\.git)?\"\s*,([^)]{0,100})"
    )
    for found in re.finditer(rule, text):
        asked = re.search(r"\"([\d.]{1,30})\"", found[2])
        yield found[1].lower(), asked[1] if asked else ""


def _podfile(text: str) -> Iterator[Named]:
    for found in re.finditer(r"(?m)^\s{0,12}pod\s+['\"]([\w./+-]{1,80})['\"]([^\n]{0,100})", text):
        asked = re.search(r"['\"]([~><=\s]{0,4}\d[^'\"]{0,40})['\"]", found[2])
        yield found[1].lower(), asked[1] if asked else ""


def _pub(text: str) -> Iterator[Named]:
    block = re.search(r"(?m)^dependencies:\s*\n((?:[ \t#].*\n|\n)*)", text + "\n")
    for found in re.finditer(
        r"(?m)^  ([a-z_]\w{0,80}):[ \t]*([^\n#]{0,60})", block[1] if block else ""
    ):
        if found[1] != "flutter":
            yield found[1], found[2]


def _mix(text: str) -> Iterator[Named]:
    for found in re.finditer(r"\{:(\w{1,80}),\s*\"([^\"]{1,60})\"", text):
        yield found[1], found[2]


_READERS: dict[str, tuple[str, Callable[[str], Iterable[Named]]]] = {
    "pyproject.toml": ("pypi", _pyproject),
    "pipfile": ("pypi", _pipfile),
    "setup.py": ("pypi", _setup),
    "environment.yml": ("pypi", _conda),
    "environment.yaml": ("pypi", _conda),
    "package.json": ("npm", _npm),
    "cargo.toml": ("cargo", _cargo),
    "go.mod": ("go", _go),
    "gemfile": ("rubygems", _gemfile),
    "composer.json": ("packagist", _composer),
    "pom.xml": ("maven", _maven),
    "build.gradle": ("maven", _gradle),
    "build.gradle.kts": ("maven", _gradle),
    "package.swift": ("swift", _swift),
    "podfile": ("swift", _podfile),
    "pubspec.yaml": ("pub", _pub),
    "mix.exs": ("hex", _mix),
}
