"""Names that people choose: how they are stored, and when two are the same.

Every name that comes in, by page, API, command or file, passes :func:`clean_text`. Whether two
names are the same is decided by :func:`comparison_key` alone.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["clean_text", "comparison_key", "derive_slug", "is_blank"]

#: Joiners change how letters of many scripts, and emoji, are drawn; elsewhere nobody sees them.
_JOINERS = "\u200c\u200d"
#: Draws the character before as an emoji.
_VARIATIONS = "\ufe0e\ufe0f"
#: Letters in the Unicode sense that leave an empty space on the screen.
_BLANK_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_NOT_IN_SLUG = re.compile(r"[^a-z0-9]+")


def clean_text(text: str) -> str:
    """Normalize a line of text: NFC, no control or invisible characters, single spaces.

    Joiners stay where they matter: between letters that are not ASCII, and inside emoji.
    """
    normal = unicodedata.normalize("NFC", text.encode(errors="replace").decode())
    kept: list[str] = []
    for position, character in enumerate(normal):
        if character in _JOINERS:
            following = normal[position + 1 : position + 2]
            if kept and not kept[-1].isascii() and following and not following.isascii():
                kept.append(character)
        elif character.isspace() or unicodedata.category(character) == "Cc":
            kept.append(" ")
        elif unicodedata.category(character) not in ("Cf", "Cs", "Co", "Cn"):
            kept.append(character)
    return " ".join("".join(kept).split())


def is_blank(text: str) -> bool:
    """Tell whether nothing of a text can be seen."""
    return all(
        character in _BLANK_LETTERS or character in _VARIATIONS for character in clean_text(text)
    )


def comparison_key(text: str) -> str:
    """Return the same key for names that look the same.

    Names that differ only in case, in invisible characters, in spaces or in how Unicode composes
    them have one key. Look-alike letters of different scripts have different keys.
    """
    folded = clean_text(text)
    for _ in range(4):
        before = folded
        folded = unicodedata.normalize("NFKC", folded).casefold()
        if folded == before:
            break
    visible = (
        character
        for character in folded
        if unicodedata.category(character) != "Cf" and character not in _VARIATIONS
    )
    return " ".join("".join(visible).split())


def derive_slug(text: str, *, most: int = 40) -> str:
    """Derive a short name for addresses: ``Winter Jam 2026!`` gives ``winter-jam-2026``.

    Letters with marks lose them. A name without any Latin letter or digit gives an empty text; ask
    for a short name then.
    """
    plain = unicodedata.normalize("NFKD", comparison_key(text).replace("ß", "ss"))
    marked = "".join(each for each in plain if not unicodedata.combining(each))
    slug = _NOT_IN_SLUG.sub("-", marked.replace("'", "").replace("\u2019", "")).strip("-")
    if len(slug) > most:
        slug = slug[:most].rpartition("-")[0] or slug[:most]
    return slug.strip("-")
