"""Text that talks to graders.

Looked for in all of a repository that can be read as words: files, messages of commits, names of
files. Before that, the text is made plain: letters that only look like others, characters that
nobody sees, entities of HTML, letters that stand apart. What is found is a flag for people, with
its place; it neither lowers a score nor ends a review, since a team may write about such things.

Lines are counted in the text as it was: making it plain never adds or removes one.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tablewright.systems.vibejudge.llm.boundary import visible
from tablewright.systems.vibejudge.llm.injection_phrases import LOOKALIKES, PHRASES, Kind

Where: TypeAlias = Literal["file", "commit", "path"]
#: Characters that are looked at, of one text and of all, and findings that are told.
MOST_CHARS, ALL_CHARS, MOST_FINDINGS = 200_000, 4_000_000, 20

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]{2,31});")
#: Letters that stand apart: g i v e, i-g-n-o-r-e.
_APART = re.compile(r"(?<![^\W_])(?:[^\W_][ ._*-]){1,40}[^\W_](?![^\W_])")
_BREAKS = re.compile(r"[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Text that seems to talk to a grader, and where it stands."""

    where: Where
    #: The path of the file, or the commit.
    name: str
    line: int
    kind: Kind

    def flag(self) -> str:
        return f"injection:{self.kind}:{visible(self.name)[:200]}:{self.line}"


@dataclass(frozen=True, slots=True)
class Said:
    """A text of the repository."""

    where: Where
    name: str
    text: str


def scan(texts: Iterable[Said]) -> tuple[Suspicion, ...]:
    """What talks to graders, in the order of the texts: once for each kind in each of them."""
    found: dict[tuple[Where, str, Kind], Suspicion] = {}
    left = ALL_CHARS
    for said in texts:
        left -= min(len(said.text), MOST_CHARS)
        for kind, line in phrases_in(said.text):
            key = said.where, said.name, kind
            found.setdefault(key, Suspicion(said.where, said.name, line, kind))
        if len(found) >= MOST_FINDINGS or left <= 0:
            break
    return tuple(found.values())[:MOST_FINDINGS]


def phrases_in(text: str) -> Iterator[tuple[Kind, int]]:
    """Kinds of phrases, and the lines in which they begin."""
    shown = plain(text[:MOST_CHARS])
    variants = [shown]
    if (joined := _together(shown)) != shown:
        variants.append(joined)
    for variant in variants:
        starts = [0, *(found.end() for found in re.finditer("\n", variant))]
        for kind, phrase in PHRASES:
            if (match := phrase.search(variant)) is not None:
                yield kind, bisect_right(starts, match.start())


def plain(text: str) -> str:
    """The text as it would be read aloud, in small letters, line by line as it was."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "&" in text:
        text = _ENTITY.sub(lambda found: _BREAKS.sub(" ", html.unescape(found[0])), text)
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKD", text).casefold().translate(_READ_AS)


class _ReadAs(dict[int, int | None]):
    """What a character is read as; found out when it first occurs."""

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        if category in ("Cf", "Mn", "Me"):
            # Nobody sees it; or a mark over a letter, which is read as the same letter.
            found = None
        elif category in ("Cc", "Zl", "Zp"):
            found = code if chr(code) == "\n" else ord(" ")
        else:
            found = LOOKALIKES.get(code, code)
        self[code] = found
        return found


_READ_AS = _ReadAs()


def _together(text: str) -> str:
    return _APART.sub(lambda found: re.sub(r"[ ._*-]", "", found[0]), text)
