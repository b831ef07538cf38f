"""A sealed secret opens with its token, for its client, and in no other way."""

from __future__ import annotations

import pytest

from tablewright.systems.pricekeeper.rules.sealing import Sealed, hash_of, seal, unseal

CLIENT = "org-550e8400-e29b-41d4-a716-446655440000"


def test_the_token_opens_it() -> None:
    sealed = seal("token", CLIENT, "the secret")
    assert unseal("token", CLIENT, sealed) == "the secret"
    assert b"the secret" not in sealed.ciphertext


def test_nothing_else_does() -> None:
    sealed = seal("token", CLIENT, "the secret")
    assert unseal("another token", CLIENT, sealed) is None
    assert unseal("token", CLIENT + "-app-web", sealed) is None
    assert unseal(hash_of("token"), CLIENT, sealed) is None


@pytest.mark.parametrize("place", [0, 7, -1])
def test_a_changed_byte_is_noticed(place: int) -> None:
    sealed = seal("token", CLIENT, "the secret")
    changed = bytearray(sealed.ciphertext)
    changed[place] ^= 1
    assert unseal("token", CLIENT, Sealed(sealed.nonce, bytes(changed))) is None


def test_the_same_secret_never_looks_the_same() -> None:
    first, second = seal("token", CLIENT, "the secret"), seal("token", CLIENT, "the secret")
    assert first.nonce != second.nonce
    assert first.ciphertext != second.ciphertext


def test_any_text_has_a_hash() -> None:
    assert hash_of("\ud800") != hash_of("\ud801")
    assert len(hash_of("")) == 64
