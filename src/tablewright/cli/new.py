"""`tablewright new`: a project of one's own, which works at once."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from tablewright import __version__
from tablewright.cli.terminal import Failure

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*").fullmatch
_LONGEST = 40
#: Modules of the project itself, and what it imports.
_TAKEN = frozenset({"tablewright", "tests", "test", "docs", "data", "pytest", "pydantic"})
#: Where files go whose names would mean something to those who package us.
_RENAMED = {"gitignore": ".gitignore", "ci.yml": ".github/workflows/ci.yml"}


def new(name: str, *, folder: Path | None = None) -> None:
    """Make a project: a model with demo items, tests, a review and a template in CI.

    Parameters
    ----------
    name
        The project's name: small letters, digits and hyphens. Its package has underscores.
    folder
        Where to make it; a folder of that name, here. It may be there if it is empty.
    """
    made = make_project(name, folder or Path(name))
    print(f"made {folder or Path(name)}: {len(made)} files")
    for step, command in _next(name, folder or Path(name)):
        print(f"  {command:<44} {step}")


def make_project(name: str, folder: Path) -> list[Path]:
    """Write the files of a project, all or none; Failure if that cannot be."""
    words = _words(name)
    files = {folder / where: _filled(text, words) for where, text in _templates(words["package"])}
    _check_folder(folder)
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise Failure(f"{error.filename or folder} cannot be written: {error.strerror}") from None
    return list(files)


def _words(name: str) -> dict[str, str]:
    """What stands in the templates."""
    if _NAME(name) is None or len(name) > _LONGEST:
        raise Failure(
            f"{name!r} cannot be the name of a project",
            f"Small letters, digits and single hyphens, up to {_LONGEST}, with a letter first: "
            "order-book.",
        )
    package = name.replace("-", "_")
    if keyword.iskeyword(package) or package in _TAKEN or package in sys.stdlib_module_names:
        raise Failure(
            f"{name!r} cannot be the name of a project: Python or a tool has a module {package}",
            f"Take another one, such as {name}-model.",
        )
    table = "".join(part.capitalize() for part in package.split("_"))
    # DynamoDB wants three letters or more.
    table = table if len(table) >= 3 else f"{table}Table"
    return {"name": name, "package": package, "table": table, "version": __version__}


def _templates(package: str) -> Iterator[tuple[str, str]]:
    """Every file of a project, by its place in the project's folder."""
    top = resources.files("tablewright.cli") / "project"
    for place, file in _walked(top, ""):
        where = place.removesuffix(".tmpl")
        where = _RENAMED.get(where, re.sub(r"^package/", f"{package}/", where))
        yield where, file.read_text(encoding="utf-8")


def _walked(folder: Traversable, before: str) -> Iterator[tuple[str, Traversable]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _walked(each, f"{before}{each.name}/")
        elif each.name.endswith(".tmpl"):
            yield f"{before}{each.name}", each


def _filled(text: str, words: dict[str, str]) -> str:
    return re.sub(r"@@([a-z]+)@@", lambda found: words[found[1]], text)


def _check_folder(folder: Path) -> None:
    if folder.is_file():
        raise Failure(f"{folder} is a file", "Give another folder with --folder.")
    try:
        first = next(iter(sorted(folder.iterdir())), None) if folder.exists() else None
    except OSError as error:
        raise Failure(f"{folder} cannot be read: {error.strerror}") from None
    if first is not None:
        raise Failure(
            f"{folder} is not empty: there is {first.name}",
            "Give another folder with --folder; nothing was written.",
        )


def _next(name: str, folder: Path) -> Iterator[tuple[str, str]]:
    model = f"{name.replace('-', '_')}.model:model"
    yield "where everything is", f"cd {folder}"
    yield "an environment with all it needs", "make setup"
    yield "its tests", "make test"
    yield "what cannot work, and what will hurt", f"tablewright review {model}"
    yield "what it costs", f"tablewright plan {model}"
    yield "the model in a browser", f"tablewright explore {model}"
