"""Which topics an article belongs to: whole words and phrases, in any case and any width.

A text is read once, as tokens: words, with the signs that stick to them (``C++``, ``F#``), and all
other signs one by one. Spaces and hyphens only separate, so "climate change" is also found in
"climate-change". Scripts that are written without spaces have a token for each character. A term is
found where its tokens follow one another; so ``AI`` is not found in "air", nor ``C`` in "C++".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256

from tablewright.systems.sentiment.articles import MAX_TAGS
from tablewright.systems.sentiment.config import Watch

#: Characters of scripts without spaces between words.
_SINGLE = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
#: Marks and Indic signs belong to words, though the language does not count them as letters.
_MARKS = "\u0300-\u036f\u0900-\u0963\u0966-\u0dff"
_TOKEN = re.compile(
    rf"[{_SINGLE}]|(?:(?![{_SINGLE}])[\w{_MARKS}])++(?:[+#]++(?![\w{_MARKS}]))?"
    r"|[^\s\-\u2010\u2011]"
)
#: The same for most of what comes in, and much quicker.
_ASCII_TOKEN = re.compile(r"\w++(?:[+#]++(?!\w))?|[^\s\-]")
_APOSTROPHES = str.maketrans("\u2018\u2019\u02bc`", "'" * 4)

Tokens = tuple[str, ...]


def tokens_of(text: str) -> list[str]:
    """The words and signs of a text, so that equal ones are equal."""
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower().replace("`", "'"))
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    return _TOKEN.findall(folded.translate(_APOSTROPHES))


def places_of(text: str) -> list[tuple[str, int, int]]:
    """The same words and signs, each with the place where it stands, as it is written there.

    Each is made equal by itself: what only becomes a word with its neighbours is not found.
    """
    pattern = _ASCII_TOKEN if text.isascii() else _TOKEN
    found = (match.span() for match in pattern.finditer(text))
    return [(token, start, end) for start, end in found for token in tokens_of(text[start:end])]


def is_term(text: str) -> bool:
    """Whether there is anything to find."""
    return bool(tokens_of(text))


@dataclass(frozen=True)
class _Rule:
    """One topic, its terms by number."""

    label: str
    tag: str
    any: frozenset[int]
    all: frozenset[int]
    none: frozenset[int]

    def holds(self, found: set[int], own: bool) -> bool:
        if not found.isdisjoint(self.none):
            return False
        return own or (not found.isdisjoint(self.any) and found.issuperset(self.all))


def _mark_of(topics: Iterable[Watch]) -> str:
    # Also the words, for a topic that was deleted and made anew has its first version again.
    texts = (each.model_dump_json() for each in topics)
    return sha256("\n".join(texts).encode()).hexdigest()


class Matcher:
    """Topics, ready to be looked for in many texts."""

    def __init__(self, topics: Iterable[Watch]) -> None:
        self._numbers: dict[Tokens, int] = {}
        #: By the first token: the others, and the term's number.
        self._by_first: dict[str, list[tuple[Tokens, int]]] = {}
        self._terms: list[str] = []
        ordered = sorted(
            (each for each in topics if each.enabled),
            key=lambda each: (each.priority, each.watch_tag),
        )
        self._rules = [self._rule(each) for each in ordered]
        #: Another one as soon as a rule is edited, and for ever: versions only rise.
        self.mark = _mark_of(ordered)

    def _rule(self, topic: Watch) -> _Rule:
        return _Rule(
            topic.label,
            topic.watch_tag,
            self._known(topic.any),
            self._known(topic.all),
            self._known(topic.none),
        )

    def _known(self, terms: Sequence[str]) -> frozenset[int]:
        return frozenset(self._number(tuple(tokens_of(term)), term) for term in terms)

    def _number(self, tokens: Tokens, term: str) -> int:
        """The term's number; one without tokens has a number that is never found."""
        if not tokens:
            return -1
        if tokens not in self._numbers:
            number = self._numbers[tokens] = len(self._terms)
            self._terms.append(term)
            self._by_first.setdefault(tokens[0], []).append((tokens[1:], number))
        return self._numbers[tokens]

    # --- asking ----------------------------------------------------------------------------------

    def tags(self, text: str, own_tag: str | None = None) -> list[str]:
        """The topics of a text, as people write them: the five that come first, at most."""
        found = self._found(text)
        own = None if own_tag is None else own_tag.casefold()
        if not found and own is None:
            return []
        held = (rule.label for rule in self._rules if rule.holds(found, rule.tag == own))
        return [label for label, _ in zip(held, range(MAX_TAGS), strict=False)]

    def terms(self, text: str) -> list[str]:
        """The terms that a text contains, of whatever topic."""
        return [self._terms[number] for number in sorted(self._found(text))]

    def _found(self, text: str) -> set[int]:
        tokens = tokens_of(text)
        found: set[int] = set()
        for place in range(len(tokens)):
            for rest, number in self._by_first.get(tokens[place], ()):
                if not rest or tuple(tokens[place + 1 : place + 1 + len(rest)]) == rest:
                    found.add(number)
        return found
