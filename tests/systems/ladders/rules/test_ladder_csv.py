"""Ladders from spreadsheets."""

from __future__ import annotations

import pytest

from tablewright.systems.ladders.rules.ladder_csv import CsvError, markdown_of_csv
from tablewright.systems.ladders.rules.ladder_text import parse

LONG = """\
Category,Competency,Level,Description,Detail
Craft,Code,1,Writes *code*.,
,,2,"Shapes a service, alone.","splits it
- tests it"
,Design,1,Draws.,
,,2,Designs.,
Delivery,Planning,1,Plans days.,
,,2,Plans weeks.,
"""
WIDE = """\
category;competency;Junior;Senior
Craft;Code;Writes code.;Shapes a service.
;Design;Draws.;Designs.
"""


def test_a_row_for_each_level() -> None:
    ladder = parse(markdown_of_csv(LONG.encode("utf-8-sig"))).ladder
    assert ladder is not None
    assert [each.name for each in ladder.categories] == ["Craft", "Delivery"]
    code = ladder.categories[0].competencies[0]
    assert [each.level for each in code.levels] == [1, 2]
    assert "Shapes a service, alone." in code.levels[1].description
    assert code.levels[1].detail is not None
    assert "tests it" in code.levels[1].detail


def test_a_column_for_each_level() -> None:
    ladder = parse(markdown_of_csv(WIDE.encode())).ladder
    assert ladder is not None
    assert ladder.level_names == ["Junior", "Senior"]
    assert [each.name for each in ladder.categories[0].competencies] == ["Code", "Design"]
    assert ladder.categories[0].competencies[1].levels[1].description == "Designs."


def test_categories_that_are_apart_are_put_together() -> None:
    text = "category,competency,1,2\nA,x,a,b\nB,y,a,b\nA,z,a,b\n"
    ladder = parse(markdown_of_csv(text.encode())).ladder
    assert ladder is not None
    assert [each.name for each in ladder.categories] == ["A", "B"]
    assert [each.name for each in ladder.categories[0].competencies] == ["x", "z"]


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "empty"),
        (b"a,b\n1,2\n", "category"),
        (b"category,competency\nA,b\n", "column for each level"),
        (b"category,competency,1\n", "no row"),
        (b"category,competency,level,description\nA,b,x,y\n", "Row 2: level"),
        (b"category,competency,level,description\nA,b,1,y\nA,b,1,z\n", "Row 3: level 1 of b"),
        (b"category,competency,1\n,b,y\n", "Row 2: enter a category"),
        ("category,competency,1\nÄ,b,y\n".encode("latin-1"), "UTF-8"),
    ],
)
def test_what_is_wrong_is_said_by_row(content: bytes, fault: str) -> None:
    with pytest.raises(CsvError, match=fault):
        markdown_of_csv(content)


def test_text_of_cells_is_never_markup() -> None:
    text = "category,competency,1\nCraft,Code,# not a heading\n"
    ladder = parse(markdown_of_csv(text.encode())).ladder
    assert ladder is not None
    assert len(ladder.categories) == 1
