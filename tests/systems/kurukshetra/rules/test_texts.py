"""Addresses, names of teams, and codes that people type."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.kurukshetra.rules import crockford, emails, invites, team_names
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.rules.team_names import BadTeamName

# --- addresses -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "domains", "allowed"),
    [
        ("a@b.example", set(), True),
        ("a@IITB.ac.in", {"iitb.ac.in"}, True),
        ("a@cse.iitb.ac.in", {"iitb.ac.in"}, False),
        ("a@cse.iitb.ac.in", {"*.iitb.ac.in"}, True),
        ("a@iitb.ac.in", {"*.iitb.ac.in"}, False),
        ("a@eviliitb.ac.in", {"iitb.ac.in", "*.iitb.ac.in"}, False),
        ("iitb.ac.in@evil.example", {"iitb.ac.in"}, False),
    ],
)
def test_only_listed_domains_register(address: str, domains: set[str], allowed: bool) -> None:
    assert emails.is_allowed(address, domains) is allowed


# --- names of teams --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written", ["Code Warriors", " code  warriors ", "CODE\tWARRIORS", "Ｃｏｄｅ　Ｗａｒｒｉｏｒｓ"]
)
def test_a_name_is_taken_once_however_it_is_written(written: str) -> None:
    assert team_names.lock_of(written) == "code warriors"
    assert team_names.same("Code Warriors", written)


@pytest.mark.parametrize(
    "text", ["", "x", "x" * 51, "a/b", "a#b", "--", "a<b", "=cmd|' /C calc'!A0"]
)
def test_other_names_are_refused(text: str) -> None:
    with pytest.raises(BadTeamName):
        team_names.parse(text)


@pytest.mark.parametrize(
    "text", ["टीम इंडिया", "Bits & Bytes", "Dev's Den", "Team No. 1", "కోడ్ వీరులు", "Q+A (IIT), Ltd."]
)
def test_names_in_any_script_and_with_usual_signs_are_taken(text: str) -> None:
    assert team_names.parse(f"  {text} ") == text
    assert team_names.same(text, text.upper())


@given(st.from_regex(r"[A-Za-z0-9 _-]{2,50}", fullmatch=True))
def test_a_name_that_is_taken_stays_as_it_is(text: str) -> None:
    try:
        name = team_names.parse(text)
    except BadTeamName:
        return
    assert team_names.parse(name) == name
    assert re.fullmatch(r"[A-Za-z0-9 _-]{2,50}", name)


# --- codes -----------------------------------------------------------------------------------


def test_new_codes_are_codes_and_differ() -> None:
    codes = {invites.new() for _ in range(1000)}
    assert len(codes) == 1000
    assert all(re.fullmatch("[0-9A-HJKMNP-TV-Z]{8}", each) for each in codes)
    assert {letter for code in codes for letter in code} == set(crockford.ALPHABET)


codes = st.text(alphabet=crockford.ALPHABET, min_size=8, max_size=8)


@given(codes, st.sampled_from(["", " ", "-", "  "]), st.integers(0, 8))
def test_a_code_is_read_as_it_was_meant(code: str, between: str, at: int) -> None:
    typed = (code[:at] + between + code[at:]).lower().replace("0", "o").replace("1", "l")
    assert invites.parse(typed) == invites.parse(crockford.shown(code)) == code


@pytest.mark.parametrize("text", ["", "K7Q2M8X", "K7Q2M8XDD", "K7Q2M8XU", "K7Q2_M8XD", "K7Q2M8Xé"])
def test_what_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(BadCode):
        invites.parse(text)
