"""The codes of certificates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tablewright.systems.kurukshetra.certificates import codes
from tablewright.systems.kurukshetra.fields import CertificateCode
from tablewright.systems.kurukshetra.rules.crockford import ALPHABET, BadCode


def test_every_certificate_has_a_code_of_its_own_that_fits_its_field() -> None:
    kinds = ("participation", "winner")
    made = [codes.of(b"k" * 32, "e", str(p), kind) for p in range(50) for kind in kinds]
    assert len(set(made)) == 100
    for code in made:
        assert TypeAdapter(CertificateCode).validate_python(code) == code
    assert codes.of(b"k" * 32, "e", "0", "participation") == made[0]
    assert codes.of(b"other key" * 4, "e", "0", "participation") not in made


@given(st.text(ALPHABET, min_size=16, max_size=16))
def test_a_printed_code_is_read(code: str) -> None:
    assert codes.parse(codes.shown(code).lower()) == code
    assert len(codes.shown(code)) == 19


@pytest.mark.parametrize("text", ["", "7H2K-9QZM-4T0V-XW3", "7H2K-9QZM-4T0V-XW3BB", "U" * 16])
def test_other_texts_are_none(text: str) -> None:
    with pytest.raises(BadCode):
        codes.parse(text)
