"""Names that people choose."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.names import clean_text, comparison_key, derive_slug, is_blank


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("  Night \t Market\n", "Night Market"),
        ("Ni\u200bght", "Night"),
        ("\ufeffTeam\u00ad #1", "Team #1"),
        ("O\u2019Brien & Söhne", "O\u2019Brien & Söhne"),
        ("So\u0308hne", "Söhne"),
        ("\u202eevil\u202c", "evil"),
        ("क्\u200dष", "क्\u200dष"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("a\u200db", "ab"),
        ("\x00a\x1fb", "a b"),
        ("\u200d", ""),
    ],
)
def test_text_is_cleaned_and_keeps_what_can_be_seen(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


@given(st.text(max_size=40))
def test_cleaned_text_stays_as_it_is(text: str) -> None:
    once = clean_text(text)
    assert clean_text(once) == once
    assert comparison_key(once) == comparison_key(text)
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize("text", ["", " ", "\u200b\u200c", "\u3164", "\u2800\ufe0f", "\u00ad\n"])
def test_text_without_anything_to_see_is_blank(text: str) -> None:
    assert is_blank(text)
    assert not is_blank(text + "x")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Night Market", "night  MARKET"),
        ("Söhne", "So\u0308hne"),
        ("Team\u200b 1", "Team 1"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("क्\u200dष", "क्ष"),
        ("Ⅳ", "iv"),
    ],
)
def test_names_that_look_the_same_have_one_key(one: str, other: str) -> None:
    assert comparison_key(one) == comparison_key(other)


def test_names_that_look_different_have_different_keys() -> None:
    assert len({comparison_key(name) for name in ("C", "C++", "C#", "Ć", "С")}) == 5


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Winter Jam 2026!", "winter-jam-2026"),
        ("  Über-Hack  ", "uber-hack"),
        ("Asha's Team", "ashas-team"),
        ("हैकथॉन", ""),
        ("a" * 60, "a" * 40),
        ("one two three four five six seven eight nine", "one-two-three-four-five-six-seven-eight"),
    ],
)
def test_slug_is_derived_from_latin_letters_and_digits(text: str, slug: str) -> None:
    assert derive_slug(text) == slug
