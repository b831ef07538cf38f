"""Pictures of pages as small PNG files: a palette of 256 colours, and no metadata.

Pages have few colours, and their text is grey between two of them. The most frequent ones are kept
as they are, some more stand for what is left, and the rest goes to the nearest. The browser that
made a picture unpacks it: there is no other decoder here.
"""

from __future__ import annotations

import base64
import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from playwright.sync_api import Page

#: Colours that are kept, and colours that stand for many like them.
KEPT, STANDING = 192, 64
#: So many colours are compared with the palette at a time; it bounds the memory.
_SLICE = 4096

_UNPACK = """
async (png) => {
  const answer = await fetch(`data:image/png;base64,${png}`);
  const bitmap = await createImageBitmap(await answer.blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const bytes = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768)
    text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return {width: bitmap.width, height: bitmap.height, bytes: btoa(text)};
}
"""


def small(page: Page, png: bytes) -> bytes:
    """The same picture with a palette; ``page`` is any empty page of a browser."""
    found = page.evaluate(_UNPACK, base64.b64encode(png).decode())
    shape = (found["height"], found["width"], 4)
    pixels = np.frombuffer(base64.b64decode(found["bytes"]), np.uint8).reshape(shape)
    return encoded(*quantised(pixels[:, :, :3]))


def quantised(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """A palette, and for each pixel the number of its colour."""
    flat = pixels.reshape(-1, 3).astype(np.uint32)
    packed = flat[:, 0] << 16 | flat[:, 1] << 8 | flat[:, 2]
    colours, places, counts = np.unique(packed, return_inverse=True, return_counts=True)
    ranked = colours[np.argsort(counts)[::-1]]
    palette = _unpacked(np.concatenate([ranked[:KEPT], _standing(ranked[KEPT:])]))
    numbers = _nearest(_unpacked(colours), palette)
    return palette, numbers[places].reshape(pixels.shape[:2])


def _standing(ranked: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Of colours that are nearly alike the first, for the largest such groups."""
    _, firsts, counts = np.unique(ranked & 0xE0E0E0, return_index=True, return_counts=True)
    return ranked[firsts[np.argsort(counts)[::-1][:STANDING]]]


def _unpacked(colours: NDArray[np.uint32]) -> NDArray[np.uint8]:
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)


def _nearest(colours: NDArray[np.uint8], palette: NDArray[np.uint8]) -> NDArray[np.uint8]:
    wide = palette.astype(np.int32)
    slices = (colours[at : at + _SLICE].astype(np.int32) for at in range(0, len(colours), _SLICE))
    found = [((each[:, None] - wide[None]) ** 2).sum(axis=2).argmin(axis=1) for each in slices]
    return np.concatenate(found).astype(np.uint8)


def encoded(palette: NDArray[np.uint8], numbers: NDArray[np.uint8]) -> bytes:
    """A PNG file of colour type 3."""
    height, width = numbers.shape
    # Each row begins with the filter it has: none is best where neighbours are numbers of colours.
    rows = np.hstack([np.zeros((height, 1), np.uint8), numbers]).tobytes()
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
