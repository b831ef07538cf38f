"""Where the acceptance scenarios of a system are tested: read from the sources of its tests.

A test says which one it is in its name (``test_scenario_07_...``), or in the first words of its
docstring or of its module's ("Scenario 7"). ``pytest -k scenario_07`` runs those with the name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_IN_NAME = re.compile(r"test_scenario_(\d\d)_").match
_IN_TEXT = re.compile(r"Scenario (\d+)\b").match
#: What starts a process.
_STARTERS = frozenset({"subprocess", "multiprocessing", "EngineProcess"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Found:
    """A test of a scenario."""

    path: Path
    name: str
    slow: bool
    #: Starts processes, itself or through what its module has.
    starts: bool


def scenarios(
    places: Iterable[Path], starters: frozenset[str] = frozenset()
) -> dict[int, list[Found]]:
    """All tests of scenarios in these folders and files, by their numbers.

    ``starters``: names that start a process, beyond those of the standard library.
    """
    found: dict[int, list[Found]] = {}
    for path in sorted(_files(places)):
        module = ast.parse(path.read_text())
        functions = {each.name: each for each in module.body if isinstance(each, _Function)}
        for name, function in functions.items():
            if name.startswith("test_") and (number := _number(module, function)) is not None:
                starts = bool((_STARTERS | starters) & _reached(function, functions))
                test = Found(path, name, _is_slow(function), starts)
                found.setdefault(number, []).append(test)
    return found


def _files(places: Iterable[Path]) -> Iterator[Path]:
    for place in places:
        yield from [place] if place.is_file() else place.rglob("test_*.py")


def _number(module: ast.Module, function: _Function) -> int | None:
    texts = (ast.get_docstring(function) or "", ast.get_docstring(module) or "")
    matches = (_IN_NAME(function.name), *map(_IN_TEXT, texts))
    return next((int(match[1]) for match in matches if match), None)


def _is_slow(function: _Function) -> bool:
    """In all sizes that it has."""
    return any(map(_slows, function.decorator_list))


def _slows(decorator: ast.expr) -> bool:
    sizes = decorator.args[1] if isinstance(decorator, ast.Call) and decorator.args[1:] else None
    if isinstance(sizes, ast.List) and sizes.elts:
        return all("slow" in ast.unparse(each) for each in sizes.elts)
    return "slow" in ast.unparse(decorator)


def _reached(function: _Function, functions: dict[str, _Function]) -> set[str]:
    """The names that a function uses, and those that functions of its module use for it."""
    reached: set[str] = set()
    waiting = [function]
    while waiting:
        new = set(_names(waiting.pop())) - reached
        reached |= new
        waiting += [functions[name] for name in new if name in functions]
    return reached


def _names(tree: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(tree) if isinstance(each, ast.Name))
