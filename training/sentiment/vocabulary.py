"""Which words may have a weight: no names, and no words for groups of people.

The sentences are about persons, and how often one of them was written about badly is not what a
word means. A model that has learnt a name calls all news of that person bad.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from tablewright.systems.sentiment.analysers.linear import stem, terms, written

MIN_COUNT = 2
#: Sex, origin, colour, belief: nothing about a text's tone follows from them.
GROUPS = frozenset((Path(__file__).parent / "groups.txt").read_text("utf-8").split())


def vocabulary(texts: Sequence[str]) -> dict[str, int]:
    """The terms that get a weight, and their places."""
    words, names = sorted_out(texts)
    # A stem that a name shares would give the name its weight.
    refused = {stem(name) for name in names}
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(terms(word for word in map(str.casefold, written(text)) if word in words))
    found = (term for term, count in counts.items() if count >= MIN_COUNT and term not in refused)
    return {term: place for place, term in enumerate(sorted(found))}


def sorted_out(texts: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Words, and what is taken for a name: mostly written large, also inside of sentences."""
    inside: Counter[str] = Counter()
    small: Counter[str] = Counter()
    for text in texts:
        for word in written(text)[1:]:
            inside[word.casefold()] += 1
            small[word.casefold()] += word.islower()
    words = frozenset(word for word, all_ in inside.items() if 2 * small[word] > all_) - GROUPS
    return words, (frozenset(inside) - words) | GROUPS
