"""Repository text as data.

A model reads one text, in which our words and those of a repository look alike. What is theirs
stands between two lines that carry a random name, made for this call alone: nobody who wrote the
repository can have known it, so nothing in there can end the data before its end.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

#: 128 random bits in 32 digits, so that all requests of a kind have one length.
Token: TypeAlias = Callable[[], str]
_REMOVED = "[removed]"
#: Invisible or direction-changing characters, and those that terminals and tokenisers act upon.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)
_SPELLED = re.compile(r"<U\+([0-9A-F]{4,5})>")


def random_token() -> str:
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Boundary:
    """The name of the data in one call."""

    token: str

    @property
    def name(self) -> str:
        return f"repository-{self.token}"

    def enclosed(self, data: str) -> str:
        """The data between its two lines; the token itself cannot be in it."""
        return f"<{self.name}>\n{self.without(visible(data))}\n</{self.name}>"

    def without(self, data: str) -> str:
        # What is put there instead cannot be part of a token: nothing new comes to be around it.
        return re.sub(re.escape(self.token), _REMOVED, data, flags=re.IGNORECASE)


def visible(text: str) -> str:
    """The same text with what cannot be seen spelled out: a model would read it, people not."""
    return _HIDDEN.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def hidden(text: str) -> str:
    """The opposite: what was spelled out, as it was."""
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)), text)
