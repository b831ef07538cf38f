"""Prints certificates: a tagged PDF (PDF/UA-1) of one page, with its fonts inside.

Poppins covers Latin and Devanagari, and Libertinus, which typst brings along, Greek and Cyrillic
letters. A name in another script needs a font of its own: give a folder with one. Without it the
certificate is refused, since a page of empty boxes is worse than none.

The same certificate gives the same bytes: it is dated by its issue.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal, TypeAlias

from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.tickets import qr

Kind: TypeAlias = Literal["participation", "completion", "winner"]

_HERE = Path(__file__).parent
_MOST_NAME = 130

#: Title, what stands before the name, and what stands after it.
_WORDS: Mapping[Kind, tuple[str, str, str]] = {
    "participation": (
        "Certificate of Participation",
        "This is to certify that",
        "took part in",
    ),
    "completion": (
        "Certificate of Completion",
        "This is to certify that",
        "completed and submitted a project at",
    ),
    "winner": (
        "Certificate of Excellence",
        "This is proudly presented to",
        "as a winner of",
    ),
}


class CannotPrint(ValueError):
    """A certificate that cannot be printed, for a reason that may be shown."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What stands on a certificate."""

    name: str
    event: str
    kind: Kind
    code: str
    starts: date
    ends: date
    issued: date
    #: Where the code can be checked.
    address: str


class Press:
    """Prints certificates, with the fonts that it was given beside its own."""

    def __init__(self, fonts: Sequence[Path] = ()) -> None:
        import typst

        self._error = typst.TypstError
        # Not the machine's fonts: the same certificate is to look the same everywhere.
        self._compiler = typst.Compiler(
            _HERE / "certificate.typ",
            font_paths=[_HERE / "fonts", *fonts],
            ignore_system_fonts=True,
        )
        # One page at a time: the compiler refuses a second thread.
        self._alone = threading.Lock()

    def pdf(self, certificate: Printed) -> bytes:
        """The certificate; :class:`CannotPrint` if no font has its letters. About 20 ms."""
        inputs = _inputs(certificate)
        try:
            with self._alone:
                made = self._compiler.compile(
                    format="pdf",
                    sys_inputs=inputs,
                    pdf_standards=["ua-1"],
                    timestamp=datetime.combine(certificate.issued, time(12), UTC),
                )
        except self._error as error:
            if "could not be displayed" not in str(error):
                raise
            # Its text shows a part of the name, which is nothing for a log.
            raise CannotPrint(
                "no font here has all letters of the name or of the event: add a folder with one "
                "that does"
            ) from None
        assert isinstance(made, bytes)  # a PDF is one file
        return made


def _inputs(certificate: Printed) -> dict[str, str]:
    title, lead, line = _WORDS[certificate.kind]
    return {
        "title": title,
        "lead": lead,
        "line": line,
        "name": _line(certificate.name),
        "name_lang": "hi" if _is_devanagari(certificate.name) else "en",
        "event": _line(certificate.event),
        "dates": _dates(certificate.starts, certificate.ends),
        "issued": _day(certificate.issued),
        "code": codes.shown(codes.parse(certificate.code)),
        "address": certificate.address,
        "qr": qr.svg(certificate.address, "Check this certificate"),
    }


def _line(text: str) -> str:
    """A name on one line, without what cannot be seen; joiners stay, letters need them."""
    normal = unicodedata.normalize("NFC", text)
    line = " ".join("".join(each if _is_shown(each) else " " for each in normal).split())
    if not line:
        raise CannotPrint("a certificate needs a name")
    if len(line) > _MOST_NAME:
        raise CannotPrint(f"a certificate has room for a name of {_MOST_NAME} characters")
    return line


def _is_shown(each: str) -> bool:
    return each in "\u200c\u200d" or not unicodedata.category(each).startswith(("C", "Z"))


def _is_devanagari(text: str) -> bool:
    return any("\u0900" <= each <= "\u097f" for each in text)


def _day(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


#: Not those of the machine's language.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)


def _dates(starts: date, ends: date) -> str:
    if starts == ends:
        return _day(ends)
    if (starts.year, starts.month) == (ends.year, ends.month):
        return f"{starts.day} to {_day(ends)}"
    return f"{_day(starts)} to {_day(ends)}"
