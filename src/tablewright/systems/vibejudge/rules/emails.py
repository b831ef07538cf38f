"""E-mail addresses, as far as they matter here: they are compared, and shown to their owner."""

from __future__ import annotations

import re

MOST_CHARS = 254
# Something before and after an @, without what no address has. Whether it exists only mail can
# tell.
_ADDRESS = re.compile(
    r"[^\s@<>()\[\],;:\\\"\x00-\x1f\x7f]{1,64}@[^\s@<>()\[\],;:\\\"/\x00-\x1f\x7f]+\Z"
)


def is_address(text: str) -> bool:
    """Whether it looks like one."""
    domain = text.rpartition("@")[2]
    return (
        len(text) <= MOST_CHARS
        and text.isprintable()
        and _ADDRESS.match(text) is not None
        and not domain.startswith(".")
        and not domain.endswith(".")
        and ".." not in text
    )


def compared(text: str) -> str:
    """The same for every way to write one address: nobody's differ in their capitals alone."""
    return text.strip().lower()
