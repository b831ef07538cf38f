"""Functions and how many ways lead through them, as lizard counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import lizard  # type: ignore[import-untyped]

from tablewright.systems.vibejudge.static.codebase import Code

COMPLEX = 10
#: Lines of a function that is long even if it is simple.
LONG = 60
#: How lizard knows languages whose files may be called otherwise.
_ENDINGS = {
    "Python": "py",
    "JavaScript": "js",
    "TypeScript": "ts",
    "Vue": "vue",
    "Java": "java",
    "Kotlin": "kt",
    "Scala": "scala",
    "Go": "go",
    "Rust": "rs",
    "C": "c",
    "C++": "cpp",
    "Objective-C": "m",
    "C#": "cs",
    "Ruby": "rb",
    "PHP": "php",
    "Swift": "swift",
    "Lua": "lua",
    "Perl": "pl",
    "R": "r",
    "Solidity": "sol",
}
#: Languages with markup inside of code, where lines have to be looked up.
_ANCHORED = frozenset({"JavaScript", "TypeScript", "Vue", "Svelte"})
_ANONYMOUS = "(anonymous)"
_ARROW = re.compile(r"=>|\bfunction\b")
#: By how many lines it may be wrong.
_MISCOUNTED = 25


@dataclass(frozen=True, slots=True)
class Function:
    path: str
    name: str
    line: int
    end: int
    complexity: int

    @property
    def length(self) -> int:
        return max(1, self.end - self.line + 1)


def measures(code: Code) -> bool:
    """Tell whether complexity can be measured in this language."""
    return code.language in _ENDINGS


def functions_of(code: Code) -> list[Function]:
    """None for languages that lizard does not know, and for what it cannot read."""
    ending = _ENDINGS.get(code.language)
    if ending is None:
        return []
    if code.path.endswith((".tsx", ".jsx")):
        ending = code.path.rpartition(".")[2]
    text = code.text[: code.product_end]
    try:
        found = lizard.analyze_file.analyze_source_code(f"a.{ending}", text).function_list
    except (Exception, RecursionError):
        # A reader of half-finished code may stumble over it in any way.
        return []
    anchored = code.language in _ANCHORED
    return [
        Function(
            code.path,
            _shown_name(str(f.name)),
            _anchor(code, str(f.name), f.start_line) if anchored else max(1, f.start_line),
            f.end_line,
            f.cyclomatic_complexity,
        )
        for f in found
    ]


def _shown_name(name: str) -> str:
    return "An anonymous function" if name == _ANONYMOUS else name


def _anchor(code: Code, name: str, line: int) -> int:
    """Find the line that begins a function: lizard miscounts after markup inside of code."""
    last = name.rpartition(".")[2]
    begins = _ARROW if name == _ANONYMOUS else re.compile(rf"(?<![\w$]){re.escape(last)}(?![\w$])")
    lines = code.lines
    for away in range(_MISCOUNTED):
        for number in (line - away, line + away):
            if 1 <= number <= len(lines) and begins.search(lines[number - 1]):
                return number
    return max(1, min(line, len(lines)))
