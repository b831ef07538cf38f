"""Code that stands in several places: runs of fifty tokens that occur again."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tablewright.systems.vibejudge.static.codebase import Code

WINDOW = 50
#: A copy is at least so many lines long.
LEAST_LINES = 5
_TOKEN = re.compile(r"\w+|[^\w\s]")
_IMPORT = re.compile(r"\s*(?:import|from|using|use|package|require|#include|export \*)\b")
_GO_IMPORT = re.compile(r"\s*(?:[\w.]+\s+)?\"[\w./-]+\"\s*$")
_BASE, _PRIME = 1_000_003, (1 << 61) - 1
#: More is not compared.
MOST_TOKENS = 2_000_000


@dataclass(frozen=True, slots=True)
class Copy:
    """Lines of a file that stand in another place as well."""

    path: str
    line: int
    end: int
    first_path: str
    first_line: int


@dataclass(frozen=True, slots=True)
class Duplicates:
    copies: tuple[Copy, ...]
    #: Lines that are copies, of all lines with code; the first of equal places is none.
    copied: int
    lines: int

    @property
    def share(self) -> float:
        return self.copied / self.lines if self.lines else 0.0


def duplicates_of(files: Iterable[Code]) -> Duplicates:
    words: dict[str, int] = {}
    seen: dict[int, tuple[str, int]] = {}
    copies: list[Copy] = []
    copied = lines = tokens = 0
    for code in files:
        ids, at_lines = _numbered(code, words)
        known = sorted(set(at_lines))
        lines += len(known)
        tokens += len(ids)
        if tokens > MOST_TOKENS:
            continue
        marked: dict[int, tuple[str, int]] = {}
        for at, hashed in _rolling(ids):
            first = seen.setdefault(hashed, (code.path, at_lines[at]))
            if first[0] != code.path or first[1] < at_lines[at] - LEAST_LINES:
                for line in range(at_lines[at], at_lines[at + WINDOW - 1] + 1):
                    marked.setdefault(line, first)
        found = list(_runs(code.path, marked, known))
        copies.extend(found)
        copied += sum(_between(known, each.line, each.end) for each in found)
    return Duplicates(tuple(copies), copied, lines)


def _numbered(code: Code, words: dict[str, int]) -> tuple[list[int], list[int]]:
    """Tokens as numbers, in the order in which they were first met, and their lines."""
    ids: list[int] = []
    lines: list[int] = []
    for number, line in enumerate(_compared(code).split("\n"), 1):
        if _IMPORT.match(line) or (code.language == "Go" and _GO_IMPORT.match(line)):
            continue
        for token in _TOKEN.findall(line[:1000]):
            ids.append(words.setdefault(token, len(words) + 1))
            lines.append(number)
    return ids, lines


def _compared(code: Code) -> str:
    """Without what is said about the code: docstrings are comments."""
    if code.language != "Python":
        return code.code[: code.product_end]
    pieces, at = [], 0
    for start, end in code.masked.strings:
        if code.text[start : start + 3] in ('"""', "'''"):
            pieces += [code.code[at:start], "\n" * code.text.count("\n", start, end)]
            at = end
    return "".join([*pieces, code.code[at:]])


def _rolling(ids: list[int]) -> Iterator[tuple[int, int]]:
    if len(ids) < WINDOW:
        return
    top = pow(_BASE, WINDOW - 1, _PRIME)
    value = 0
    for each in ids[:WINDOW]:
        value = (value * _BASE + each) % _PRIME
    yield 0, value
    for at in range(WINDOW, len(ids)):
        value = ((value - ids[at - WINDOW] * top) * _BASE + ids[at]) % _PRIME
        yield at - WINDOW + 1, value


def _runs(path: str, marked: dict[int, tuple[str, int]], known: list[int]) -> Iterator[Copy]:
    start: int | None = None
    last = 0
    for line in [*sorted(marked), -1]:
        if start is not None and (line == -1 or line > last + 1):
            if _between(known, start, last) >= LEAST_LINES:
                yield Copy(path, start, last, *marked[start])
            start = None
        if line != -1 and start is None:
            start = line
        last = line


def _between(known: list[int], first: int, last: int) -> int:
    return bisect.bisect_right(known, last) - bisect.bisect_left(known, first)
