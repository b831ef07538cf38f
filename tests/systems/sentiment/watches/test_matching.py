"""Which topics an article belongs to."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.rules.matching import Matcher, is_term
from tablewright.systems.sentiment.rules.words import keys_of, tokens_of


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
        # Plurals, both ways.
        ("Flood", "Floods hit Texas"),
        ("floods", "A flood of water"),
        ("battery", "New batteries"),
        ("Wahl", "WAHL"),
        # Abbreviations.
        ("AI", "A.I. is here"),
        ("US", "The U.S. economy"),
        ("US", "US economy"),
        ("AI", "two AIs talk"),
        ("AI", "an ai startup"),
        ("A.I.", "AI is here"),
        # Accents, and umlauts that are written out.
        ("cafe", "caf\u00e9"),
        ("Sao Paulo", "S\u00e3o Paulo"),
        ("M\u00fcnchen", "Muenchen"),
        ("Muenchen", "M\u00fcnchen"),
        ("M\u00fcnchen", "Munchen"),
        # One word and two.
        ("cyber attack", "A cyberattack"),
        ("cyberattack", "cyber-attack on a bank"),
        ("climate change", "#ClimateChange"),
        ("Klima", "Die Klimapolitik der Regierung"),
        ("Steuer", "Das ist die Einkommensteuer"),
        # Particles and cases.
        ("\uc0bc\uc131", "\uc0bc\uc131\uc740 \uc624\ub298"),
        ("\uc0bc\uc131\uc804\uc790", "\uc0bc\uc131\uc804\uc790\uac00"),
        ("\u0420\u043e\u0441\u0441\u0438\u044f", "\u0432 \u0420\u043e\u0441\u0441\u0438\u0438"),
        (
            "\u041c\u043e\u0441\u043a\u0432\u0430",
            "\u0438\u0437 \u041c\u043e\u0441\u043a\u0432\u044b",
        ),
        (
            "\u043d\u0435\u0444\u0442\u044c",
            "\u0446\u0435\u043d\u044b \u043d\u0430 \u043d\u0435\u0444\u0442\u0438",
        ),
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
        ("\u0939\u093f", "\u0939\u093f\u0928\u094d\u0926\u0940 news"),
        ("US", "He told us everything"),
        ("IT", "it is late"),
        ("WHO", "who is it"),
        ("AI", "Ai Weiwei opens a show"),
        ("news", "a new day"),
        ("fire", "a firewall"),
        ("Klima", "The Klimapolitik"),
        ("bus", "business"),
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
    """But for abbreviations of two or three capitals."""
    for token in tokens_of(text):
        if len(token) > 4:
            assert keys_of(token)[0] == keys_of(token.casefold())[0]


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
