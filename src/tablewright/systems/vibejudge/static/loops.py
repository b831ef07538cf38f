"""Loops in languages with braces, and in Ruby."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tablewright.systems.vibejudge.rules.words import words
from tablewright.systems.vibejudge.static.codebase import Code

BRACES = words(
    "JavaScript TypeScript Vue Svelte Java Kotlin Scala Groovy Go Rust C C++ Objective-C C# PHP "
    "Swift Dart Solidity"
)
_TOKEN = re.compile(r"\b(?P<loop>for|foreach|forEach|while|loop)\b|(?P<sign>[{}();])")
_RUBY_LOOP = re.compile(
    r"^(?P<indent>[ \t]*)(?:for\s|while\s|until\s|[^\n#]{0,200}\.(?:each|each_with_index|times|"
    r"each_slice|upto)\b[^\n]{0,100}\bdo\b)",
    re.MULTILINE,
)
#: Loops that try again, or go on until told to stop, are meant to ask again.
_RETRY = re.compile(r"(?i)attempt|retr|tries|page|cursor|offset|batch|chunk")


@dataclass(frozen=True, slots=True)
class Loop:
    start: int
    end: int
    #: Over things that are given, not until something happens.
    over: bool


def loops_of(code: Code) -> list[Loop]:
    if code.language in BRACES:
        return _braced(code.bare[: code.product_end])
    return _ruby(code.bare) if code.language == "Ruby" else []


def asks_once_each(loop: Loop, code: Code) -> bool:
    """Whether what a loop asks could have been asked at once."""
    head = code.bare[loop.start : loop.start + 160].split("\n", 1)[0]
    return loop.over and not _RETRY.search(head)


def _braced(text: str) -> list[Loop]:
    loops: list[Loop] = []
    #: For each open brace, its loop's start; None for anything else.
    stack: list[tuple[int, bool] | None] = []
    waiting: tuple[int, bool] | None = None
    parens = 0
    for found in _TOKEN.finditer(text):
        word, sign = found["loop"], found["sign"]
        if word:
            waiting = (found.start(), word in ("for", "foreach", "forEach"))
            # What follows "forEach(" is a function, whose braces are inside the parentheses.
            parens = -1 if word == "forEach" else 0
        elif sign == "(":
            parens += 1
        elif sign == ")":
            parens -= 1
        elif sign == "{":
            taken = waiting is not None and parens <= 0
            stack.append(waiting if taken else None)
            waiting = None if taken else waiting
        elif sign == "}":
            opened = stack.pop() if stack else None
            if opened is not None:
                loops.append(Loop(opened[0], found.end(), opened[1]))
        elif sign == ";" and waiting is not None and parens <= 0:
            loops.append(Loop(waiting[0], found.end(), waiting[1]))
            waiting = None
    return sorted(loops, key=lambda each: each.start)


def _ruby(text: str) -> list[Loop]:
    """Ruby is indented as its blocks are."""
    loops: list[Loop] = []
    for found in _RUBY_LOOP.finditer(text):
        indent = len(found["indent"])
        end = _block_end(text, found.end(), indent)
        over = "while" not in found[0] and "until" not in found[0]
        loops.append(Loop(found.start(), end, over))
    return loops


def _block_end(text: str, start: int, indent: int) -> int:
    found = re.compile(rf"^[ \t]{{0,{indent}}}\S", re.MULTILINE).search(text, start)
    return found.start() if found else len(text)
