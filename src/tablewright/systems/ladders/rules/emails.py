"""Addresses: when two are the same, and whose domain may come in.

Only the letters A to Z are made small. Others may become letters of somebody else's address: the
Kelvin sign, made small, is a plain k.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable

MOST_CHARS = 254
# Something before and after an @, without what no address has; whether it exists only mail tells.
_OTHER = r"[^\s@<>()\[\],;:\\\"#\x00-\x1f\x7f]"
_ADDRESS = re.compile(rf"{_OTHER}{{1,64}}@{_OTHER}+\.{_OTHER}+\Z")
_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class BadEmail(ValueError):
    """Not an address, for a reason that may be shown."""


def parse(text: str) -> str:
    """An address as it is kept: small letters, and nothing around it."""
    address = text.strip().translate(_SMALL)
    if len(address) > MOST_CHARS or not address.isprintable() or not _ADDRESS.match(address):
        raise BadEmail("this is not an e-mail address")
    return address


def is_within(address: str, domains: Iterable[str]) -> bool:
    """Whether an address is in one of these domains; no domains, nobody's."""
    domain = address.rpartition("@")[2]
    return domain in {each.strip().translate(_SMALL) for each in domains}
