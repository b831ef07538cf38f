"""Addresses: which are taken, when two are the same, and whose domain may register."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MOST_CHARS = 254
# Something before and after an @, without what no address has. Whether it exists only mail can
# tell.
_OTHER = r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]"
_ADDRESS = re.compile(rf"{_OTHER}{{1,64}}@{_OTHER}+\.{_OTHER}+\Z")


class BadEmail(ValueError):
    """Not an address, for a reason that may be shown."""


def parse(text: str) -> str:
    """An address as it is kept: as it was typed, but without what is around it."""
    address = text.strip()
    domain = address.rpartition("@")[2]
    odd = ".." in address or "/" in domain or domain.startswith((".", "-")) or domain.endswith(".")
    if len(address) > MOST_CHARS or not address.isprintable() or odd:
        raise BadEmail("this is not an e-mail address")
    if not _ADDRESS.match(address) or address.startswith(".") or ".@" in address:
        raise BadEmail("this is not an e-mail address")
    return address


def compared(address: str) -> str:
    """The same for every way to write one address: no two differ in their capitals alone."""
    # Letters can change once more when they are made small, and then normal again.
    text = address.strip()
    for _ in range(4):
        before, text = text, unicodedata.normalize("NFKC", text).lower().strip()
        if text == before:
            break
    return text


def is_allowed(address: str, domains: Iterable[str]) -> bool:
    """Whether an address is under one of the domains; ``*.ac.in`` stands for all below it.

    No domains at all: anybody's.
    """
    listed = [compared(each) for each in domains]
    domain = compared(address).rpartition("@")[2]
    return not listed or any(_under(domain, each) for each in listed)


def _under(domain: str, listed: str) -> bool:
    if listed.startswith("*."):
        return domain.endswith(listed[1:]) and domain != listed[1:]
    return domain == listed
