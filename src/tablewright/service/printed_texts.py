"""Texts as they can be printed: without what cannot be seen, and able to break into lines."""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from itertools import pairwise

#: The directions and joints of letters; the others of their kind could turn a line round.
_JOINERS = "\u200c\u200d"
#: They ask for an emoji or for a plain sign; there are plain signs only.
_VARIANTS = "\ufe0e\ufe0f"
_ZERO_WIDTH_SPACE = "\u200b"
#: An address breaks at its signs by itself.
_LONG_WORD = re.compile(r"[^\s/.,:;?&=#_-]{24,}|(?P<same>[/.,:;?&=#_-])(?P=same){23,}")
_PIECE = 8

#: A language of each script for which one voice of a screen reader is the likeliest.
_LANGUAGES = (
    ("\u0900", "\u097f", "hi"),
    ("\u0590", "\u05ff", "he"),
    ("\u0600", "\u06ff", "ar"),
    ("\u0370", "\u03ff", "el"),
)

#: Not those of the machine's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def one_line(text: str) -> str:
    """The text on one line, without what cannot be seen; joiners stay, letters need them."""
    normal = unicodedata.normalize("NFC", text)
    return " ".join("".join(map(_shown, normal)).split())


def lines(text: str) -> list[str]:
    """The lines that have something on them."""
    return [line for each in text.splitlines() if (line := one_line(each))]


def breakable(line: str) -> str:
    """The line, with places to break where a word is longer than a column may be.

    They have no width, and are not copied with the text.
    """
    return _LONG_WORD.sub(lambda found: _in_pieces(found[0]), line)


def language(text: str) -> str:
    """The language to read the text in, which its first letter of a known script tells."""
    for each in text:
        for first, last, code in _LANGUAGES:
            if first <= each <= last:
                return code
        if each.isalpha():
            return "en"
    return "en"


def day(when: date) -> str:
    """``5 December 2026``."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def _shown(each: str) -> str:
    if each in _VARIANTS:
        return ""
    category = unicodedata.category(each)
    if category == "Cf":
        return each if each in _JOINERS else ""
    return " " if category.startswith(("C", "Z")) else each


def _in_pieces(word: str) -> str:
    pieces, size = [word[0]], 1
    for before, each in pairwise(word):
        if size >= _PIECE and _is_between_letters(before, each):
            pieces.append(_ZERO_WIDTH_SPACE)
            size = 0
        pieces.append(each)
        size += 1
    return "".join(pieces)


def _is_between_letters(before: str, after: str) -> bool:
    """Whether two characters stand apart: a mark belongs to the letter before it, and a virama or
    a joiner ties two letters together."""
    return not (
        unicodedata.category(after).startswith("M")
        or unicodedata.combining(before)
        or before in _JOINERS
        or after in _JOINERS
    )
