"""Sets documents with typst: tagged PDFs (PDF/UA-1) with their fonts inside.

Texts come to a template through ``sys.inputs`` and are set as they are: nothing that a person typed
is ever read as markup. The same inputs give the same bytes, on every machine: its fonts are not
looked at, and the file is dated by what it tells of.

Poppins covers Latin and Devanagari; the fonts that typst brings along cover Greek, Cyrillic, Hebrew
and some Arabic. Other scripts need a folder with a font. A letter that no font has would be an
empty box for the eye and nothing at all for a screen reader, so it is refused
(:class:`LettersMissing`); :meth:`Typesetter.missing` tells beforehand.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import orjson

FONTS = Path(__file__).parent / "fonts"

#: The text of the largest documents, many times over: typst takes a second for each million.
MOST_TEXT = 4_000_000

_PROBE = b"""
#set document(title: "Letters")
#set text(font: ("Poppins", "Libertinus Serif"))
#for each in json(bytes(sys.inputs.letters)) { par(each) }
"""
_ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)
_REFUSED = re.compile(r'the text `"(.+?)"` could not be displayed', re.DOTALL)
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


class CannotPrint(ValueError):
    """A document that cannot be printed, for a reason that may be shown."""


class LettersMissing(CannotPrint):
    """No font has these letters. The message does not tell them: they are of somebody's text."""

    def __init__(self, letters: frozenset[str]) -> None:
        super().__init__(
            "no font here has all letters of its texts: add a folder with one that does"
        )
        self.letters = letters


class Typesetter:
    """Sets one template, with the fonts of the given folders beside those of the package."""

    def __init__(self, template: Path | bytes, fonts: Sequence[Path] = ()) -> None:
        import typst

        self._error = typst.TypstError
        self._fonts = tuple(fonts)
        self._compiler = typst.Compiler(
            template, font_paths=[FONTS, *fonts], ignore_system_fonts=True
        )
        # One document at a time: the compiler refuses a second thread.
        self._alone = threading.Lock()
        self._probing = threading.Lock()
        self._probe: Typesetter | None = None
        self._known: dict[str, bool] = {}

    def pdf(self, inputs: Mapping[str, str], *, dated: datetime) -> bytes:
        """The document. Other threads run meanwhile, so a service calls it in one of its own."""
        if sum(map(len, inputs.values())) > MOST_TEXT:
            raise CannotPrint(f"its texts have more than {MOST_TEXT:,} characters together")
        try:
            with self._alone:
                made = self._compiler.compile(
                    format="pdf",
                    sys_inputs=dict(inputs),
                    pdf_standards=["ua-1"],
                    timestamp=dated,
                )
        except self._error as error:
            refused = _refused(error.diagnostic)
            if not refused:
                raise
            # Its text shows parts of what people wrote, which is nothing for a log.
            raise LettersMissing(refused) from None
        assert isinstance(made, bytes)  # a PDF is one file
        return made

    def missing(self, letters: Iterable[str]) -> frozenset[str]:
        """Those of the letters that no font has; a millisecond or so, and nothing when known."""
        wanted = set(letters)
        with self._probing:
            if new := sorted(wanted - self._known.keys()):
                refused = self._refused_of(new)
                self._known.update((each, each in refused) for each in new)
            return frozenset(each for each in wanted if self._known[each])

    def _refused_of(self, letters: Sequence[str]) -> frozenset[str]:
        self._probe = self._probe or Typesetter(_PROBE, self._fonts)
        try:
            self._probe.pdf({"letters": orjson.dumps(letters).decode()}, dated=_ANY_DAY)
        except LettersMissing as error:
            return error.letters
        return frozenset()


def _refused(diagnostic: str) -> frozenset[str]:
    """The letters in an error of typst, which lists all that it could not show."""
    found = (_ESCAPED.sub(_unescaped, each) for each in _REFUSED.findall(diagnostic))
    return frozenset(letter for each in found for letter in each)


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
