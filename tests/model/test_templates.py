from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model.errors import ModelError
from tablewright.model.keys.templates import Slot, Template, parse_template


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("PROFILE", ("PROFILE",)),
        ("{x}", (Slot("x"),)),
        ("A#{x}", ("A#", Slot("x"))),
        ("{x}#{y}#B", (Slot("x"), "#", Slot("y"), "#B")),
        ("{n:012d}{s:07.2f}", (Slot("n", "012d"), Slot("s", "07.2f"))),
        ("a{{b}}c{x}", ("a{b}c", Slot("x"))),
        ("{{{x}}}", ("{", Slot("x"), "}")),
        ("{_x9:}", (Slot("_x9"),)),
    ],
)
def test_pieces(text: str, pieces: tuple[str | Slot, ...]) -> None:
    assert parse_template(text, "here") == Template(text, pieces)


@pytest.mark.parametrize("text", ["{", "}", "a{x", "x}", "{}", "{1x}", "{a.b}", "{a[0]}", "{x!r}"])
def test_stray_braces_are_refused_with_their_place(text: str) -> None:
    with pytest.raises(ModelError, match=r"here: .* has a brace at position"):
        parse_template(text, "here")


def test_an_empty_template_is_refused() -> None:
    with pytest.raises(ModelError, match="here: the template is empty"):
        parse_template("", "here")


@pytest.mark.parametrize("text", ["A\U0010ffff{x}", "A\ud800"])
def test_characters_that_no_key_has_are_refused(text: str) -> None:
    with pytest.raises(ModelError, match="no key can have"):
        parse_template(text, "here")


def test_fields_are_named_once_in_order() -> None:
    assert parse_template("{b}#{a}#{b}", "").fields == ("b", "a")


def test_single_is_a_template_of_one_slot() -> None:
    assert parse_template("{a:03d}", "").single == Slot("a", "03d")
    assert parse_template("#{a}", "").single is None
    assert parse_template("{a}{b}", "").single is None
    assert parse_template("a", "").single is None


@given(st.lists(st.one_of(st.text("ab{}#", min_size=1), st.builds(Slot, st.just("f")))))
def test_what_is_written_is_read(pieces: list[str | Slot]) -> None:
    written = "".join(
        piece.replace("{", "{{").replace("}", "}}") if isinstance(piece, str) else "{f}"
        for piece in pieces
    )
    if not written:
        return
    read = parse_template(written, "").pieces
    assert "".join(p if isinstance(p, str) else "\0" for p in read) == "".join(
        p if isinstance(p, str) else "\0" for p in pieces
    )
