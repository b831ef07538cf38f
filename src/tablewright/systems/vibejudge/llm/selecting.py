"""Which files a model gets to see: 25 at most, the same ones for the same commit.

Where it starts, what most of it stands on, how it is tested and how it is built say more about a
repository than any 25 files of it; what is left goes to the longest ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePosixPath

from tablewright.systems.vibejudge.repos.snapshot import SourceFile

MOST_FILES = 25
#: So many of each at most, before the rest is filled up.
_ENTRIES, _SHARED, _TESTS, _SETTINGS = 5, 9, 4, 5
_SHORT_LINES, _SETTING_DEPTH = 8, 2
#: Lines of a file in which imports are looked for, and files.
_HEAD_LINES, _READ_FILES = 300, 5000

_AWAY = frozenset(
    {
        ".git",
        ".idea",
        ".next",
        ".nuxt",
        ".venv",
        ".vscode",
        "__pycache__",
        "bower_components",
        "build",
        "coverage",
        "dist",
        "generated",
        "node_modules",
        "out",
        "site-packages",
        "target",
        "third_party",
        "vendor",
        "vendors",
        "venv",
    }
)
_LOCKS = frozenset(
    {
        "bun.lock",
        "cargo.lock",
        "composer.lock",
        "gemfile.lock",
        "go.sum",
        "package-lock.json",
        "pdm.lock",
        "pipfile.lock",
        "pnpm-lock.yaml",
        "poetry.lock",
        "uv.lock",
        "yarn.lock",
    }
)
_ENTRY_STEMS = frozenset(
    {
        "__main__",
        "app",
        "application",
        "asgi",
        "bootstrap",
        "cli",
        "entrypoint",
        "handler",
        "index",
        "lambda_function",
        "main",
        "manage",
        "program",
        "run",
        "server",
        "startup",
        "wsgi",
    }
)
_SETTING_NAMES = frozenset(
    {
        ".env",
        ".env.example",
        "build.gradle",
        "build.gradle.kts",
        "cargo.toml",
        "compose.yaml",
        "compose.yml",
        "composer.json",
        "docker-compose.yaml",
        "docker-compose.yml",
        "dockerfile",
        "gemfile",
        "go.mod",
        "makefile",
        "package.json",
        "pipfile",
        "pom.xml",
        "procfile",
        "pyproject.toml",
        "requirements.txt",
        "schema.prisma",
        "serverless.yml",
        "setup.cfg",
        "setup.py",
        "template.yaml",
        "tsconfig.json",
    }
)
#: Files of records, in which anybody may have said anything.
DATA = frozenset({"CSV", "JSON", "XML"})
#: What is not code, or says little about it.
_PROSE = DATA | {"Markdown", "reStructuredText", "Text", "YAML", "TOML", "CSS", "SCSS"}
_TEST_DIRS = frozenset({"test", "tests", "__tests__", "spec", "specs", "e2e"})
_TEST_NAME = re.compile(
    r"^[Tt]ests?[_.]|_test\.|\.test\.|\.spec\.|_spec\.|[A-Za-z0-9]Tests?\.[a-z]+$"
)
#: Pages import, and are not imported.
_PAGES = frozenset({"HTML", "Template", "Notebook"})
#: What a program is not, though it may start there.
_ASIDE = frozenset(
    {"benchmark", "benchmarks", "demo", "demos", "docs", "example", "examples", "scripts", "tools"}
)
_GRAMMAR = frozenset({"as", "const", "export", "from", "import", "let", "require", "use", "var"})
_IMPORT = re.compile(
    r"\s{0,20}(?:import|from|use|using|include|require|require_once|mod|export|#include|@import)\b"
)
_WORD = re.compile(r"[A-Za-z_][\w-]{1,60}")
_README = re.compile(r"readme(?:\.(?:md|markdown|rst|txt|adoc))?$", re.IGNORECASE)
#: Files that go by the name of their folder.
_FOLDER_STEMS = frozenset({"index", "__init__", "mod", "lib"})


def readme_of(files: Iterable[SourceFile]) -> SourceFile | None:
    """The README nearest to the top."""
    found = [each for each in files if each.text and _README.match(_name(each.path))]
    return min(found, key=lambda each: (each.path.count("/"), each.path), default=None)


def selected(files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """The files to show, the most telling ones first."""
    shown = [each for each in files if _worth_showing(each)]
    fan_in = imported(shown)
    by_use = sorted(shown, key=lambda each: (-fan_in[each.path], -each.lines, each.path))
    code = [each for each in by_use if _is_code(each)]
    groups = (
        ([each for each in _by_depth(code) if _is_entry(each.path)], _ENTRIES),
        ([each for each in code if fan_in[each.path] and _is_substance(each)], _SHARED),
        ([each for each in code if is_test(each.path)], _TESTS),
        ([each for each in _by_depth(shown) if _is_setting(each.path)], _SETTINGS),
        (code, MOST_FILES),
        (by_use, MOST_FILES),
    )
    chosen: dict[str, SourceFile] = {}
    for group, most in groups:
        fresh = [each for each in group if each.path not in chosen]
        room = min(most, MOST_FILES - len(chosen))
        chosen |= {each.path: each for each in fresh[:room]}
    return tuple(chosen.values())


def imported(files: Sequence[SourceFile]) -> Counter[str]:
    """How many other files seem to import each.

    A file is meant by its folder and name together, as in ``store/db``; by its name alone if no
    other one is called so.
    """
    by_name: dict[str, list[str]] = {}
    by_place: dict[tuple[str, str], list[str]] = {}
    for each in files:
        if _is_code(each) and each.language not in _PAGES:
            place = _module(each.path)
            by_name.setdefault(place[1], []).append(each.path)
            by_place.setdefault(place, []).append(each.path)
    alone = {name: paths for name, paths in by_name.items() if len(paths) == 1}
    found: Counter[str] = Counter()
    for each in files[:_READ_FILES]:
        names, places = _imports(each)
        meant = {path for name in names & alone.keys() for path in alone[name]}
        meant |= {path for place in places & by_place.keys() for path in by_place[place]}
        found.update(meant - {each.path})
    return found


def is_test(path: str) -> bool:
    folders = path.lower().split("/")[:-1]
    return bool(_TEST_DIRS & set(folders) or _TEST_NAME.search(_name(path)))


def _imports(file: SourceFile) -> tuple[set[str], set[tuple[str, str]]]:
    """Names that stand where imports do, and pairs of them that follow each other."""
    names: set[str] = set()
    places: set[tuple[str, str]] = set()
    if not _is_code(file):
        return names, places
    for line in (file.text or "").split("\n", _HEAD_LINES)[:_HEAD_LINES]:
        if len(line) <= 500 and (_IMPORT.match(line) or "require(" in line):
            words = [each for each in _WORD.findall(line.lower()) if each not in _GRAMMAR]
            if "__future__" in words:
                continue
            names.update(words)
            places.update(pairwise(words))
    return names, places


def _module(path: str) -> tuple[str, str]:
    """The folder and the name that imports know a file by."""
    parts = ["", "", *path.lower().split("/")]
    folders, stem = parts[:-1], parts[-1].partition(".")[0]
    if stem in _FOLDER_STEMS and folders[-1]:
        return folders[-2], folders[-1]
    return folders[-1], stem


def _worth_showing(file: SourceFile) -> bool:
    path = PurePosixPath(file.path.lower())
    if not file.text or not file.text.strip() or _AWAY & set(path.parts[:-1]):
        return False
    cut = ".min." in path.name or path.suffix in (".map", ".svg", ".csv", ".lock")
    return not cut and path.name not in _LOCKS and not _README.match(path.name)


def _is_code(file: SourceFile) -> bool:
    return file.language is not None and file.language not in _PROSE


def _is_entry(path: str) -> bool:
    return _name(path).lower().partition(".")[0] in _ENTRY_STEMS and not is_test(path)


def _is_substance(file: SourceFile) -> bool:
    """More than what makes a folder a package."""
    return file.lines >= _SHORT_LINES and not is_test(file.path)


def _is_setting(path: str) -> bool:
    named = _name(path).lower() in _SETTING_NAMES and path.count("/") <= _SETTING_DEPTH
    return named or path.startswith(".github/workflows/")


def _by_depth(files: Iterable[SourceFile]) -> list[SourceFile]:
    return sorted(files, key=lambda each: (_is_aside(each.path), each.path.count("/"), each.path))


def _is_aside(path: str) -> bool:
    return not _ASIDE.isdisjoint(path.lower().split("/")[:-1])


def _name(path: str) -> str:
    return path.rpartition("/")[2]
