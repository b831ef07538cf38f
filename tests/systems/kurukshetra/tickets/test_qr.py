"""QR codes that other people's readers read."""

from __future__ import annotations

import struct
import zlib
from xml.etree import ElementTree

import pytest
import zxingcpp

from tablewright.service.keys import Keys
from tablewright.systems.kurukshetra.tickets import qr
from tablewright.systems.kurukshetra.tickets.token import KEYS, Ticket, issue

LONGEST = Ticket("e" * 60, "00000001-0000-4000-8000-000000000001", 999_999_999)
TEXT = issue(LONGEST, Keys(None, {}).signing(KEYS).current)
SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """The grey picture that a PNG of one bit a dot holds, as the reader takes it."""

    def __init__(self, png: bytes) -> None:
        assert png.startswith(b"\x89PNG\r\n\x1a\n")
        place, data, self.width, self.height = 8, b"", 0, 0
        while place < len(png):
            (size,) = struct.unpack(">I", png[place : place + 4])
            kind, body = png[place + 4 : place + 8], png[place + 8 : place + 8 + size]
            if kind == b"IHDR":
                self.width, self.height, depth, colours = struct.unpack(">IIBB", body[:10])
                assert (depth, colours) == (1, 0)
            data += body if kind == b"IDAT" else b""
            place += 12 + size
        self.rows = self._rows(zlib.decompress(data))

    def _rows(self, raw: bytes) -> list[list[int]]:
        size = (self.width + 7) // 8
        line, rows = bytes(size), []
        for at in range(0, len(raw), size + 1):
            # As it is, or as the difference to the line above.
            above = {0: bytes(size), 2: line}[raw[at]]
            pairs = zip(raw[at + 1 : at + 1 + size], above, strict=True)
            line = bytes((one + other) % 256 for one, other in pairs)
            rows.append([255 * (line[x // 8] >> (7 - x % 8) & 1) for x in range(self.width)])
        return rows

    def read(self) -> str:
        flat = bytes(dot for row in self.rows for dot in row)
        view = memoryview(flat).cast("B", (self.height, self.width))
        (found,) = zxingcpp.read_barcodes(view)
        return str(found.text)


@pytest.mark.parametrize("text", [TEXT, "https://example.org/c/7H2K9QZM4T0VXW3B"])
def test_the_picture_says_what_it_was_given(text: str) -> None:
    assert Picture(qr.png(text, scale=3)).read() == text


def test_the_drawing_has_a_name_for_who_does_not_see_it() -> None:
    drawn = ElementTree.fromstring(qr.svg(TEXT, "Ticket of Asha & <Co>"))
    assert drawn.get("role") == "img"
    titles = [each.text for each in drawn if each.tag in ("title", f"{SVG}title")]
    assert titles == ["Ticket of Asha & <Co>"]
    assert drawn.get("viewBox") is not None
    assert "<script" not in qr.svg(TEXT, "<script>")


def test_the_longest_ticket_still_has_modules_that_a_camera_sees() -> None:
    modules = Picture(qr.png(TEXT, scale=1)).width - 8
    assert modules <= 65
