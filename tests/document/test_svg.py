"""The drawing: well formed, complete, and with nothing on top of anything else."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from tests.deploy.templates.samples import ALL, sample

from tablewright.document import svg
from tablewright.document.drawing import MONO, Chip, wrapped
from tablewright.document.expressions import cut
from tablewright.document.grid import WIDEST

SVG = "{http://www.w3.org/2000/svg}"


def drawn(name: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg(sample(name).model))


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ALL)
def test_everything_is_in_the_picture(name: str) -> None:
    model, shown = sample(name).model, set(texts(drawn(name)))
    assert set(model.tables) <= shown
    assert set(model.entities) <= shown
    for table in model.tables.values():
        assert set(table.indexes) <= shown
    for entity in model.entities.values():
        for key in entity.keys.values():
            assert {cut(part.template.text, WIDEST) for part in key.parts} <= shown
    for pattern in model.patterns.values():
        assert pattern.name in shown, pattern


@pytest.mark.parametrize("name", ALL)
def test_nothing_leaves_the_picture_or_covers_anything(name: str) -> None:
    root = drawn(name)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    boxes = []
    for each in root.iter(f"{SVG}text"):
        x, y, words = float(each.get("x", "0")), float(each.get("y", "0")), each.text or ""
        long = len(words) * (MONO if "code" in each.get("class", "") else 6)
        left = x - long if each.get("text-anchor") == "end" else x
        assert left >= 0
        assert left + long <= width + 1, words
        assert 0 < y < height
        boxes.append((left, y - 9, left + long, y, words))
    for number, one in enumerate(boxes):
        for other in boxes[number + 1 :]:
            apart = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart, (one, other)


def test_chips_are_wrapped() -> None:
    chips = [Chip("x" * 10, "read")] * 5
    lines = wrapped(chips, 2.5 * chips[0].width)
    assert [len(line) for line in lines] == [2, 2, 1]
    assert wrapped([Chip("x" * 100, "read")], 10) == [[Chip("x" * 100, "read")]]
