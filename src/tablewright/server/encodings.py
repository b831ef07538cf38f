"""Content codings: inflating compressed requests, choosing and making compressed answers.

The rules for ``Accept-Encoding`` are those AWS was seen to follow, including its leniency with
malformed quality values, so that a client gets the same coding here and there.
"""

from __future__ import annotations

import zlib
from functools import lru_cache

_GZIP = 16 + zlib.MAX_WBITS
_ZLIB = zlib.MAX_WBITS
_WINDOWS = {b"gzip": _GZIP, b"deflate": _ZLIB}
#: A gzip body may consist of several streams, one after the other. No client sends so many.
MAX_MEMBERS = 1024
#: So many bytes are inflated at once.
_PIECE = 16 * 1024
#: The fastest level: over a local network CPU is dearer than bytes.
_LEVEL = 1


class BadEncoding(Exception):
    """The body isn't what its Content-Encoding says, or the coding is unknown."""


class TooLarge(Exception):
    """The body inflates to more than is allowed."""


def decode(body: bytes, coding: bytes, limit: int) -> bytes:
    """Undo a request's Content-Encoding without ever holding more than `limit` bytes."""
    coding = coding.strip().lower()
    if coding in (b"", b"identity"):
        return body
    window = _WINDOWS.get(coding)
    if window is None:
        raise BadEncoding(coding.decode("latin-1"))
    return _inflate(body, window, limit, MAX_MEMBERS if coding == b"gzip" else 1)


def _inflate(body: bytes, window: int, limit: int, members: int) -> bytes:
    """Inflate up to `members` streams that follow each other, in one pass over `body`.

    zlib copies everything behind the end of a stream. Feeding small pieces by offset keeps that
    copy small, and the cap on the streams keeps the number of copies small.
    """
    view = memoryview(body)
    offset = 0
    room = limit
    parts: list[bytes] = []
    for _ in range(members):
        engine = zlib.decompressobj(window)
        while not engine.eof:
            piece = view[offset : offset + _PIECE]
            if not piece:
                raise BadEncoding("the stream ends early")
            try:
                # One byte more than allowed tells a full body from one that goes on.
                inflated = engine.decompress(piece, room + 1)
            except zlib.error as error:
                raise BadEncoding(str(error)) from None
            room -= len(inflated)
            if room < 0:
                raise TooLarge
            parts.append(inflated)
            offset += len(piece) - len(engine.unused_data)
        if offset == len(body):
            return b"".join(parts)
    raise BadEncoding("data after the end of the stream")


def encode(body: bytes, coding: bytes) -> bytes:
    """`body` in the coding that :func:`choose` returned."""
    engine = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOWS[coding])
    return engine.compress(body) + engine.flush()


@lru_cache(maxsize=64)
def choose(accept: bytes) -> bytes | None:
    """The coding to answer with for an Accept-Encoding header; None for no compression."""
    named: dict[bytes, float] = {}
    for entry in accept.lower().split(b","):
        name, _, parameters = entry.partition(b";")
        name = name.strip()
        named[name] = max(named.get(name, 0.0), _quality(parameters))
    # A coding that is named comes before one that only `*` allows; then as the client listed.
    ranked = [(quality, name) for name, quality in named.items() if name in _WINDOWS]
    ranked += [(named.get(b"*", 0.0), name) for name in _WINDOWS if name not in named]
    quality, name = max(ranked, key=lambda pair: pair[0])
    return name if quality > 0 else None


def _quality(parameters: bytes) -> float:
    """The first `q=`; one that isn't a number counts as 1, as it does on AWS."""
    _, found, value = parameters.partition(b"q=")
    if not found:
        return 1.0
    try:
        return max(0.0, min(1.0, float(value.partition(b";")[0])))
    except ValueError:
        return 1.0
