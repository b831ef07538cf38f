"""What can be printed: letters that a font has, and texts that fit into lines."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service import printed_texts, typesetting
from tablewright.service.typesetting import CannotPrint, LettersMissing, Typesetter

TODAY = datetime(2026, 7, 3, tzinfo=UTC)


@pytest.fixture
def page(tmp_path: Path) -> Typesetter:
    template = tmp_path / "page.typ"
    template.write_text(
        '#set document(title: "Page")\n#set text(font: "Poppins")\n#sys.inputs.text'
    )
    return Typesetter(template)


def test_letters_that_no_font_has_are_told_apart(page: Typesetter) -> None:
    assert page.missing("aéक□Ж") == frozenset()
    assert page.missing("aé王\U0001f600") == {"王", "\U0001f600"}
    assert page.missing("王b\U0010ffff") == {"王", "\U0010ffff"}


def test_a_refusal_has_the_letters_but_does_not_tell_them(page: Typesetter) -> None:
    with pytest.raises(LettersMissing) as raised:
        page.pdf({"text": "Ask 王小明"}, dated=TODAY)
    assert raised.value.letters == set("王小明")
    assert not set("王小明") & set(str(raised.value))
    assert raised.value.__cause__ is None


def test_the_same_text_is_the_same_file_also_after_a_long_one(page: Typesetter) -> None:
    first = page.pdf({"text": "short"}, dated=TODAY)
    assert len(page.pdf({"text": "long " * 5000}, dated=TODAY)) > len(first)
    assert page.pdf({"text": "short"}, dated=TODAY) == first


def test_a_moment_may_have_a_fraction_of_a_second(page: Typesetter) -> None:
    moment = TODAY.replace(microsecond=123_000)
    assert page.pdf({"text": "now"}, dated=moment) == page.pdf({"text": "now"}, dated=TODAY)


def test_more_than_there_can_be_is_refused(page: Typesetter) -> None:
    with pytest.raises(CannotPrint, match="more than"):
        page.pdf({"text": "x" * (typesetting.MOST_TEXT + 1)}, dated=TODAY)


@given(st.text())
def test_a_line_has_nothing_that_cannot_be_seen(text: str) -> None:
    line = printed_texts.one_line(text)
    assert line == line.strip()
    hidden = {each for each in line if unicodedata.category(each)[0] in "CZ"}
    assert hidden <= {" ", "\u200c", "\u200d"}
    assert printed_texts.one_line(line) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  Asha \n\t Sharma ", "Asha Sharma"),
        ("a\u202ecba\u2069", "acba"),
        ("soft\u00adly", "softly"),
        ("क्\u200dष", "क्\u200dष"),
        ("\u2764\ufe0f", "\u2764"),
        ("broken \ud83d half", "broken half"),
        ("e\u0301", "é"),
    ],
)
def test_lines(text: str, line: str) -> None:
    assert printed_texts.one_line(text) == line


def test_lines_without_anything_are_left_out() -> None:
    assert printed_texts.lines("one\r\n\n \u200b\ntwo\u2028three") == ["one", "two", "three"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\u200b"), max_size=200))
def test_places_to_break_change_nothing_that_is_seen(line: str) -> None:
    assert printed_texts.breakable(line).replace("\u200b", "") == line


def test_long_words_can_be_broken_but_not_between_a_letter_and_its_marks() -> None:
    for word in ("W" * 300, "=" * 300, "क्षि" * 60):
        pieces = printed_texts.breakable(word).split("\u200b")
        assert max(map(len, pieces)) < 24
        assert not any(unicodedata.category(each[0]).startswith("M") for each in pieces)
    for whole in ("internationalisation", "https://example.org/platform/billing/pull/1842"):
        assert printed_texts.breakable(whole) == whole


@pytest.mark.parametrize(
    ("text", "code"),
    [("Asha", "en"), ("1. क्षितिजा", "hi"), ("שלום", "he"), ("نص", "ar"), ("", "en")],
)
def test_languages(text: str, code: str) -> None:
    assert printed_texts.language(text) == code


def test_days() -> None:
    assert printed_texts.day(date(2026, 12, 5)) == "5 December 2026"
