"""Decisions and ids that follow from the seed.

Each decision has a name, such as ``drop/<event>``, and is drawn for that name alone: it stays the
same whatever else was drawn before, by whichever thread, or before a restart.
"""

from __future__ import annotations

import hashlib
from random import Random

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID_CHARS = 14


class Chance:
    def __init__(self, seed: int) -> None:
        self._seed = seed

    def draw(self, name: str) -> Random:
        """A source of its own for one decision."""
        return Random(f"{self._seed}/{name}")

    def happens(self, name: str, share: float) -> bool:
        return share > 0 and self.draw(name).random() < share

    def identity(self, prefix: str, number: int) -> str:
        """The id of the number-th thing, in the gateway's form: ``order_EKwxwAgItmmXdp``."""
        digest = hashlib.sha256(f"{self._seed}/{prefix}/{number}".encode()).digest()
        value = int.from_bytes(digest, "big")
        chars = []
        for _ in range(_ID_CHARS):
            value, digit = divmod(value, len(_DIGITS))
            chars.append(_DIGITS[digit])
        return f"{prefix}_{''.join(chars)}"
