"""Text to tokens, and AWS's syntax error out of a token.

One lexer serves all five kinds of expression. A character no token can start with becomes a
token of its own kind, so that it is the grammar which complains, about the first token it
cannot use, as AWS does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

KEYWORDS = frozenset({"AND", "OR", "NOT", "BETWEEN", "IN", "SET", "REMOVE", "ADD", "DELETE"})

NAME = "name"
NAME_REF = "#"
VALUE_REF = ":"
INDEX = "index"
END = "<EOF>"
_UNKNOWN = "?"

_TOKEN = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9_]*)"
    r"|(?P<ref>[#:][A-Za-z0-9_]+)"
    r"|(?P<index>0|[1-9][0-9]*)"
    r"|(?P<symbol><=|>=|<>|[=<>()\[\],.+-])"
    r"|(?P<space>[ \t\r\n]+)"
    r"|(?P<unknown>.)",
    re.DOTALL,
)


class Token(NamedTuple):
    """``kind`` is what the grammar looks at: a constant above, a keyword, or the symbol."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """All tokens of ``text``, white space left out, closed by one of kind :data:`END`."""
    found = []
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group != "space":
            word = match.group()
            found.append(Token(_kind(group, word), word, match.start(), match.end()))
    found.append(Token(END, END, len(text), len(text)))
    return found


def _kind(group: str | None, word: str) -> str:
    if group == "name":
        keyword = word.upper()
        return keyword if keyword in KEYWORDS else NAME
    if group == "ref":
        return word[0]
    if group == "symbol":
        return word
    return INDEX if group == "index" else _UNKNOWN


def syntax_error(text: str, found: list[Token], position: int) -> str:
    """AWS's message: the token, and the text from its left to its right neighbour."""
    token = found[position]
    start = found[position - 1].start if position else 0
    end = found[min(position + 1, len(found) - 1)].end
    return f'Syntax error; token: "{token.text}", near: "{text[start:end]}"'
