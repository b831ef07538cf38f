"""Web addresses as people paste them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.web_urls import UrlError, clean_url


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("linkedin.com/in/asha", "https://linkedin.com/in/asha"),
        ("www.bbc.co.uk", "https://www.bbc.co.uk"),
        (" <https://Example.org/A?b=c#d>. ", "https://example.org/A?b=c#d"),
        ("//example.org/x", "https://example.org/x"),
        ("HTTP://example.org", "http://example.org"),
        ("example.org:8443/x", "https://example.org:8443/x"),
        ("bücher.example/ü", "https://bücher.example/ü"),
    ],
)
def test_address_is_completed(text: str, url: str) -> None:
    assert clean_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "ftp://example.org", "javascript:alert(1)", "data:text/html,x"),
        *("https://user:pw@example.org", "https://example.org:port/", "https://a b.org"),
        *("https://[::1", "https:///x", "example.org\\x", "mailto:a@b.c", "https://exa\nmple.org"),
    ],
)
def test_text_that_is_no_web_address_is_refused(text: str) -> None:
    with pytest.raises(UrlError):
        clean_url(text)


def test_other_hosts_are_refused_with_the_accepted_ones() -> None:
    assert clean_url("in.linkedin.com/in/a", hosts={"linkedin.com"}).startswith("https://in.")
    with pytest.raises(UrlError, match=r"at linkedin\.com"):
        clean_url("evil-linkedin.com/in/a", hosts={"linkedin.com"})


@given(st.text(max_size=60))
def test_cleaned_address_stays_as_it_is(text: str) -> None:
    try:
        url = clean_url(text)
    except UrlError:
        return
    assert url.startswith(("https://", "http://"))
    assert clean_url(url) == url
