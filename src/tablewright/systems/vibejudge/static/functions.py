"""Functions and how many ways lead through them, as lizard counts them."""

from __future__ import annotations

from dataclasses import dataclass

import lizard  # type: ignore[import-untyped]

from tablewright.systems.vibejudge.static.codebase import Code

COMPLEX = 10
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


@dataclass(frozen=True, slots=True)
class Function:
    path: str
    name: str
    line: int
    end: int
    complexity: int


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
    return [
        Function(code.path, str(f.name), max(1, f.start_line), f.end_line, f.cyclomatic_complexity)
        for f in found
    ]
