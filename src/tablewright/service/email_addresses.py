"""E-mail addresses: which are accepted, and when two are the same. One rule for all systems.

Unicode has many characters that become plain letters when they are normalized: the Kelvin sign is
a ``k`` then. To compare such addresses by their normal form would let one person be taken for
another. Addresses that are not in their normal form are therefore refused, and what is left is
compared without regard to case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

__all__ = ["MOST_CHARACTERS", "EmailError", "comparison_key", "is_within", "parse_email"]

MOST_CHARACTERS = 254
# Something before and after an @, without what no address has. Only mail can tell whether the
# address exists.
_OTHER = r"[^\s@<>()\[\],;:\\\"#\x00-\x1f\x7f]"
_ADDRESS = re.compile(rf"{_OTHER}{{1,64}}@{_OTHER}+\.{_OTHER}+")
#: ``Asha Verma <asha@example.org>``, as mail programs copy it.
_WITH_NAME = re.compile(r"[^<>]*<([^<>]+)>")


class EmailError(ValueError):
    """A text that is not an e-mail address, for a reason that may be shown."""


def parse_email(text: str) -> str:
    """Return the address in a text, without what surrounds it: spaces, ``mailto:``, a name.

    Raises:
        EmailError: Says what is wrong and gives an example.
    """
    address = text.strip()
    if match := _WITH_NAME.fullmatch(address):
        address = match[1].strip()
    if address[:7].lower() == "mailto:":
        address = address[7:]
    local, _, domain = address.rpartition("@")
    well_formed = (
        len(address) <= MOST_CHARACTERS
        and address.isprintable()
        and unicodedata.is_normalized("NFKC", address)
        and _ADDRESS.fullmatch(address) is not None
        and ".." not in address
        and not local.startswith(".")
        and not local.endswith(".")
        and "/" not in domain
        and not domain.startswith((".", "-"))
        and not domain.endswith(".")
    )
    if not well_formed:
        raise EmailError("Enter an e-mail address such as asha@example.org.")
    return address


def comparison_key(address: str) -> str:
    """Return the same key for every way to write one address: only case may differ."""
    return address.strip().lower()


def is_within(address: str, domains: Iterable[str]) -> bool:
    """Tell whether an address is in one of these domains; ``*.ac.in`` stands for all below it."""
    domain = comparison_key(address).rpartition("@")[2]
    return any(_is_under(domain, comparison_key(each)) for each in domains)


def _is_under(domain: str, listed: str) -> bool:
    if listed.startswith("*."):
        return domain.endswith(listed[1:]) and domain != listed[1:]
    return domain == listed.removeprefix("@")
