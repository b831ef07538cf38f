"""Events as text: ``text/event-stream``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import orjson

#: How long a browser waits before it comes back.
RETRY = b"retry: 2000\n\n"
#: Keeps connections open that would be closed for silence.
HEARTBEAT = b": still here\n\n"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}\Z")


@dataclass(frozen=True)
class Event:
    """Something that happened."""

    topic: str
    kind: str
    data: Mapping[str, object]
    #: Among the events of this process; 0 if it is a lasting one.
    number: int = 0
    #: Of a lasting event.
    entry: str = ""

    @cached_property
    def text(self) -> str:
        """The data as JSON: made once, however many readers there are."""
        return orjson.dumps(self.data, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def checked(word: str) -> str:
    """A topic or kind that can stand on a line of its own."""
    if _WORD.match(word) is None:
        raise ValueError(f"{word!r} is no name of a topic or an event")
    return word


def lines(kind: str, text: str, position: str | None = None) -> bytes:
    """One event as it goes over the wire."""
    # Of a text, Python takes more characters for the end of a line than readers of events do.
    body = b"".join(b"data: %b\n" % line for line in text.encode().splitlines() or [b""])
    id_line = "" if position is None else f"id: {position}\n"
    return f"{id_line}event: {kind}\n".encode() + body + b"\n"
