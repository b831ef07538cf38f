"""Fingerprints of code, by which submissions that resemble each other are found.

A fingerprint is a MinHash: two of them agree in about as many places as the code has in common, as
a share of what both have together. What is compared are runs of tokens of the product, without
comments, spaces and texts, so neither another layout nor other words on the screen hide a copy.

Each run is hashed once and falls into one of 256 places, which keeps the smallest it has seen; a
place that nothing fell into borrows from another one that is the same for all fingerprints
(one-permutation hashing with optimal densification).
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from hashlib import blake2b
from itertools import combinations
from typing import TYPE_CHECKING

from tablewright.systems.vibejudge.rules.scoring import rounded
from tablewright.systems.vibejudge.static.codebase import Codebase

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.repos.snapshot import Snapshot

PLACES = 256
#: Tokens of a run: shorter ones are everywhere, longer ones do not survive a renamed variable.
RUN = 6
#: Less code than that resembles everything.
LEAST_RUNS = 64
#: From here on a pair is told.
ALIKE = Decimal("0.6")
#: More tokens than that are not looked at; no weekend writes so many.
MOST_TOKENS = 500_000
#: Places that must agree, for two to be compared at all: at .6 all but one in 7,000 pairs are.
_BAND = 4
#: Before the places: how they were made. Others are not compared with these.
_FORM = b"\x01"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_PRIME = (1 << 61) - 1
_BASE = 0x1F3A5C7E9B1D3F57 % _PRIME
_MIX = 0xFF51AFD7ED558CCD
_WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Pair:
    """Two that resemble each other, the smaller name first."""

    first: str
    second: str
    #: 0 to 1, two decimals; give or take .06.
    similarity: Decimal


def fingerprint(snapshot: Snapshot) -> bytes:
    """Of the code of a repository. One with next to no code has one that resembles nothing."""
    return fingerprint_of(Codebase(snapshot))


def fingerprint_of(base: Codebase) -> bytes:
    """The same, for those who have the files sorted already."""
    return minhash(_runs(each.bare[: each.product_end] for each in base.product))


def similarity(first: bytes, second: bytes) -> Decimal:
    """What share of the code of both is common to both, as far as fingerprints tell; exact."""
    mine, other = _places(first), _places(second)
    if mine is None or other is None:
        return Decimal(0)
    equal = sum(a == b for a, b in zip(mine, other, strict=True))
    return Decimal(equal) / PLACES


def alike(prints: Mapping[str, bytes], least: Decimal = ALIKE) -> list[Pair]:
    """All pairs that resemble each other, the most alike first.

    Only those are compared that agree in some band: hundreds need no comparing of each with each.
    """
    found = []
    for first, second in _candidates(prints):
        share = similarity(prints[first], prints[second])
        if share >= least:
            found.append(Pair(first, second, rounded(share)))
    return sorted(found, key=lambda each: (-each.similarity, each.first, each.second))


def _candidates(prints: Mapping[str, bytes]) -> set[tuple[str, str]]:
    buckets: defaultdict[tuple[int, bytes], list[str]] = defaultdict(list)
    width = 2 * _BAND
    for name in sorted(prints):
        if _places(prints[name]) is None:
            continue
        places = prints[name][len(_FORM) :]
        for at in range(0, len(places), width):
            buckets[at, places[at : at + width]].append(name)
    return {pair for names in buckets.values() for pair in combinations(names, 2)}


def _places(print_: bytes) -> array[int] | None:
    """None for one that says nothing, or was made in another way."""
    if print_[: len(_FORM)] != _FORM or len(print_) != len(_FORM) + 2 * PLACES:
        return None
    return array("H", print_[len(_FORM) :])


# --- making one ----------------------------------------------------------------------------------


def minhash(runs: Iterable[int]) -> bytes:
    """The fingerprint of a set of numbers of 64 bits."""
    distinct = set(runs)
    if len(distinct) < LEAST_RUNS:
        return _FORM
    least: list[int | None] = [None] * PLACES
    for each in distinct:
        at, value = each % PLACES, each >> 8
        held = least[at]
        if held is None or value < held:
            least[at] = value
    # Two bytes of each: that two differ and look the same happens once in 65,536 places.
    return _FORM + b"".join(
        (value & 0xFFFF).to_bytes(2, "little") for value in _without_gaps(least)
    )


def _without_gaps(least: list[int | None]) -> Iterator[int]:
    for at, value in enumerate(least):
        attempt = 0
        while value is None:
            attempt += 1
            # The same search for every fingerprint: what two have in common stays in common.
            value = least[_mixed(at * 0x10001 + attempt) % PLACES]
        yield value


def _runs(texts: Iterable[str]) -> Iterator[int]:
    """Every run of tokens as a number; none goes over the end of a file."""
    known: dict[str, int] = {}
    left, drop = MOST_TOKENS, pow(_BASE, RUN, _PRIME)
    for text in texts:
        ids = [_hashed(token, known) for token in _TOKEN.findall(text)[:left]]
        left -= len(ids)
        rolling = 0
        for at, each in enumerate(ids):
            rolling = (rolling * _BASE + each) % _PRIME
            if at >= RUN:
                rolling = (rolling - ids[at - RUN] * drop) % _PRIME
            if at >= RUN - 1:
                yield _mixed(rolling)


def _hashed(token: str, known: dict[str, int]) -> int:
    found = known.get(token)
    if found is None:
        digest = blake2b(token.lower().encode("utf-8", "replace"), digest_size=7).digest()
        found = known[token] = int.from_bytes(digest, "little")
    return found


def _mixed(value: int) -> int:
    """Every bit of the result hangs on every bit of the value (the end of MurmurHash3)."""
    value ^= value >> 33
    value = value * _MIX & _WORD
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & _WORD
    return value ^ (value >> 33)
