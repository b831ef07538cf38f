"""What the texts that fit a regular expression begin with, as far as it is literal.

``(?:rss|file)#[0-9]+`` begins with ``rss#`` or ``file#``; ``[a-z]+`` with anything, which is the
empty text. Only what is certain is said: a sign that may be left out ends a beginning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LITERAL = re.compile(r"[A-Za-z0-9#@_:,/=~ -]")
_GROUP = "(?:"


def beginnings(pattern: str) -> list[str]:
    """All texts that a fitting text may begin with, each as long as it is certain."""
    found = [text for branch in _branches(pattern) for text in _of_branch(branch)]
    return [""] if "" in found else list(dict.fromkeys(found))


def _of_branch(branch: str) -> list[str]:
    texts, at = [""], 0
    if branch.startswith(_GROUP):
        end = _closing(branch)
        if _quantified(branch, end + 1):
            return [""]
        inner = branch[len(_GROUP) : end]
        texts, at = beginnings(inner), end + 1
        if not all(_is_literal(each) for each in _branches(inner)):
            return texts
    literal = ""
    while at < len(branch) and _LITERAL.match(branch[at]) and not _quantified(branch, at + 1):
        literal += branch[at]
        at += 1
    return [text + literal for text in texts]


def _is_literal(text: str) -> bool:
    return all(_LITERAL.match(sign) for sign in text)


def _quantified(text: str, at: int) -> bool:
    return text[at : at + 1] in ("?", "*", "+", "{") and at < len(text)


def _branches(pattern: str) -> Iterator[str]:
    """The alternatives of a pattern, those inside groups left whole."""
    depth, start = 0, 0
    for at, sign in _signs(pattern):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif sign == "|" and not depth:
            yield pattern[start:at]
            start = at + 1
    yield pattern[start:]


def _closing(pattern: str) -> int:
    """Where the group that the pattern begins with ends."""
    depth = 0
    for at, sign in _signs(pattern):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if not depth:
            return at
    return len(pattern)


def _signs(pattern: str) -> Iterator[tuple[int, str]]:
    """Every sign that means something: not what is escaped or in a class."""
    for found in re.finditer(r"\\.|\[\^?\]?(?:\\.|[^\]])*\]|.", pattern, re.DOTALL):
        if len(found[0]) == 1:
            yield found.start(), found[0]
