# ruff: noqa: SIM905
"""Words of texts and of terms, made comparable.

A text is read once, as tokens: words, with the signs that stick to them (``C++``, ``F#``), and all
other signs one by one. Spaces and hyphens only separate. Scripts that are written without spaces
have a token for each character. An abbreviation with dots (``A.I.``) is one word without them.

Words are equal regardless of case, accents and usual endings: plurals in languages with Latin
letters, cases in Russian, particles in Korean. ``ü`` is found as ``ue``, too. An abbreviation of
two or three capitals is not found in a word that looks like it: ``US`` is not "us", nor ``AI``
"Ai".
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

#: Characters of scripts without spaces between words.
_SINGLE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
#: Marks and Indic signs belong to words, though the language does not count them as letters.
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
_ABBREVIATION = r"(?<![^\W_])(?:[^\W\d_]\.)+[^\W\d_](?!\w)\.?"
_TOKEN = re.compile(
    rf"{_ABBREVIATION}|[{_SINGLE}]|(?:(?![{_SINGLE}])[\w{_MARKS}])++(?:[+#]++(?![\w{_MARKS}]))?"
    r"|[^\s\-\u2010\u2011]"
)
#: The same for most of what comes in, and much quicker.
_ASCII_TOKEN = re.compile(rf"{_ABBREVIATION}|\w++(?:[+#]++(?!\w))?|[^\s\-]")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?\Z")
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc`", "'" * 4)

_ACRONYM = re.compile(r"([A-Z]{2,3})s?\Z")
#: Words of two and three letters that no abbreviation is written as.
_COMMON = frozenset(
    "a act aid aim air all am an and any are arm art as at ate aux be bus but by "
    "can car cat cop cut das dem den der die do dog due ein el en end er es est et "
    "eye far few fit for gas get go gun had has he her him his hit hot how ich if "
    "il im in is ist it its job key la lap las law led les let lip los man map may "
    "me men met mit my net new no nor not now of off oil old on one or our out own "
    "pan per pet pin pm que ran raw run sad sat saw say sea see set she si sie so "
    "son sur tap tax tea ten the tie tip to too top two un und une up us use van "
    "von war was way we who why win won yet you zu zum".split()
)
_LATIN_STEM = re.compile(r"[^\W\d_]{4,}\Z")
_CYRILLIC = re.compile(r"[\u0400-\u04ff]{4,}\Z")
_HANGUL = re.compile(r"[\uac00-\ud7a3]{3,}\Z")
_AS_THEY_ARE = frozenset({"always", "news", "series", "species", "texas", "wales"})
#: The longest first.
_CASES = tuple(
    sorted(
        "\u0430\u043c\u0438 \u044f\u043c\u0438 \u043e\u0433\u043e \u0435\u0433\u043e "
        "\u043e\u043c\u0443 \u0435\u043c\u0443 \u044b\u043c\u0438 \u0438\u043c\u0438 "
        "\u043e\u0439 \u0435\u0439 \u043e\u043c \u0435\u043c \u0430\u043c \u044f\u043c "
        "\u0430\u0445 \u044f\u0445 \u043e\u0432 \u0435\u0432 \u044b\u0439 \u0438\u0439 "
        "\u0430\u044f \u044f\u044f \u043e\u0435 \u0435\u0435 \u044b\u0435 \u0438\u0435 "
        "\u0443\u044e \u044e\u044e \u044b\u0445 \u0438\u0445 \u044b \u0438 \u0430 "
        "\u044f \u043e \u0435 \u0443 \u044e \u044c \u0439".split(),
        key=len,
        reverse=True,
    )
)
_PARTICLES = (
    "\uc740 \ub294 \uc774 \uac00 \uc744 \ub97c \uc758 \uc5d0 \uc5d0\uc11c \uc73c\ub85c \ub85c "
    "\uc640 \uacfc \ub3c4 \ub9cc \uae4c\uc9c0 \ubd80\ud130 \uc5d0\uac8c \uaed8\uc11c \ub77c\uace0 "
    "\uc774\ub77c\uace0 \ub4e4 \ub4e4\uc774"
).split()
_UMLAUTS = str.maketrans({"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue"})
_WRITTEN_OUT = re.compile("([aou])e")


class Place(NamedTuple):
    """A word of a text, and where it stands."""

    token: str
    start: int
    end: int


def tokens_of(text: str) -> list[str]:
    """Return the words and signs of a text, as they are written."""
    if text.isascii():
        found: list[str] = _ASCII_TOKEN.findall(text.replace("`", "'"))
    else:
        normal = unicodedata.normalize("NFKC", text)
        found = _TOKEN.findall(normal.translate(_APOSTROPHES))
    return [_undotted(each) for each in found] if "." in text else found


def places_of(text: str) -> list[Place]:
    """Return the same words and signs, each with the place where it stands.

    Each is normalised by itself: what only becomes a word with its neighbours is not found.
    """
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    spans = (match.span() for match in pattern.finditer(text))
    return [
        Place(token, start, end) for start, end in spans for token in tokens_of(text[start:end])
    ]


def _undotted(token: str) -> str:
    return token.replace(".", "") if len(token) > 2 and _DOTTED.match(token) else token


@lru_cache(maxsize=50_000)
def key_of(token: str) -> str:
    """Return what a word of a term is looked up by: one of the keys of each word that it finds."""
    if _ACRONYM.match(token) and token.isupper():
        return f"={token.lower()}"
    return _stem(_without_accents(_folded(token)))


@lru_cache(maxsize=50_000)
def keys_of(token: str) -> tuple[str, ...]:
    """Return what a word of a text is found by; the first is its usual form."""
    folded = _folded(token)
    keys = [_stem(_without_accents(folded))]
    if (written_out := folded.translate(_UMLAUTS)) != folded:
        keys.append(_stem(_without_accents(written_out)))
    elif len(folded) > 4 and (shorter := _WRITTEN_OUT.sub(r"\1", folded)) != folded:
        keys.append(_stem(_without_accents(shorter)))
    if acronym := _ACRONYM.match(token):
        keys.append(f"={acronym[1].lower()}")
    elif token.islower() and 1 < len(token) < 4 and token not in _COMMON:
        keys.append(f"={token}")
    if _HANGUL.match(token):
        ends = (each for each in _PARTICLES if token.endswith(each))
        keys += [token[: -len(each)] for each in ends if len(token) - len(each) > 1]
    return tuple(dict.fromkeys(keys))


def folded_key(token: str) -> str:
    """Return a word without case and accents, with its ending: for parts of it."""
    return _without_accents(_folded(token))


def _folded(token: str) -> str:
    folded = token.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


def _without_accents(text: str) -> str:
    if text.isascii() or any("\u0400" <= char <= "\u04ff" for char in text):
        return text
    apart = unicodedata.normalize("NFKD", text)
    kept = "".join(char for char in apart if not "\u0300" <= char <= "\u036f")
    return unicodedata.normalize("NFC", kept) or text


def _stem(word: str) -> str:
    if _CYRILLIC.match(word):
        ending = next((each for each in _CASES if word.endswith(each)), "")
        return word[: -len(ending)] if ending and len(word) - len(ending) > 2 else word
    if not word.endswith("s") or word in _AS_THEY_ARE or not _LATIN_STEM.match(word):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]
