"""Text to tokens: names, keywords, literals and symbols, each with its place.

What cannot be read at all (an open quote, a stray character, an exponent beyond 32 bits) gets
AWS's message with nothing after the colon; everything else is for the grammar to complain about.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tablewright.engine.errors import AwsError, validation
from tablewright.engine.partiql.keywords import KEYWORDS
from tablewright.engine.partiql.syntax import Position

NAME = "name"
QUOTED = "quoted"
KEYWORD = "keyword"
STRING = "S"
NUMBER = "N"
BOOLEAN = "BOOL"
NULL = "NULL"
MISSING = "missing"
ION = "ion"
END = "end"

_MAX_INT = 2**31 - 1

_TOKEN = re.compile(
    r"(?P<space>[ \t\v\f\r\n]+|--[^\r\n]*|/\*.*?\*/)"
    r"|(?P<word>[A-Za-z_$][A-Za-z0-9_$]*)"
    r"|(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?)"
    r"|(?P<string>'(?:[^']|'')*')"
    r'|(?P<quoted>"(?:[^"]|"")*")'
    r"|(?P<ion>`[^`]*`)"
    r"|(?P<symbol><<|>>|<=|>=|<>|!=|\|\||[()\[\]{}:,;?.*=<>+\-%@]|/(?!\*))",
    re.DOTALL,
)


class Token(NamedTuple):
    """``kind`` is a constant above or the symbol itself; ``text`` what it stands for."""

    kind: str
    text: str
    at: Position


def malformed(detail: str) -> AwsError:
    """The error of a text that is no PartiQL statement."""
    return validation(f"Statement wasn't well formed, can't be processed: {detail}")


def tokens(text: str) -> list[Token]:
    """All tokens of ``text``, closed by one of kind :data:`END`."""
    found: list[Token] = []
    line, line_start, place = 1, 0, 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            raise malformed("")
        end = match.end()
        if match.lastgroup == "space":
            breaks = text.count("\n", place, end)
            if breaks:
                line += breaks
                line_start = text.rindex("\n", place, end) + 1
        else:
            at = Position(line, place - line_start + 1, end - place)
            found.append(Token(*_read(match, text), at))
        place = end
    found.append(Token(END, "", Position(line, len(text) - line_start + 1, 0)))
    return found


def _read(match: re.Match[str], text: str) -> tuple[str, str]:
    word = match["word"]
    if word is not None:
        return _read_word(word)
    number = match["number"]
    if number is not None:
        _check_number(number, match["exponent"], text[match.end() : match.end() + 1])
        return NUMBER, number
    whole = match.group()
    if match["string"] is not None:
        return STRING, whole[1:-1].replace("''", "'")
    if match["quoted"] is not None:
        return QUOTED, whole[1:-1].replace('""', '"')
    if match["ion"] is not None:
        return ION, whole
    symbol = "<>" if whole == "!=" else whole
    return symbol, symbol


def _read_word(word: str) -> tuple[str, str]:
    lower = word.lower()
    if lower not in KEYWORDS:
        return NAME, word
    if lower in ("true", "false"):
        return BOOLEAN, lower
    if lower == "null":
        return NULL, lower
    if lower == "missing":
        return MISSING, lower
    return KEYWORD, lower


def _check_number(number: str, exponent: str | None, following: str) -> None:
    """Refuse what does not fit the 32-bit exponent and scale that AWS reads numbers into."""
    if exponent is None:
        if following in ("e", "E"):
            raise malformed("")
        return
    # Longer ones cannot fit, and Python refuses to read very long ones at all.
    power = int(exponent[1:]) if len(exponent) < 20 else _MAX_INT + 1
    fraction = number[: -len(exponent)].partition(".")[2]
    scale = len(fraction) - power
    if not -_MAX_INT - 1 <= power <= _MAX_INT or not -_MAX_INT - 1 <= scale <= _MAX_INT:
        raise malformed("")
