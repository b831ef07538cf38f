"""Codes for people to read out and type: Crockford's base 32, without I, L, O and U."""

from __future__ import annotations

import secrets
import unicodedata

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#: What is read as something else than it was meant.
_MEANT = str.maketrans({"O": "0", "I": "1", "L": "1"})
#: Typed longer than this, it is not looked at.
_MOST = 200


class BadCode(ValueError):
    """Not a code, for a reason that may be shown."""


def new(length: int) -> str:
    """A random code: five bits a character."""
    return "".join(secrets.choice(ALPHABET) for _ in range(length))


def parse(text: str, length: int) -> str:
    """The code that somebody typed, in the one way that it is written.

    Small letters, spaces and hyphens do not matter, and neither do letters that are taken for
    digits.
    """
    plain = unicodedata.normalize("NFKC", text[:_MOST]).upper()
    code = "".join(plain.replace("-", " ").split()).translate(_MEANT)
    if len(code) != length or any(each not in ALPHABET for each in code):
        raise BadCode(f"a code has {length} letters and digits, without U")
    return code


def shown(code: str) -> str:
    """In groups of four, which are easier to copy."""
    return "-".join(code[place : place + 4] for place in range(0, len(code), 4))
