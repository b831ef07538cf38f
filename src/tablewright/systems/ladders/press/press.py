"""Prints reports: a tagged PDF of three pages or more.

A letter that no font has is told rather than left out: an emoji by its name in brackets, another
letter as a box, with a note about it. A report is to be had in any case; a folder with further
fonts makes it whole.

The same report gives the same bytes: it is dated by when it was made.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson

from tablewright.service.typesetting import LettersMissing, Typesetter
from tablewright.systems.ladders.press.printed import PrintedReport
from tablewright.systems.ladders.press.wording import said

_HERE = Path(__file__).parent
_ROUNDS = 2
_BOX = "\u25a1"
#: Latin letters, up to which our font has all.
_LATIN = "\u017f"
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
#: What a wide or ornate letter may become.
_PLAIN = re.compile(r"[A-Za-z0-9 ,.!?:;()-]+")


class Press:
    """Prints reports, with the fonts that it was given beside its own."""

    def __init__(self, fonts: Sequence[Path] = ()) -> None:
        self._typesetter = Typesetter(_HERE / "report.typ", fonts)

    def pdf(self, report: PrintedReport) -> bytes:
        """The report; :class:`~tablewright.service.typesetting.CannotPrint` if it is longer than
        any that can be stored. A tenth of a second, or two if every text is as long as it may be.
        """
        text = orjson.dumps(said(report)).decode()
        unusual = {each for each in text if each > _LATIN}
        missing = self._typesetter.missing(unusual)
        for _ in range(_ROUNDS):
            try:
                return self._typesetter.pdf(_inputs(text, missing), dated=report.generated)
            except LettersMissing as error:
                # A letter may be there alone, but not with its marks.
                missing |= error.letters & unusual
        return self._typesetter.pdf(_inputs(text, unusual), dated=report.generated)


def _inputs(text: str, missing: Iterable[str]) -> dict[str, str]:
    instead = {ord(each): _told(each) for each in missing}
    boxes = _BOX in instead.values()
    return {"report": text.translate(instead), "boxes": "yes" if boxes else "no"}


def _told(letter: str) -> str:
    """What stands for a letter that no font has; never a character that JSON gives a meaning."""
    category = unicodedata.category(letter)
    if category.startswith("M") or ord(letter) in _SKIN_TONES:
        return ""
    if ord(letter) in _FLAG_LETTERS:
        return chr(ord(letter) - _FLAG_LETTERS.start + ord("A"))
    if category == "So":
        return f"[{unicodedata.name(letter, 'sign').lower()}]"
    plain = unicodedata.normalize("NFKC", letter)
    return plain if _PLAIN.fullmatch(plain) else _BOX
