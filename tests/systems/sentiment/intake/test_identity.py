"""Which article something is."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.rules.identity import canonical_url, hash_of, source_id_for
from tablewright.systems.sentiment.shapes import SourceId

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
WORDS = st.text("abcdefghij0123456789-_~", min_size=1, max_size=8)
PATHS = st.lists(WORDS, max_size=4).map(lambda words: "".join(f"/{word}" for word in words))
NAMES = WORDS.filter(lambda name: not name.startswith(("utm_", "pk_", "hsa_", "at_", "ns_")))
QUERIES = st.lists(st.tuples(NAMES, st.text(max_size=6)), max_size=4)
TRACKING = st.lists(
    st.tuples(st.sampled_from(["utm_source", "utm_x", "UTM_Medium", "gclid", "fbclid"]), WORDS),
    max_size=3,
)


@pytest.mark.parametrize(
    "url",
    [
        "https://news.example/story?a=1&b=2",
        "http://news.example/story?b=2&a=1",
        "HTTPS://WWW.News.Example:443/story/?a=1&b=2#comments",
        "http://news.example:80/story?utm_source=mail&a=1&gclid=x&b=2&fbclid=y",
        "https://reader:secret@news.example/%73tory?a=1&b=%32",
        "  https://news.example/story?a=1&b=2\n",
        "https://m.news.example/story?a=1&b=2",
        "https://mobile.news.example/story?a=1&b=2",
        "https://amp.news.example/story?a=1&b=2",
        "https://news.example/story/amp?a=1&b=2",
        "https://news.example/story/amp/?a=1&b=2",
        "https://news.example/story.amp?a=1&b=2",
        "https://news.example/amp/story?a=1&b=2",
        "https://news.example/story?a=1&amp=1&b=2&outputType=amp",
        "https://news.example/story?a=1&b=2&ref=home&CMP=share_btn_tw&smid=tw-share",
        "https://news.example/story?partner=rss&a=1&b=2&xtor=RSS-3208&at_medium=RSS&ns_campaign=x",
    ],
)
def test_one_article_has_one_address(url: str) -> None:
    assert canonical_url(url) == "news.example/story?a=1&b=2"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://news.example/a", "https://news.example/b"),
        ("https://news.example/a", "https://news.example/A"),
        ("https://news.example/a?id=1", "https://news.example/a?id=2"),
        ("https://news.example/a/b", "https://news.example/a%2Fb"),
        ("https://news.example:8443/a", "https://news.example/a"),
        ("https://a.news.example/", "https://b.news.example/"),
        ("https://news.example/a?x=", "https://news.example/a"),
        # No page for phones, and no AMP.
        ("https://m.example/a", "https://example/a"),
        ("https://news.example/camp", "https://news.example/c"),
    ],
)
def test_others_have_others(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


@pytest.mark.parametrize(
    "url", ["", "news", "ftp://x/y", "javascript:alert(1)", "https://", "https://[::1", "//x/y"]
)
def test_no_address(url: str) -> None:
    assert canonical_url(url) is None


@given(PATHS, QUERIES, TRACKING, st.randoms(), st.sampled_from(["http", "https"]), WORDS)
def test_what_does_not_count(
    path: str,
    query: list[tuple[str, str]],
    tracking: list[tuple[str, str]],
    random: object,
    scheme: str,
    fragment: str,
) -> None:
    """Scheme, order, tracking, fragment and the host's case make no other article."""
    plain = f"https://news.example{path}?{urlencode(query)}"
    mixed = [*query, *tracking]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    other = f"{scheme}://www.NEWS.example{path}/?{urlencode(mixed)}#{fragment}"
    assert canonical_url(plain) == canonical_url(other) is not None


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_canonical_form_is_its_own(path: str, query: str) -> None:
    """However odd: the form is plain ASCII, has no bar, and does not change any more."""
    found = canonical_url(f"https://news.example/{path}?{query}")
    if found is not None:
        assert found.isascii()
        assert "|" not in found
        assert not any(char <= " " for char in found)
        assert canonical_url(f"https://{found}") == found


@given(st.text(max_size=60))
def test_anything_can_be_asked_about(text: str) -> None:
    assert canonical_url(text) is None or canonical_url(text)


def test_without_an_address_the_title_and_the_time_count() -> None:
    known = hash_of("A title", None, NOON)
    assert known == sha256(b"A title|2026-11-20T12:00:00.000Z").hexdigest()
    assert hash_of("A title", "not an address", NOON) == known
    assert hash_of("Another", None, NOON) != known
    assert hash_of("A title", None, NOON + timedelta(milliseconds=1)) != known
    assert hash_of("A title", None, None) is None
    assert hash_of("", None, NOON) is None


def test_the_address_counts_before_the_title() -> None:
    url = "https://news.example/story"
    assert hash_of("One", url, NOON) == hash_of("Two", url, None)
    assert hash_of("One", url, NOON) == sha256(b"news.example/story").hexdigest()


@given(st.text(min_size=1, max_size=30), st.sampled_from(["newsapi", "rss", "file"]))
def test_ids_have_the_shape_of_keys(title: str, kind: str) -> None:
    """Whatever a title says, it forges no key."""
    try:
        title.encode()
    except UnicodeEncodeError:
        return
    found = hash_of(title, None, NOON)
    assert found is not None
    (shape,) = SourceId.__metadata__
    assert re.fullmatch(shape.pattern, source_id_for(kind, found))
