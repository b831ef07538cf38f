"""The lines of a ladder's text, and what is wrong with them."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias

from tablewright.systems.ladders.fields import MAX_CONFIG_BYTES

Code: TypeAlias = Literal[
    "text_outside",
    "orphan_competency",
    "empty",
    "duplicate",
    "level_gap",
    "level_count",
    "bad_marker",
    "html",
    "name_too_long",
    "too_large",
    "not_utf8",
    "left_out",
]

#: Nobody corrects more at once, and a text that is no ladder has one on every line.
MOST_ERRORS: Final = 200

_STEERING: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LINE_END: Final = re.compile(r"\r\n?|\n")
#: Spaces that look like one and are none to a parser, as in what is copied from a page.
_SPACES: Final = re.compile(r"[^\S\t\n ]")
_BOM: Final = "\ufeff"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


class LineError(NamedTuple):
    """One thing that is wrong, and on which line, counted from 1."""

    line: int
    code: Code
    message: str


class Line(NamedTuple):
    """A line of the text, and which one it is."""

    number: int
    text: str


def lines_of(text: bytes | str) -> tuple[list[Line], list[LineError]]:
    """The lines as they can be read, and those that cannot."""
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if len(data) > MAX_CONFIG_BYTES:
        return [], [_too_large(data)]
    if data.startswith(_WIDE):
        return [], [LineError(1, "not_utf8", "The text is not in UTF-8 but in UTF-16.")]
    found = _LINE_END.split(data.decode(errors="surrogateescape").removeprefix(_BOM))
    lines = [Line(number, _readable(each)) for number, each in enumerate(found, 1)]
    unreadable = (_unreadable(number, each) for number, each in enumerate(found, 1))
    return lines, [*islice((each for each in unreadable if each is not None), MOST_ERRORS)]


def _too_large(data: bytes) -> LineError:
    line = data[:MAX_CONFIG_BYTES].count(b"\n") + 1
    kilobytes = MAX_CONFIG_BYTES // 1024
    return LineError(line, "too_large", f"A ladder has at most {kilobytes} KB; here it has more.")


def _unreadable(number: int, text: str) -> LineError | None:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        return LineError(number, "not_utf8", "The line is not in UTF-8.")
    steering = _STEERING.search(text)
    if steering is None:
        return None
    sign = f"U+{ord(steering[0]):04X}"
    return LineError(number, "not_utf8", f"The line has a sign that is no text: {sign}.")


def _readable(text: str) -> str:
    """Something that further errors can be found in; columns count, so tabs are spaces."""
    shown = "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)
    return _SPACES.sub(" ", _STEERING.sub("\ufffd", shown)).expandtabs(4)
