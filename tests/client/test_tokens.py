"""What is kept of transactions under a token."""

from __future__ import annotations

import pytest

from tablewright.client import tokens
from tablewright.client.tokens import Tokens

KEY = {"PK": {"S": "a"}, "SK": {"B": b"b"}}


def test_a_basis_is_kept_for_as_long_as_dynamodb_knows_the_token() -> None:
    kept = Tokens()
    first = kept.basis("a", 1000.0)
    first.keep("World", KEY, {"n": {"N": "1"}})
    assert kept.basis("a", 1599.0) is first
    assert first.has("World", dict(reversed(KEY.items())))
    assert first.item("World", KEY) == {"n": {"N": "1"}}
    assert not first.has("Other", KEY)
    assert kept.basis("b", 1001.0) is not first
    later = kept.basis("a", 1600.0)
    assert later.now == 1600.0
    assert not later.has("World", KEY)


def test_without_a_token_nothing_is_kept() -> None:
    kept = Tokens()
    assert kept.basis(None, 1.0) is not kept.basis(None, 1.0)
    kept.forget(None)


def test_a_basis_is_forgotten() -> None:
    kept = Tokens()
    first = kept.basis("a", 1.0)
    kept.forget("a")
    kept.forget("a")
    assert kept.basis("a", 1.0) is not first


def test_no_more_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "_MOST", 2)
    kept = Tokens()
    first, second, third = (kept.basis(name, 1.0) for name in "abc")
    assert kept.basis("b", 2.0) is second
    assert kept.basis("c", 2.0) is third
    assert kept.basis("a", 2.0) is not first
