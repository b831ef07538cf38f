"""Tokens of teams."""

from __future__ import annotations

import pytest

from tablewright.model import new_ulid
from tablewright.systems.vibejudge.rules.result_tokens import matches, new_token, parse

HACK, SUB = new_ulid(), new_ulid()


def test_a_token_says_what_it_is_for_and_matches_its_digest_alone() -> None:
    text, digest = new_token(HACK, SUB)
    token = parse(text)
    assert token is not None
    assert (token.hack_id, token.sub_id) == (HACK, SUB)
    assert matches(token, digest)
    assert not matches(token, new_token(HACK, SUB)[1])
    assert not matches(token, None)
    assert token.secret not in repr(token)
    assert token.secret not in digest


@pytest.mark.parametrize(
    "change", [str.lower, lambda t: t + "x", lambda t: t[:-1], lambda t: t + "\n"]
)
def test_what_has_another_shape_is_none(change: object) -> None:
    text, _ = new_token(HACK, SUB)
    assert parse(change(text)) is None  # type: ignore[operator]
    assert parse("") is None
