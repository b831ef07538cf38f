"""The codes of certificates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.fields import CertificateCode
from tablewright.systems.kurukshetra.rules.crockford import ALPHABET, BadCode


def test_a_new_code_fits_its_field() -> None:
    made = {codes.new() for _ in range(100)}
    assert len(made) == 100
    for code in made:
        assert TypeAdapter(CertificateCode).validate_python(code) == code


@given(st.text(ALPHABET, min_size=16, max_size=16))
def test_a_printed_code_is_read(code: str) -> None:
    assert codes.parse(codes.shown(code).lower()) == code
    assert len(codes.shown(code)) == 19


@pytest.mark.parametrize("text", ["", "7H2K-9QZM-4T0V-XW3", "7H2K-9QZM-4T0V-XW3BB", "U" * 16])
def test_other_texts_are_none(text: str) -> None:
    with pytest.raises(BadCode):
        codes.parse(text)
