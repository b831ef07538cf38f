"""What sources tell, made fit to be stored and shown."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.articles import Article, Metadata
from tablewright.systems.sentiment.rules.cleaning import Unfit, cleaned, plain, safe_url
from tablewright.systems.sentiment.rules.records import Record

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("<b>AI</b> &amp; <i>you</i>", "AI & you"),
        ("One<br>two<p>three</p>four", "One two three four"),
        ("<script>alert(1)</script>Title", "Title"),
        ("<img src=x onerror=alert(1)>Title", "Title"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;Title", "Title"),
        ("&amp;lt;b&amp;gt;", "\u2039b\u203a"),
        ("<style>b {color: red}</style>Title", "Title"),
        ("1 < 2 and 3 > 2", "1 \u2039 2 and 3 \u203a 2"),
        ("AT&T and R&D", "AT&T and R&D"),
        ("a\x00b\x1bc\u202ed\ufeffe", "abcde"),
        (" many \t\r\n  spaces\u2028here ", "many spaces here"),
        ("a\ud800b", "ab"),
        ("Cafe\u0301", "Caf\u00e9"),
        ("", ""),
    ],
)
def test_plain(given_: str, shown: str) -> None:
    assert plain(given_, 200) == shown


def test_it_is_cut_between_letters() -> None:
    assert plain("word " * 100, 200) == ("word " * 40).rstrip()
    # A letter with two marks has no form of its own; it stays whole or goes.
    assert plain("abcx\u0331\u0301\u0331z", 5) == "abc"


@given(st.text(max_size=300), st.integers(1, 250))
def test_whatever_comes_can_be_stored(text: str, most: int) -> None:
    shown = plain(text, most)
    assert len(shown) <= most
    assert shown == unicodedata.normalize("NFC", shown) == shown.strip()
    assert re.fullmatch(r"[^<>\x00-\x1f\x7f]*", shown)
    shown.encode()


@given(st.text(alphabet="<>&;/!-= abscriptlg#x0123'\"\n", max_size=120))
def test_nothing_opens_a_tag(text: str) -> None:
    shown = plain(text, 200)
    assert "<" not in shown
    assert ">" not in shown


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://news.example/a?b=1#c", "https://news.example/a?b=1#c"),
        (" https://news.example/a ", "https://news.example/a"),
        ("https://news.example/\u00e4 b", None),
        ("https://news.example/\u00e4", "https://news.example/%C3%A4"),
        ('https://news.example/"onclick', "https://news.example/%22onclick"),
        ("https://news.example/<script>", "https://news.example/%3Cscript%3E"),
        ("http://news.example/a", None),
        ("javascript:alert(1)", None),
        ("https://user:password@news.example/", None),
        ("https://news.example/" + "a" * 2048, None),
        ("https://news.example/\x00", None),
        ("https://[broken/", None),
        ("https://host:port/", None),
        ("", None),
        (None, None),
    ],
)
def test_addresses(url: str | None, kept: str | None) -> None:
    assert safe_url(url) == kept


def test_what_is_missing() -> None:
    found = cleaned(Record("T", url="https://www.news.example/a"), NOW)
    assert (found.author, found.source_name) == ("Unknown", "news.example")
    assert found.published_at == NOW
    assert cleaned(Record("T"), NOW).source_name == "Unknown"
    assert cleaned(Record("T", author=" <b></b> "), NOW).author == "Unknown"


def test_limits_are_those_of_the_model() -> None:
    long = "ab " * 1000
    found = cleaned(Record(long, long, None, long, long, NOW), NOW)
    Metadata(
        title=found.title,
        author=found.author,
        published_at=found.published_at,
        source_name=found.source_name,
    )
    assert (len(found.title), len(found.author), len(found.source_name)) == (500, 200, 100)
    assert len(found.snippet) == 200
    limit = Article.model_fields["text_snippet"]
    assert any(getattr(each, "max_length", None) == 200 for each in limit.metadata)


def test_times() -> None:
    cet = timezone(timedelta(hours=1))
    given_ = datetime(2026, 11, 20, 13, 0, 0, 123_999, tzinfo=cet)
    found = cleaned(Record("T", published_at=given_), NOW)
    assert found.published_at == datetime(2026, 11, 20, 12, 0, 0, 123_000, tzinfo=UTC)
    first = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5)))
    for wrong in (datetime(2026, 11, 20), datetime(1900, 1, 1, tzinfo=UTC), first):
        with pytest.raises(Unfit, match="published_at"):
            cleaned(Record("T", published_at=wrong), NOW)
    with pytest.raises(Unfit, match="title"):
        cleaned(Record("<p> </p>"), NOW)
