"""Sets of texts: whether two meet, and the example that shows it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.review.automata import Automaton, common_text
from tablewright.review.languages import FORMATS, automaton_of
from tablewright.review.shapes import Beyond, add_expression


def of(expression: str) -> Automaton:
    automaton = Automaton()
    add_expression(automaton, expression)
    return automaton


def literal(text: str) -> Automaton:
    automaton = Automaton()
    automaton.literal(text)
    return automaton


def accepts(expression: str, text: str) -> bool:
    return common_text(of(expression), literal(text)) is not None


ATOMS = st.sampled_from(["a", "b", "#", "[ab]", "[^a]", ".", r"\d", "(?:ab)", "(?:a|bb)", "[0-2]"])
TIMES = st.sampled_from(["", "?", "*", "+", "{2}", "{1,3}", "{0,}", "++", "*?"])
EXPRESSIONS = st.lists(st.tuples(ATOMS, TIMES), min_size=1, max_size=5).map(
    lambda parts: "".join(atom + times for atom, times in parts)
)
TEXTS = st.text(alphabet="ab#012", max_size=8)


@given(EXPRESSIONS, TEXTS)
def test_an_automaton_accepts_what_the_expression_matches(expression: str, text: str) -> None:
    # Possessive repetition gives nothing back: it may refuse what a set of texts has.
    plain = expression.replace("++", "+")
    assert accepts(expression, text) == (re.fullmatch(plain, text, re.DOTALL) is not None)


@given(EXPRESSIONS, EXPRESSIONS)
def test_a_common_text_is_one_of_both(first: str, second: str) -> None:
    text = common_text(of(first), of(second))
    if text is not None:
        for expression in (first, second):
            assert re.fullmatch(expression.replace("++", "+"), text, re.DOTALL), (expression, text)


@given(EXPRESSIONS, TEXTS)
def test_what_both_have_is_found(expression: str, text: str) -> None:
    if re.fullmatch(expression.replace("++", "+"), text, re.DOTALL):
        assert common_text(of(expression), of(re.escape(text) if text else "a{0}")) is not None


@pytest.mark.parametrize(
    ("form", "good", "bad"),
    [
        ("ulid", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01JKXYZ1234567890ABCDE"),
        ("uuid", "550e8400-e29b-41d4-a716-446655440000", "team-uuid-here"),
        ("iso_seconds", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000Z"),
        ("phone", "+919876543210", "+91-9876543210"),
        ("slug", "example-university", "Example University"),
        ("day", "20260131", "2026-01-31"),
    ],
)
def test_formats(form: str, good: str, bad: str) -> None:
    assert accepts(FORMATS[form], good)
    assert not accepts(FORMATS[form], bad)


@pytest.mark.parametrize("expression", ["(?=a)", r"\bword", "a{9999}", "(?P<x>a)", "a(", "[z"])
def test_what_cannot_be_read_is_said(expression: str) -> None:
    with pytest.raises(Beyond):
        of(expression)


def test_a_template_is_its_literals_and_what_its_components_can_be() -> None:
    template = automaton_of("ORDER#{at}#{id}")
    assert template is not None
    assert common_text(template, literal("ORDER#x#y")) == "ORDER#x#y"
    assert common_text(template, literal("ORDER#x")) is None
    assert common_text(template, literal("ORDER#x#y#z")) is None, "values have no delimiter"
    pasted = automaton_of("ORDER#{at}#{id}", pasted=True)
    assert pasted is not None
    assert common_text(pasted, literal("ORDER#x#y#z")) is not None
