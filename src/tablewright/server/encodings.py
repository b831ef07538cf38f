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
    if coding not in _WINDOWS:
        raise BadEncoding(coding.decode("latin-1"))
    if coding == b"deflate":
        inflated, rest = _inflate(body, _ZLIB, limit)
        if rest:
            raise BadEncoding("data after the end of the stream")
        return inflated
    return _gunzip(body, limit)


def _gunzip(body: bytes, limit: int) -> bytes:
    """A gzip body may consist of several members, one after the other."""
    inflated, rest = _inflate(body, _GZIP, limit)
    members = [inflated]
    while rest:
        limit -= len(inflated)
        inflated, rest = _inflate(rest, _GZIP, limit)
        members.append(inflated)
    return b"".join(members)


def _inflate(data: bytes, window: int, limit: int) -> tuple[bytes, bytes]:
    engine = zlib.decompressobj(window)
    try:
        # One byte more than allowed tells a full body from one that goes on.
        inflated = engine.decompress(data, limit + 1)
    except zlib.error as error:
        raise BadEncoding(str(error)) from None
    if len(inflated) > limit:
        raise TooLarge
    if not engine.eof:
        raise BadEncoding("the stream ends early")
    return inflated, engine.unused_data


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
