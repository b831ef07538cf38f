"""Python, as its syntax tree has it."""

from __future__ import annotations

import ast
import re
from contextlib import suppress
from dataclasses import dataclass, field

from tablewright.systems.vibejudge.rules.words import words
from tablewright.systems.vibejudge.static.codebase import Code

#: Objects whose methods go out to a network or a database.
_OUT = re.compile(
    r"^(?:requests|httpx|urllib\.request|aiohttp|session|client|http|s3|dynamodb|table|collection)$"
)
_OUT_VERBS = words(
    "get post put delete patch request urlopen get_item put_item query find_one find insert_one "
    "update_one get_object put_object"
)
_DB_VERBS = frozenset(["execute", "executemany", "find_one", "insert_one", "update_one"])
_RETRY = re.compile(r"(?i)attempt|retr|tries|page|cursor|offset|batch|chunk")
_SQL_ALL = re.compile(r"(?is)^\s*select\s+\*\s+from\s+[\w.\"`]+\s*;?\s*$")
_ROUTE = words("route get post put delete patch websocket api_view task")
_NO_ERRORS = frozenset(
    [
        "ImportError",
        "ModuleNotFoundError",
        "StopIteration",
        "StopAsyncIteration",
        "KeyboardInterrupt",
        "asyncio.CancelledError",
        "CancelledError",
        "GeneratorExit",
    ]
)
_LOGS = words("print warn warning error exception debug info log critical")


@dataclass
class PythonFacts:
    """Lines, mostly."""

    handlers: list[int] = field(default_factory=list)
    swallowed: list[int] = field(default_factory=list)
    io_in_loops: list[int] = field(default_factory=list)
    unbounded: list[int] = field(default_factory=list)
    sleeps: list[int] = field(default_factory=list)
    #: Line and name, as written, of imports that happen when the module is loaded.
    imports: list[tuple[int, str, int, tuple[str, ...]]] = field(default_factory=list)


def facts_of(code: Code) -> PythonFacts:
    facts = PythonFacts()
    if code.tree is not None:
        # Nested deeper than people write: what was found before counts.
        with suppress(RecursionError):
            _Walk(facts).walk(code.tree, _Place())
    return facts


@dataclass(frozen=True, slots=True)
class _Place:
    #: Of the loops around, one that asks for each thing it is given.
    over: bool = False
    in_function: bool = False
    #: Where waiting keeps others waiting.
    serving: bool = False


class _Walk:
    def __init__(self, facts: PythonFacts) -> None:
        self._facts = facts

    def walk(self, node: ast.AST, place: _Place) -> None:
        inner = self._seen(node, place)
        for child in ast.iter_child_nodes(node):
            # What a loop goes over is asked for once.
            asked_once = isinstance(node, ast.For | ast.AsyncFor) and child is node.iter
            self.walk(child, place if asked_once else inner)

    def _seen(self, node: ast.AST, place: _Place) -> _Place:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            serving = isinstance(node, ast.AsyncFunctionDef) or _is_route(node)
            return _Place(in_function=True, serving=serving)
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            return self._loop(node, place)
        if isinstance(node, ast.ExceptHandler):
            self._handler(node)
        elif isinstance(node, ast.Call):
            self._call(node, place)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _SQL_ALL.match(node.value[:200]):
                self._facts.unbounded.append(node.lineno)
        elif isinstance(node, ast.If) and _for_types(node.test):
            return _Place(in_function=True)
        elif isinstance(node, ast.Import | ast.ImportFrom) and not place.in_function:
            self._import(node)
        return place

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, place: _Place) -> _Place:
        over = place.over
        if not isinstance(node, ast.While):
            named = f"{ast.unparse(node.target)[:80]} {ast.unparse(node.iter)[:200]}"
            over = over or not _RETRY.search(named)
        return _Place(over, place.in_function, place.serving)

    def _handler(self, node: ast.ExceptHandler) -> None:
        self._facts.handlers.append(node.lineno)
        if _is_no_error(node.type):
            return
        if all(_does_nothing(each) for each in node.body) or (
            node.type is None and not _tells(node)
        ):
            self._facts.swallowed.append(node.lineno)

    def _call(self, node: ast.Call, place: _Place) -> None:
        name = dotted(node.func)
        owner, _, verb = name.rpartition(".")
        if place.over and _goes_out(owner, verb):
            self._facts.io_in_loops.append(node.lineno)
        if name == "time.sleep" and place.serving:
            self._facts.sleeps.append(node.lineno)
        if verb == "all" and not node.args and owner.endswith((".objects", ".query")):
            self._facts.unbounded.append(node.lineno)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for each in node.names:
                self._facts.imports.append((node.lineno, each.name, 0, ()))
        else:
            names = tuple(each.name for each in node.names)
            self._facts.imports.append((node.lineno, node.module or "", node.level, names))


def _is_route(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(
        dotted(each.func if isinstance(each, ast.Call) else each).rpartition(".")[2] in _ROUTE
        for each in node.decorator_list
    )


def _goes_out(owner: str, verb: str) -> bool:
    last = owner.rpartition(".")[2]
    if verb in _DB_VERBS and last:
        return True
    if owner.endswith(".objects") and verb in ("get", "filter", "create"):
        return True
    return verb in _OUT_VERBS and bool(_OUT.match(owner) and owner not in ("client", "table"))


def _is_no_error(kind: ast.expr | None) -> bool:
    """What is asked for rather than gone wrong: is it installed, is it the end?"""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind] if kind else []
    return bool(kinds) and all(dotted(each) in _NO_ERRORS for each in kinds)


def _does_nothing(node: ast.stmt) -> bool:
    if isinstance(node, ast.Pass | ast.Continue):
        return True
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _tells(node: ast.ExceptHandler) -> bool:
    """Whether somebody hears of the error."""
    for each in ast.walk(node):
        if isinstance(each, ast.Raise):
            return True
        if isinstance(each, ast.Call) and dotted(each.func).rpartition(".")[2] in _LOGS:
            return True
    return False


def _for_types(node: ast.expr) -> bool:
    return dotted(node).rpartition(".")[2] == "TYPE_CHECKING"


def dotted(node: ast.AST) -> str:
    """Write a name with its attributes: ``os.path.join``."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif isinstance(node, ast.Call):
        parts.append(dotted(node.func) + "()")
    return ".".join(reversed(parts))
