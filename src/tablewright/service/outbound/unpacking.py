"""Bodies as they come, unpacked up to a limit: a few bytes may unpack to gigabytes."""

from __future__ import annotations

import zlib

#: gzip or zlib, whichever it turns out to be.
_EITHER = 32 + zlib.MAX_WBITS


class TooLarge(Exception):
    """More than the limit."""


class Unpacked:
    """A body, part by part."""

    def __init__(self, encoding: str, most: int) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ValueError(f"packed in a way that was not asked for: {name[:40]}")
        self._unpacker = None if name in ("", "identity") else zlib.decompressobj(_EITHER)
        self._most = most
        self._body = bytearray()

    def add(self, part: bytes) -> None:
        """The next bytes from the wire; :class:`TooLarge`, or ValueError if they are broken."""
        if self._unpacker is None:
            self._body += part
        else:
            room = self._most + 1 - len(self._body)
            try:
                # Never more than there is room for: what is left over would be too much.
                self._body += self._unpacker.decompress(part, max(1, room))
            except zlib.error as error:
                raise ValueError("cannot be unpacked") from error
        if len(self._body) > self._most:
            raise TooLarge

    def body(self) -> bytes:
        """All of it, once nothing more comes."""
        if self._unpacker is not None and self._body and not self._unpacker.eof:
            raise ValueError("breaks off")
        return bytes(self._body)
