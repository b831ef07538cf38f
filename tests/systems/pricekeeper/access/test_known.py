"""The memory of tokens: how long, how many, and what is forgotten."""

from __future__ import annotations

from dataclasses import replace

from tablewright.systems.pricekeeper.service.tokens import Caller
from tablewright.systems.pricekeeper.service.tokens.known import BELIEVED_SECS, KnownTokens

CALLER = Caller("org-x", "x", None, "id", "family", expires_epoch=10_000)


def test_a_token_is_believed_for_a_while() -> None:
    known = KnownTokens()
    known.add("t", CALLER, 100.0)
    assert known.get("t", 100.0) is CALLER
    assert known.get("t", 99.9 + BELIEVED_SECS) is CALLER
    assert known.get("t", 100.0 + BELIEVED_SECS) is None
    assert known.get("t", 101.0) is None, "it has to be checked again"


def test_never_longer_than_it_lasts() -> None:
    known = KnownTokens()
    known.add("t", replace(CALLER, expires_epoch=105), 100.0)
    assert known.get("t", 104.9) is not None
    assert known.get("t", 105.0) is None


def test_a_clock_that_goes_back_makes_nothing_young() -> None:
    known = KnownTokens()
    known.add("t", CALLER, 100.0)
    assert known.get("t", 50.0) is None
    assert known.get("t", 101.0) is None


def test_what_was_used_longest_ago_goes() -> None:
    known = KnownTokens(most=2)
    for token in "ab":
        known.add(token, CALLER, 100.0)
    known.get("a", 100.0)
    known.add("c", CALLER, 100.0)
    assert len(known) == 2
    assert [known.get(token, 100.0) is not None for token in "abc"] == [True, False, True]


def test_some_are_dropped() -> None:
    known = KnownTokens()
    known.add("t", CALLER, 100.0)
    known.add("u", replace(CALLER, family="other"), 100.0)
    before = known.generation
    known.drop(lambda caller: caller.family == "family")
    assert (known.get("t", 100.0), known.generation) == (None, before + 1)
    assert known.get("u", 100.0) is not None
