"""Text inside a key: written so that it can hold no delimiter and still sorts as the text does.

The delimiter ``#`` has an escape sign, the character after it: ``$``. A text that something follows
has every character up to the sign written as the sign and two hexadecimal digits (a blank is
``$20``), so that whatever it holds sorts above the delimiter that ends it: ``a`` before ``a b``
before ``aa``, as ``a#`` before ``a$20b#`` before ``aa#``. At the end of a template only delimiter
and sign themselves are written so; what is below them is below the sign too.

The last character of Unicode, which is assigned to nothing, never occurs in a key: it is the upper
end of ranges (:mod:`tablewright.model.keys.ranges`). A text that holds it all the same is escaped.

With a delimiter above the digits, such as ``|``, keeping the order would mean to escape every
letter. There only delimiter and sign are escaped, and a text that something follows has no order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

LAST_CHARACTER = "\U0010ffff"
#: Escapes itself and the last character: the two stay in their order, and above all others.
_HIGH_SIGN = "\U0010fffe"
_HIGH = {0x10FFFE: _HIGH_SIGN + "0", 0x10FFFF: _HIGH_SIGN + "1"}


@dataclass(frozen=True, eq=False)
class TextCode:
    """One way to write text."""

    write: Callable[[str], str]
    read: Callable[[str], str]
    #: What :attr:`write` may give, as a regular expression.
    pattern: str
    #: Whether the order of the texts is kept when a delimiter follows.
    ordered: bool = True
    #: Whether letters and digits stay as they are.
    spares_letters: bool = True


def escape_sign(delimiter: str) -> str:
    return chr(ord(delimiter) + 1)


def inner_code(delimiter: str) -> TextCode:
    """For a text that something follows."""
    sign = escape_sign(delimiter)
    if sign <= "0":
        return _code(sign, range(ord(sign) + 1))
    return _code(sign, (ord(delimiter), ord(sign)), ordered=False)


def last_code(delimiter: str) -> TextCode:
    """For a text at the end of a template."""
    sign = escape_sign(delimiter)
    return _code(sign, (ord(delimiter), ord(sign)))


def _code(sign: str, escaped: Iterable[int], ordered: bool = True) -> TextCode:
    table = {number: f"{sign}{number:02X}" for number in escaped}
    originals = {code: chr(number) for number, code in (table | _HIGH).items()}
    special = "".join(map(re.escape, map(chr, table)))
    needs = re.compile(f"[{special}{_HIGH_SIGN}{LAST_CHARACTER}]").search
    signs = re.compile(f"{re.escape(sign)}..|{_HIGH_SIGN}.", re.DOTALL).sub
    spares_letters = not any(map(str.isalnum, map(chr, table)))
    table |= _HIGH

    def write(text: str) -> str:
        return text if needs(text) is None else text.translate(table)

    def read(text: str) -> str:
        return signs(lambda found: originals[found[0]], text)

    codes = "|".join(map(re.escape, originals))
    # Possessive, so that a text that does not fit fails at once.
    pattern = f"(?:[^{special}{_HIGH_SIGN}{LAST_CHARACTER}]++|{codes})++"
    return TextCode(write, read, pattern, ordered, spares_letters)
