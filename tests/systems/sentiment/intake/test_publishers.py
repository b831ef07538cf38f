"""What publishers are counted as."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.systems.sentiment.rules.publishers import OTHER, slug
from tablewright.systems.sentiment.shapes import SourceKey


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("BBC News", "bbc-news"),
        ("Le Monde.fr", "le-monde-fr"),
        ("S\u00fcddeutsche", "suddeutsche"),
        ("tag#ai#00", "tag-ai-00"),
        ("--", "name-"),
        ("", OTHER),
        ("x" * 39 + " yz", "x" * 39),
    ],
)
def test_slugs(name: str, key: str) -> None:
    assert slug(name).startswith(key)


def test_names_in_other_scripts_are_told_apart() -> None:
    one, other = slug("\u041f\u0440\u0430\u0432\u0434\u0430"), slug("\u8b80\u58f2\u65b0\u805e")
    assert one != other
    assert one == slug(" \u043f\u0440\u0430\u0432\u0434\u0430 ")


@given(st.text(max_size=60).filter(lambda text: text.isprintable()))
def test_every_name_has_the_shape_of_a_key(name: str) -> None:
    (shape,) = SourceKey.__metadata__
    assert re.fullmatch(shape.pattern, slug(name))
    assert slug(name) == slug(name.upper().lower()) or not name.isascii()
