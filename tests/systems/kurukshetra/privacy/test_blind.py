"""Blind indexes: the same for the same text, and telling nothing else."""

from __future__ import annotations

import hmac
import re
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra.privacy.blind import BlindIndex
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.rules.phones import BadPhone

KEY = bytes(range(32))
BLIND = BlindIndex(KEY)


def test_it_is_an_hmac_cut_to_128_bits() -> None:
    expected = hmac.new(KEY, b"email\0asha@example.com", sha256).hexdigest()[:32]
    assert BLIND.email("asha@example.com") == expected


@pytest.mark.parametrize(
    "written",
    [
        "Asha@Example.COM",
        " asha@example.com ",
        "ａｓｈａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
    ],
)
def test_one_address_has_one_hash(written: str) -> None:
    assert BLIND.email(written) == BLIND.email("asha@example.com")


def test_numbers_and_codes_have_one_hash_however_they_are_typed() -> None:
    assert BLIND.phone("+91 98765-43210") == BLIND.phone("+919876543210")
    assert BLIND.invite("k7q2-m8xd") == BLIND.invite("K7Q2M8XD")
    assert BLIND.uid("abc") != BLIND.uid("ABC")


@given(st.text(), st.text())
def test_kinds_and_texts_do_not_meet(one: str, other: str) -> None:
    hashes = {BLIND.email(one), BLIND.uid(one)}
    assert len(hashes) == 2
    assert (BLIND.uid(one) == BLIND.uid(other)) == (one == other)
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in hashes)


def test_another_key_gives_other_hashes() -> None:
    assert BlindIndex(bytes(32)).email("a@b.example") != BLIND.email("a@b.example")
    with pytest.raises(ValueError, match="32"):
        BlindIndex(b"short")


def test_what_is_no_number_and_no_code_has_no_hash() -> None:
    with pytest.raises(BadPhone):
        BLIND.phone("98765")
    with pytest.raises(BadCode):
        BLIND.invite("no code")
