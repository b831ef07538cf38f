"""Sets documents with typst: tagged PDFs (PDF/UA-1) with their fonts inside.

Texts come to a template through ``sys.inputs`` and are set as they are: nothing that a person typed
is ever read as markup. The same inputs give the same bytes, on every machine: its fonts are not
looked at, and the file is dated by what it tells of.

Poppins covers Latin and Devanagari; the fonts that typst brings along cover Greek, Cyrillic and
Hebrew. ``fonts/scripts``, which is fetched at set-up, has the other scripts of India and its
neighbours. Any other script needs a folder with a font. A letter that no font has would be an
empty box for the eye and nothing at all for a screen reader, so it is refused
(:class:`LettersMissing`); :meth:`Typesetter.missing` tells beforehand.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import orjson

FONTS = Path(__file__).parent / "fonts"

#: More than any document of ours has; typst takes some seconds for it.
MOST_TEXT = 2_000_000
#: So much is worth forgetting: typst takes a few hundred times its size to set it.
_MUCH_TEXT = 20_000
#: typst keeps what it worked out until this many later documents had no use for it.
_KEPT = 10

_LETTERS = FONTS / "letters.typ"
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

    def __init__(self, template: Path, fonts: Sequence[Path] = ()) -> None:
        import typst

        self._error = typst.TypstError
        self._fonts = tuple(fonts)
        self._compiler = typst.Compiler(
            template, font_paths=[FONTS, *fonts], ignore_system_fonts=True
        )
        # One document at a time: the compiler refuses a second thread.
        self._alone = threading.Lock()
        self._probing = threading.Lock()
        self._known: dict[str, bool] = {}

    def pdf(self, inputs: Mapping[str, str], *, dated: datetime) -> bytes:
        """The document. Other threads run meanwhile, so a service calls it in one of its own."""
        size = sum(map(len, inputs.values()))
        if size > MOST_TEXT:
            raise CannotPrint(f"its texts have more than {MOST_TEXT:,} characters together")
        try:
            return self._compiled(inputs, dated)
        finally:
            if size > _MUCH_TEXT:
                self._forget()

    def missing(self, letters: Iterable[str]) -> frozenset[str]:
        """Those of the letters that no font has; a few milliseconds, and nothing when known."""
        wanted = set(letters)
        with self._probing:
            if new := sorted(wanted - self._known.keys()):
                refused = self._refused_of(new)
                self._known.update((each, each in refused) for each in new)
            return frozenset(each for each in wanted if self._known[each])

    def _compiled(self, inputs: Mapping[str, str], dated: datetime) -> bytes:
        # A PDF has its time in whole seconds.
        at = dated.replace(microsecond=0)
        try:
            with self._alone:
                made = self._compiler.compile(
                    format="pdf", sys_inputs=dict(inputs), pdf_standards=["ua-1"], timestamp=at
                )
        except self._error as error:
            refused = _refused(error.diagnostic)
            if not refused:
                raise
            # Its text shows parts of what people wrote, which is nothing for a log.
            raise LettersMissing(refused) from None
        assert isinstance(made, bytes)  # a PDF is one file
        return made

    def _forget(self) -> None:
        """Has typst drop what it worked out, by small documents that have no use for it.

        The texts are private, and ten long documents are more than a gigabyte.
        """
        for _ in range(_KEPT + 1):
            self._refused_of([])

    def _refused_of(self, letters: Sequence[str]) -> frozenset[str]:
        try:
            self._of_letters.pdf({"letters": orjson.dumps(letters).decode()}, dated=_ANY_DAY)
        except LettersMissing as error:
            return error.letters
        return frozenset()

    @cached_property
    def _of_letters(self) -> Typesetter:
        return Typesetter(_LETTERS, self._fonts)


def _refused(diagnostic: str) -> frozenset[str]:
    """The letters in an error of typst, which lists all that it could not show."""
    found = (_ESCAPED.sub(_unescaped, each) for each in _REFUSED.findall(diagnostic))
    return frozenset(letter for each in found for letter in each)


def _unescaped(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16))
