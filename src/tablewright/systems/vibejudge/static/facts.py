"""What several agents want to know of a codebase, found out once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from tablewright.systems.vibejudge.analysis import Severity
from tablewright.systems.vibejudge.repos.languages import PROGRAMMING, language_of
from tablewright.systems.vibejudge.repos.snapshot import SourceFile
from tablewright.systems.vibejudge.static import ruff
from tablewright.systems.vibejudge.static.apis import ApiUse, api_of
from tablewright.systems.vibejudge.static.architecture import Layout, layout_of
from tablewright.systems.vibejudge.static.codebase import Code, Codebase, excerpt_of
from tablewright.systems.vibejudge.static.databases import DatabaseUse, database_of
from tablewright.systems.vibejudge.static.duplicates import Duplicates, duplicates_of
from tablewright.systems.vibejudge.static.functions import Function, functions_of
from tablewright.systems.vibejudge.static.handlers import Handled, handled_in
from tablewright.systems.vibejudge.static.imports import Graph, circle_in, graph_of
from tablewright.systems.vibejudge.static.injections import injections_of, sql_severity
from tablewright.systems.vibejudge.static.manifests import Dependency, Manifest, manifests_of
from tablewright.systems.vibejudge.static.python_code import PythonFacts, facts_of
from tablewright.systems.vibejudge.static.results import Finding
from tablewright.systems.vibejudge.static.roles import role_of
from tablewright.systems.vibejudge.static.taint import (
    TaintFacts,
    executed_sql_lines,
    findings_of,
    taint_of,
)
from tablewright.systems.vibejudge.static.waiting import (
    LEFT_OPEN,
    SLEEPS,
    opens_files,
    scaling_of,
    wasting_of,
)
from tablewright.systems.vibejudge.static.web_inputs import web_input_findings

#: Where code names a package by its own name, or by a part of it, to use it.
_IMPORTED_BY_NAME = frozenset({"npm", "pypi", "go", "cargo"})
_IMPORT_LINE = re.compile(
    r"(?m)^[ \t]*(?:import|from|use|export|extern|\}\s*from|(?:[\w.]+ )?\"[\w.-]+\.[a-z]{2,}/)"
    r"[^\n]*"
    r"|\b(?:require|import)\s*\([^)\n]{0,200}"
)
_NAME_PARTS = re.compile(r"[a-z0-9]{2,}")
#: Parts of names that tell nothing.
_NAMELESS = frozenset({"py", "python", "js", "lib", "github", "com", "org", "io", "go", "node"})


class Facts:
    def __init__(self, base: Codebase) -> None:
        self.base = base
        self._executed: dict[str, set[int]] = {}
        self._tainted: dict[str, TaintFacts] = {}
        self._codes = {each.path: each for each in [*base.product, *base.tests, *base.around]}

    def code(self, path: str) -> Code:
        return self._codes[path]

    def finding(self, kind: str, path: str, line: int, severity: Severity, message: str) -> Finding:
        """In any file, code or not."""
        file = self.base.snapshot.file(path)
        lines = ((file.text if file else "") or "").split("\n")
        return Finding(kind, path, line, severity, message, excerpt_of(lines, line))

    def is_code(self, path: str) -> bool:
        """Whether lines of this path were written by hand, also if it is gone by now."""
        role = self.base.roles.get(path)
        if role is None:
            role = role_of(SourceFile(path, 0, None, None, 0))
        return role != "aside" and language_of(path) in PROGRAMMING - {"Notebook"}

    # --- code ------------------------------------------------------------------------------------

    @cached_property
    def python(self) -> dict[str, PythonFacts]:
        """Of Python that parses; other Python is looked at like any language."""
        return {each.path: facts_of(each) for each in self.base.of("Python") if each.tree}

    @cached_property
    def own_lines(self) -> int:
        """Lines of the product that are not copies of each other."""
        return max(0, self.base.product_lines - self.duplicates.copied)

    @cached_property
    def functions(self) -> list[Function]:
        return [function for each in self.base.product for function in functions_of(each)]

    @cached_property
    def duplicates(self) -> Duplicates:
        return duplicates_of(self.base.product)

    @cached_property
    def handled(self) -> list[Handled]:
        return [handled_in(each, self.python.get(each.path)) for each in self.base.product]

    @cached_property
    def _ruff(self) -> list[ruff.Hit]:
        return ruff.check(self.base.of("Python"))

    @cached_property
    def injections(self) -> list[Finding]:
        found = [
            hit.code.finding(hit.rule, hit.line, severity, ruff.SECURITY[hit.rule][1])
            for hit in self._ruff
            if hit.rule in ruff.SECURITY and (severity := self._severity(hit)) is not None
        ]
        for each in self.base.product:
            found.extend(injections_of(each))
            found.extend(web_input_findings(each))
            found.extend(findings_of(each, self._taint(each)))
        return found

    def _severity(self, hit: ruff.Hit) -> Severity | None:
        """Grade what ruff reports by what reaches it; None is no fault at all."""
        severity = ruff.SECURITY[hit.rule][0]
        if hit.code.tree is None:
            return severity
        if hit.rule in ruff.RUNS:
            return self._taint(hit.code).runs.get(hit.line, severity)
        if hit.rule == ruff.SQL:
            lines = hit.code.text.split("\n")[hit.line - 1 : hit.line + 8]
            executed = hit.line in self._sql_lines(hit.code)
            return sql_severity(severity, lines) if executed else None
        return severity

    def _sql_lines(self, code: Code) -> set[int]:
        if code.path not in self._executed:
            self._executed[code.path] = executed_sql_lines(code)
        return self._executed[code.path]

    def _taint(self, code: Code) -> TaintFacts:
        if code.path not in self._tainted:
            self._tainted[code.path] = taint_of(code) if code.language == "Python" else TaintFacts()
        return self._tainted[code.path]

    @cached_property
    def scaling(self) -> list[Finding]:
        found = [
            hit.code.finding("sleep", hit.line, "medium", SLEEPS)
            for hit in self._ruff
            if hit.rule == ruff.SLEEP
        ]
        for each in self.base.product:
            found.extend(scaling_of(each, self.python.get(each.path)))
        return _once(found)

    def mentions(self, pattern: re.Pattern[str]) -> bool:
        """Tell whether code of the product matches a pattern, strings included."""
        return any(pattern.search(each.code[: each.product_end]) for each in self.base.product)

    @cached_property
    def opens_files(self) -> bool:
        return any(opens_files(each) for each in self.base.product)

    @cached_property
    def wasting(self) -> list[Finding]:
        found: list[Finding] = []
        for each in self.base.product:
            found.extend(wasting_of(each, self.python.get(each.path)))
        return _once(found)

    @cached_property
    def open_handles(self) -> list[Finding]:
        return _once(
            hit.code.finding("open-handle", hit.line, "medium", LEFT_OPEN)
            for hit in self._ruff
            if hit.rule == ruff.OPEN_HANDLE
        )

    # --- structure -------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout | None:
        return layout_of(self.base) if self.base.product else None

    @cached_property
    def graph(self) -> Graph:
        packages = {each.path.rpartition("/")[0] for each in self.base.named("__init__.py")}
        return graph_of(self.base.product, self.python, packages)

    @cached_property
    def circle(self) -> list[str] | None:
        return circle_in(self.graph)

    @cached_property
    def manifests(self) -> list[Manifest]:
        own = [each for each in self.base.own_files if not _beside(each.path)]
        return manifests_of(own)

    @cached_property
    def dependencies(self) -> list[Dependency]:
        return [dependency for each in self.manifests for dependency in each.dependencies]

    def imports(self, dependency: Dependency) -> bool:
        """Tell whether code imports a dependency, in ecosystems where that can be seen."""
        if dependency.ecosystem not in _IMPORTED_BY_NAME:
            return True
        parts = set(_NAME_PARTS.findall(dependency.name.lower())) - _NAMELESS
        return not parts or not parts.isdisjoint(self._imported)

    @cached_property
    def _imported(self) -> set[str]:
        """Words of all lines that import something."""
        found: set[str] = set()
        for each in [*self.base.product, *self.base.around]:
            for line in _IMPORT_LINE.finditer(each.code):
                found.update(_NAME_PARTS.findall(line[0].lower()))
        return found

    @cached_property
    def database(self) -> DatabaseUse:
        concatenated = any(each.kind in ("sql", "S608") for each in self.injections)
        scans = any(each.kind == "reads-all" for each in self.scaling)
        return database_of(self.base, concatenated=concatenated, scans=scans)

    @cached_property
    def api(self) -> ApiUse:
        return api_of(self.base)


def _beside(path: str) -> bool:
    """Whether a manifest would be one of a test, an example or the documentation."""
    return role_of(SourceFile(f"{path.rpartition('/')[0]}/x", 0, None, None, 0)) != "product"


def _once(found: Iterable[Finding]) -> list[Finding]:
    unique = {(each.kind, each.file, each.line): each for each in found}
    return sorted(unique.values(), key=lambda each: (each.file, each.line, each.kind))
