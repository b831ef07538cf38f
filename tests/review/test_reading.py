"""What the expressions of a pattern say."""

from __future__ import annotations

import pytest

from tablewright.review.design import Pattern
from tablewright.review.reading import (
    calls,
    changes,
    condition_attributes,
    holds_for,
    refusals,
    written,
)


def update(text: str, condition: str | None = None, **rest: object) -> Pattern:
    values = {":n": "N", ":s": "S", ":set": "SS", ":m": "M"}
    return Pattern("p", "update", update=text, condition=condition, values=values, **rest)  # type: ignore[arg-type]


def test_changes_are_read_with_their_paths_and_sources() -> None:
    made = changes(
        update("SET #s = :s, a.b = c ADD n :n, tags :set REMOVE old", names={"#s": "status"})
    )
    assert [(each.action, each.path) for each in made] == [
        ("SET", ("status",)),
        ("SET", ("a", "b")),
        ("ADD", ("n",)),
        ("ADD", ("tags",)),
        ("REMOVE", ("old",)),
    ]
    assert made[1].sources == {"c"}
    assert made[3].value == {"SS": ["x"]}


def test_two_clauses_of_a_kind_are_refused_but_still_read() -> None:
    pattern = update("ADD a :n ADD b :n")
    assert written(pattern) == {"a", "b"}
    (refusal,) = refusals(pattern)
    assert "can only be used once" in refusal.message


@pytest.mark.parametrize(
    ("condition", "absent"),
    [
        (None, True),
        ("attribute_not_exists(sentiment)", True),
        ("attribute_exists(PK)", False),
        ("a = :n", False),
        ("NOT a = :n", True),
        ("attribute_not_exists(a) OR a < :n", True),
        ("attribute_not_exists(a) AND attribute_exists(PK)", False),
        ("size(tags) < :n", False),
    ],
)
def test_whether_an_absent_item_meets_a_condition(condition: str | None, absent: bool) -> None:
    assert holds_for(update("SET x = :s", condition), {}) is absent


def test_a_condition_that_is_refused_tells_nothing() -> None:
    assert holds_for(update("SET x = :s", "status = :s"), {}) is None


def test_conditions_name_their_attributes() -> None:
    pattern = update("SET x = :s", "attribute_not_exists(#p) AND (a.b > :n OR contains(c, :s))")
    pattern = Pattern("p", "update", condition=pattern.condition, names={"#p": "PK"})
    assert condition_attributes(pattern) == {"PK", "a", "c"}
    assert calls(pattern, "attribute_not_exists") == {"PK"}


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (Pattern("p", "query", projection="source_id, timestamp"), "reserved keyword"),
        (Pattern("p", "query", filter="a = :x AND", values={":x": "S"}), "Syntax error"),
        (Pattern("p", "query", key_condition="#pk = :x"), "not defined"),
        (Pattern("p", "update", update="ADD a :x", values={":x": "S"}), "Incorrect operand type"),
    ],
)
def test_refusals_are_in_the_service_s_words(pattern: Pattern, part: str) -> None:
    (refusal,) = refusals(pattern)
    assert part in refusal.message


def test_values_that_a_document_leaves_out_are_not_held_against_it() -> None:
    pattern = Pattern("p", "update", update="ADD cost :c, ids :i SET seen = :t", condition="a < :z")
    assert list(refusals(pattern)) == []
