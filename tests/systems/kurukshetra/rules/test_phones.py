"""Phone numbers: one form for all ways to write one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tablewright.systems.kurukshetra.fields import Phone
from tablewright.systems.kurukshetra.rules.phones import BadPhone, country_code, parse

INDIAN = "+919876543210"


@pytest.mark.parametrize(
    "written",
    [
        "+91 98765 43210",
        "+91-98765-43210",
        "+91 (98765) 43210",
        "+91.98765.43210",
        "0091 98765 43210",
        "+91 98765\u201143210",
        "\u202a+91 98765 43210\u202c",
        "＋９１９８７６５４３２１０",
        "+९१ ९८७६५ ४३२१०",
    ],
)
def test_one_number_has_one_form(written: str) -> None:
    assert parse(written) == INDIAN


@pytest.mark.parametrize("written", ["98765 43210", "098765 43210", "9876543210", INDIAN])
def test_at_home_the_country_is_left_out(written: str) -> None:
    assert parse(written, country="91") == INDIAN


def test_zeros_are_dropped_where_they_are_dialled_at_home_only() -> None:
    assert parse("+44 (0)20 7946 0958") == "+442079460958"
    assert parse("020 7946 0958", country="44") == "+442079460958"
    assert parse("06 698 12345", country="39") == "+3906" + "69812345"


@pytest.mark.parametrize(
    "written",
    [
        "",
        "+",
        "98765 43210",
        "+91 98765",
        "+91 98765 432101",
        "+91 08765 43210",
        "+1 123 456 7890",
        "+999 123456789",
        "+210 123456789",
        "+91 98765 4321O",
        "+49 1234 5678 9012 3456",
        "++919876543210",
        "+91+9876543210",
        "call me",
        "9" * 100,
    ],
)
def test_what_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(BadPhone):
        parse(written)


def test_no_country_code_is_the_beginning_of_another() -> None:
    codes = {code for n in range(1, 1000) if (code := country_code(str(n))) is not None}
    assert len(codes) > 200
    assert not [(a, b) for a in codes for b in codes if a != b and b.startswith(a)]


@given(st.text(max_size=30) | st.from_regex(r"\+?[0-9 ()-]{5,20}"), st.sampled_from([None, "91"]))
def test_what_is_taken_fits_the_field_and_stays_as_it_is(text: str, country: str | None) -> None:
    try:
        number = parse(text, country)
    except BadPhone:
        return
    assert re.fullmatch(r"\+[1-9][0-9]{6,14}", number)
    assert TypeAdapter(Phone).validate_python(number) == number == parse(number)
