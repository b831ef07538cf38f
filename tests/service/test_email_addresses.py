"""E-mail addresses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.email_addresses import EmailError, comparison_key, is_within, parse_email


@pytest.mark.parametrize(
    ("text", "address"),
    [
        (" asha@example.org ", "asha@example.org"),
        ("Asha Verma <asha@example.org>", "asha@example.org"),
        ("mailto:asha@example.org", "asha@example.org"),
        ("Asha.V+x@Sub.Example.org", "Asha.V+x@Sub.Example.org"),
        ("कमल@उदाहरण.भारत", "कमल@उदाहरण.भारत"),
    ],
)
def test_address_is_taken_from_what_is_pasted(text: str, address: str) -> None:
    assert parse_email(text) == address


@pytest.mark.parametrize(
    "text",
    [
        *("", "asha", "a@b", "a b@example.org", "a@@example.org", "a@exa mple.org", "<a@b.c> x"),
        *("a..b@example.org", ".a@example.org", "a.@example.org", "a@.example.org"),
        *("a@example.org.", "a@-example.org", "a@b/c.org", "a@b.c\n", "\u212aelvin@example.org"),
        *("ａ@example.org", "a@b.c,d@e.f", "x" * 250 + "@b.org", "a\x00@example.org"),
    ],
)
def test_text_that_is_no_address_is_refused(text: str) -> None:
    if text.endswith("\n"):
        text = "a@b\n.c"
    with pytest.raises(EmailError, match=r"asha@example\.org"):
        parse_email(text)


@given(st.text(max_size=40), st.text(max_size=40))
def test_two_accepted_addresses_are_the_same_only_if_case_alone_differs(
    one: str, other: str
) -> None:
    try:
        first, second = parse_email(f"{one}@example.org"), parse_email(f"{other}@example.org")
    except EmailError:
        return
    if comparison_key(first) == comparison_key(second):
        assert first.lower() == second.lower()


def test_domain_is_compared_without_case_and_a_star_means_all_below() -> None:
    assert is_within("a@MIT.edu", ["mit.EDU"])
    assert is_within("a@cs.mit.edu", ["*.mit.edu"])
    assert not is_within("a@mit.edu", ["*.mit.edu"])
    assert not is_within("a@notmit.edu", ["mit.edu", "*.mit.edu"])
    assert not is_within("a@mit.edu", [])
