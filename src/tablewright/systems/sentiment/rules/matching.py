# ruff: noqa: SIM905
"""Which topics an article belongs to: words and phrases, as :mod:`rules.words` compares them.

A term is found where its words follow one another; so ``AI`` is not found in "air", nor ``C`` in
"C++". Two words of a term are found as one ("cyber attack" in "cyberattack"), and the other way
round. In German, Dutch and Scandinavian texts, a term of five letters or more is found as a part of
a compound ("Klima" in "Klimapolitik").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from tablewright.systems.sentiment.articles import MAX_TAGS
from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.rules.words import folded_key, key_of, keys_of, tokens_of

Tokens = tuple[str, ...]
#: Letters of two words that are written as one, of a part of a compound, and of what is left of it.
_LEAST_JOINED, _LEAST_PART, _LEAST_REST = 6, 5, 4
#: Words by which a text is known to have compounds.
_COMPOUNDING = frozenset(
    "das der dem den des die ein eine und f\u00fcr mit nicht von vor het een van voor niet och att "
    "f\u00f6r som og det til ikke av p\u00e5".split()
)


def is_term(text: str) -> bool:
    """Whether there is anything to find."""
    return bool(tokens_of(text))


class Hit(NamedTuple):
    """A term that was found, and its first and last word."""

    number: int
    first: int
    last: int


class Finder:
    """Terms by number, ready to be looked for in many texts."""

    def __init__(self) -> None:
        #: By the first key: those of the other words, and the term's number.
        self._by_first: dict[str, list[tuple[Tokens, int]]] = {}
        #: Terms of one word, by their keys; and how long ones begin.
        self._single: dict[str, list[int]] = {}
        self._starts: set[str] = set()
        self._numbers: dict[Tokens, int] = {}
        self.terms: list[str] = []

    def add(self, term: str) -> int:
        """Return the number of a term; one without words has a number that is never found."""
        tokens = tokens_of(term)
        if not tokens:
            return -1
        keys = tuple(map(key_of, tokens))
        if keys in self._numbers:
            return self._numbers[keys]
        number = self._numbers[keys] = len(self.terms)
        self.terms.append(term)
        self._by_first.setdefault(keys[0], []).append((keys[1:], number))
        joined = "".join(tokens)
        if len(tokens) > 1 and joined.isalpha() and len(joined) >= _LEAST_JOINED:
            self._by_first.setdefault(key_of(joined), []).append(((), number))
        if len(tokens) == 1 and joined.isalpha() and len(joined) >= _LEAST_PART:
            self._single.setdefault(keys[0], []).append(number)
            self._starts.add(folded_key(joined)[:2])
        return number

    def find(self, tokens: Sequence[str]) -> Iterable[Hit]:
        """Find all terms in the words of a text."""
        keys = [keys_of(each) for each in tokens]
        for at, found in enumerate(keys):
            for key in found:
                for rest, number in self._by_first.get(key, ()):
                    if not rest or _follows(keys, at + 1, rest):
                        yield Hit(number, at, at + len(rest))
        if self._single:
            yield from self._joined(tokens, keys)
            if not _COMPOUNDING.isdisjoint(tokens):
                yield from self._compounds(tokens)

    def _joined(self, tokens: Sequence[str], keys: Sequence[Tokens]) -> Iterable[Hit]:
        """Terms of one word that a text writes as two."""
        starts = self._starts
        for at in range(len(tokens) - 1):
            if keys[at][0][:2] in starts and tokens[at + 1].isalpha():
                joined = tokens[at] + tokens[at + 1]
                if len(joined) >= _LEAST_JOINED and joined.isalpha():
                    for number in self._single.get(key_of(joined), ()):
                        yield Hit(number, at, at + 1)

    def _compounds(self, tokens: Sequence[str]) -> Iterable[Hit]:
        """Terms that are the first or the last part of a long word."""
        for at, token in enumerate(tokens):
            if len(token) < _LEAST_PART + _LEAST_REST or not token.isalpha():
                continue
            word = folded_key(token)
            for cut in range(_LEAST_REST, len(word) - _LEAST_REST + 1):
                for part in (word[:cut], word[cut:]):
                    for number in self._single.get(part, ()):
                        yield Hit(number, at, at)


def _follows(keys: Sequence[Tokens], at: int, rest: Tokens) -> bool:
    if at >= len(keys) or rest[0] not in keys[at]:
        return False
    return len(keys) - at >= len(rest) and all(
        key in keys[at + step] for step, key in enumerate(rest)
    )


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
        self._finder = Finder()
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
        return frozenset(map(self._finder.add, terms))

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
        return [self._finder.terms[number] for number in sorted(self._found(text))]

    def _found(self, text: str) -> set[int]:
        return {hit.number for hit in self._finder.find(tokens_of(text))}
