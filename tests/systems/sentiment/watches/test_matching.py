"""Which topics an article belongs to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.rules.matching import Matcher, is_term, tokens_of


def rule(label: str, *terms: str, **more: object) -> Watch:
    return Watch.model_validate(
        {"watch_tag": label.casefold(), "label": label, "any": terms or [label], **more}
    )


def finds(term: str, text: str) -> bool:
    return Matcher([rule("T", term)]).tags(text) == ["T"]


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("AI", "Why AI matters"),
        ("ai", "AI, and more"),
        ("AI", "AI-led growth"),
        ("AI", "(AI)"),
        ("AI", "#AI"),
        ("AI", "\uff21\uff29 in full width"),
        ("climate change", "The Climate  Change report"),
        ("climate change", "climate-change policy"),
        ("Stra\u00dfe", "STRASSE"),
        ("caf\u00e9", "CAFE\u0301"),
        ("C++", "C++ is fast"),
        ("C++", "I like C++."),
        ("C#", "C# and F#"),
        (".NET", "ASP.NET news"),
        ("AT&T", "AT&T grows"),
        ("O'Reilly", "O\u2019Reilly says"),
        ("Yahoo!", "Is Yahoo! back?"),
        ("e-mail", "e-mail"),
        ("\u4eba\u5de5\u77e5\u80fd", "\u6700\u65b0\u4eba\u5de5\u77e5\u80fd\u306e\u672a\u6765"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940 news"),
        ("a.*b", "see a.*b here"),
    ],
)
def test_found(term: str, text: str) -> None:
    assert finds(term, text)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("AI", "The air in Mumbai"),
        ("AI", "a i"),
        ("climate change", "climate will change"),
        ("climate change", "climate, change"),
        ("C", "C++ is fast"),
        ("C", "C# is fast"),
        ("C++", "C is fast"),
        ("C++", "C+ is a grade"),
        ("a.*b", "a whole b"),
        ("cafe", "caf\u00e9"),
        ("\u0939\u093f", "\u0939\u093f\u0928\u094d\u0926\u0940 news"),
    ],
)
def test_not_found(term: str, text: str) -> None:
    assert not finds(term, text)


def test_any_all_none() -> None:
    topic = rule("Chips", "chip", "semiconductor", all=["plant", "new"], none=["potato chip"])
    matcher = Matcher([topic])
    assert matcher.tags("A new semiconductor plant") == ["Chips"]
    assert matcher.tags("A new plant") == []
    assert matcher.tags("A semiconductor plant") == []
    assert matcher.tags("A new potato chip plant") == []


def test_the_rule_that_was_asked_for() -> None:
    """It holds whatever the text says, unless a word stands there that must not."""
    matcher = Matcher([rule("Chips", "chip", all=["plant"], none=["potato"]), rule("Other")])
    assert matcher.tags("Nothing of it", own_tag="chips") == ["Chips"]
    assert matcher.tags("Potato", own_tag="CHIPS") == []
    assert matcher.tags("The other", own_tag="Chips") == ["Chips", "Other"]
    assert matcher.tags("Nothing", own_tag="unknown") == []


def test_five_at_most_and_the_lowest_numbers() -> None:
    topics = [rule(f"T{number}", "word", priority=100 - number) for number in range(8)]
    topics.append(rule("Off", "word", priority=0, enabled=False))
    assert Matcher(topics).tags("a word") == ["T7", "T6", "T5", "T4", "T3"]
    same = [rule(label, "word") for label in ("b", "A", "c")]
    assert Matcher(same).tags("word") == ["A", "b", "c"]


def test_which_terms() -> None:
    matcher = Matcher([rule("T", "sea ice", "Ice", "snow")])
    assert matcher.terms("The sea-ice of today") == ["sea ice", "Ice"]


def test_terms_without_anything_to_find() -> None:
    assert not is_term(" - ")
    assert is_term("+")
    assert Matcher([rule("T", "-")]).tags("- a -") == []


@given(st.text(max_size=80), st.text(min_size=1, max_size=20), st.text(max_size=80))
def test_a_term_between_spaces_is_found(before: str, term: str, after: str) -> None:
    """Whatever stands around it; only signs may stick to one another."""
    if is_term(term):
        assert finds(term, f"{before} \n {term} \n {after}")


@given(st.text(max_size=100))
def test_case_does_not_count(text: str) -> None:
    assert tokens_of(text) == tokens_of(text.casefold())


def test_it_is_quick() -> None:
    """Twenty rules of twenty-five terms, on a headline: some ten microseconds, and never a second
    for a text that is made to be slow."""
    topics = [
        rule(
            f"T{number}",
            *(
                f"word{number} term{each}" if each % 2 else f"w{number}x{each}"
                for each in range(20)
            ),
            all=[],
            none=[f"bad{number}x{each}" for each in range(5)],
        )
        for number in range(20)
    ]
    matcher = Matcher(topics)
    headline = "Officials say the new word3 term5 of the region beats all forecasts of the year"
    assert matcher.tags(headline) == ["T3"]
    best = min(_secs(matcher, headline) for _ in range(50))
    assert best < 100e-6
    assert _secs(matcher, "word3 " * 30_000) < 1
    assert _secs(matcher, "+#" * 30_000) < 1


def _secs(matcher: Matcher, text: str) -> float:
    began = time.perf_counter()
    matcher.tags(text)
    return time.perf_counter() - began
