"""Prints certificates: a tagged PDF of one page.

Emoji are left out of a name. A name in a script that no font has (``service.typesetting`` says
which) needs a font of its own: give a folder with one. Without it the certificate is refused, since
a page of empty boxes is worse than none; :meth:`Press.can_print` tells beforehand.

The same certificate gives the same bytes: it is dated by its issue.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Literal, TypeAlias

from tablewright.service.printed_texts import day, one_line
from tablewright.service.typesetting import CannotPrint, LettersMissing, Typesetter
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
        self._typesetter = Typesetter(_HERE / "certificate.typ", fonts)

    def can_print(self, name: str) -> bool:
        """Whether a certificate with this name can be printed; a few milliseconds at most."""
        try:
            line = _line(printable_name(name))
        except CannotPrint:
            return False
        return not self._typesetter.missing(line)

    def pdf(self, certificate: Printed) -> bytes:
        """The certificate; :class:`CannotPrint` if no font has its letters. About 20 ms."""
        dated = datetime.combine(certificate.issued, time(12), UTC)
        try:
            return self._typesetter.pdf(_inputs(certificate), dated=dated)
        except LettersMissing:
            raise CannotPrint(
                "no font here has all letters of the name or of the event: add a folder with one "
                "that does"
            ) from None


def printable_name(name: str) -> str:
    """The name without emoji, which no font of a certificate has."""
    kept = (each for each in name if not _is_emoji(each))
    return " ".join("".join(kept).replace("\u200d ", " ").strip("\u200d ").split())


def _is_emoji(character: str) -> bool:
    selectors = ("\ufe0e", "\ufe0f", "\u20e3")
    tone = "\U0001f3fb" <= character <= "\U0001f3ff"
    tag = "\U000e0020" <= character <= "\U000e007f"
    return unicodedata.category(character) == "So" or character in selectors or tone or tag


def _inputs(certificate: Printed) -> dict[str, str]:
    title, lead, line = _WORDS[certificate.kind]
    return {
        "title": title,
        "lead": lead,
        "line": line,
        "name": _line(printable_name(certificate.name)),
        "name_lang": "hi" if _is_devanagari(certificate.name) else "en",
        "event": _line(certificate.event),
        "dates": _dates(certificate.starts, certificate.ends),
        "issued": day(certificate.issued),
        "code": codes.shown(codes.parse(certificate.code)),
        "address": certificate.address,
        "qr": qr.svg(certificate.address, "Check this certificate"),
    }


def _line(text: str) -> str:
    line = one_line(text)
    if not line:
        raise CannotPrint("a certificate needs a name")
    if len(line) > _MOST_NAME:
        raise CannotPrint(f"a certificate has room for a name of {_MOST_NAME} characters")
    return line


def _is_devanagari(text: str) -> bool:
    return any("\u0900" <= each <= "\u097f" for each in text)


def _dates(starts: date, ends: date) -> str:
    if starts == ends:
        return day(ends)
    if (starts.year, starts.month) == (ends.year, ends.month):
        return f"{starts.day} to {day(ends)}"
    return f"{day(starts)} to {day(ends)}"
