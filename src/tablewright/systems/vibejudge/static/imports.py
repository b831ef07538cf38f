"""Which files of a product need which, and whether they go round in circles.

Python (imports when a module is loaded), JavaScript and TypeScript, C and C++, Ruby and PHP.
Elsewhere compilers refuse circles, or the language is made for them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping, Sequence

from tablewright.systems.vibejudge.static.codebase import Code
from tablewright.systems.vibejudge.static.python_code import PythonFacts
from tablewright.systems.vibejudge.static.results import Finding

_JS = ("JavaScript", "TypeScript", "Vue", "Svelte")
_JS_IMPORT = re.compile(
    r"(?m)^[ \t]*(?:import|export)\b(?!\s+type\b)[^;'\"`]{0,2000}?\bfrom\s*['\"](\.[^'\"\n]{0,300}"
    r")['\"]"
    r"|^[ \t]*import\s*['\"](\.[^'\"\n]{0,300})['\"]"
    r"|^(?:const|let|var)\b[^\n]{0,200}\brequire\(\s*['\"](\.[^'\"\n]{0,300})['\"]\s*\)"
)
_C_IMPORT = re.compile(r"(?m)^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]{1,300})\"")
_RUBY_IMPORT = re.compile(r"(?m)^[ \t]*require_relative\s+['\"]([^'\"\n]{1,300})['\"]")
_PHP_IMPORT = re.compile(
    r"(?m)^[ \t]*(?:require"
    r"|include)(?:_once)?\s*\(?\s*(?:__DIR__\s*\.\s*)?['\"]([^'\"\n]{1,300})['\"]"
)
_JS_ENDINGS = ("", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".vue", ".svelte")
_JS_INDEX = ("/index.ts", "/index.tsx", "/index.js", "/index.jsx")

#: From a file to those it needs, with the line that says so.
Graph = dict[str, dict[str, int]]


def graph_of(
    files: Sequence[Code], facts: Mapping[str, PythonFacts], packages: Collection[str]
) -> Graph:
    """``packages`` are folders of Python that say so, with a file that may be empty."""
    paths = {each.path for each in files}
    modules = _modules(paths, packages)
    graph: Graph = {}
    for code in files:
        if code.language == "Python":
            known = facts.get(code.path)
            graph[code.path] = _python(code.path, known, modules) if known else {}
        else:
            graph[code.path] = _named(code, paths)
    return graph


def circle_in(graph: Graph) -> list[str] | None:
    """The smallest set of files that need one another, if there is one."""
    circles = [each for each in _components(graph) if len(each) > 1]
    return min((sorted(each) for each in circles), key=lambda each: (len(each), each), default=None)


def circle_finding(files: Sequence[Code], graph: Graph, circle: list[str]) -> Finding:
    first = circle[0]
    code = next(each for each in files if each.path == first)
    line = min(line for path, line in graph[first].items() if path in circle)
    others = ", ".join(circle[1:4])
    said = f"This file and {others} import each other: move what both need into a third"
    return code.finding("import-circle", line, "medium", said)


def _modules(paths: set[str], packages: Collection[str]) -> dict[str, str]:
    """Python modules by the names that they may have, as nobody says where the root is."""
    found: dict[str, str] = {}
    for path in sorted(paths, key=lambda each: (each.count("/"), each)):
        if not path.endswith(".py"):
            continue
        parts = path.removesuffix(".py").split("/")
        for at in range(len(parts)):
            # Inside a package, `import secrets` is not the file beside it.
            if at == 0 or "/".join(parts[:at]) not in packages:
                found.setdefault(".".join(parts[at:]), path)
    return found


def _python(path: str, facts: PythonFacts, modules: Mapping[str, str]) -> dict[str, int]:
    needs: dict[str, int] = {}
    package = path.split("/")[:-1]
    for line, module, level, names in facts.imports:
        if level:
            base = ".".join([*package[: len(package) - level + 1], *([module] if module else [])])
        else:
            base = module
        targets = [modules.get(f"{base}.{name}") for name in names]
        own = modules.get(base)
        for target in [own, *targets]:
            # Packages gather what is inside them; that is no circle anybody made.
            if target and target != path and not target.endswith("__init__.py"):
                needs.setdefault(target, line)
    return {} if path.endswith("__init__.py") else needs


def _named(code: Code, paths: set[str]) -> dict[str, int]:
    folder = posixpath.dirname(code.path)
    needs: dict[str, int] = {}
    for at, name in _written(code):
        place = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
        target = _found(place, code.language, paths)
        if target and target != code.path:
            needs.setdefault(target, code.line_at(at))
    return needs


def _written(code: Code) -> list[tuple[int, str]]:
    rule = {"C": _C_IMPORT, "C++": _C_IMPORT, "Ruby": _RUBY_IMPORT, "PHP": _PHP_IMPORT}.get(
        code.language, _JS_IMPORT if code.language in _JS else None
    )
    if rule is None:
        return []
    return [
        (found.end() - 1, next(each for each in found.groups() if each))
        for found in rule.finditer(code.code)
        if any(found.groups())
    ]


def _found(place: str, language: str, paths: set[str]) -> str | None:
    if language in _JS:
        tries = [place + each for each in (*_JS_ENDINGS, *_JS_INDEX)]
        # TypeScript names what it will be compiled to.
        tries.append(re.sub(r"\.js$", ".ts", place))
    elif language == "Ruby":
        tries = [place, f"{place}.rb"]
    else:
        tries = [place]
    return next((each for each in tries if each in paths), None)


def _components(graph: Graph) -> list[list[str]]:
    """Strongly connected files (Tarjan), without recursion: chains of imports may be long."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    held: set[str] = set()
    found: list[list[str]] = []
    for root in sorted(graph):
        work = [(root, iter(sorted(graph[root])))] if root not in index else []
        if work:
            index[root] = low[root] = len(index)
            stack.append(root)
            held.add(root)
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    held.add(target)
                    work.append((target, iter(sorted(graph.get(target, {})))))
                    break
                if target in held:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component: list[str] = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        held.discard(component[-1])
                    found.append(component)
    return found
