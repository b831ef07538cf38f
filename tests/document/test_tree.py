"""The tree of entities: everybody is in it once, with lines to those whom they belong to."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

import pytest
from tests.deploy.templates.samples import ALL, sample

from tablewright.document.leads import NOWHERE, Leads
from tablewright.document.mermaid import relations
from tablewright.document.tree import tree_within
from tablewright.model import Entity, Key, Model, Table

circle = Table("Circle", pk="PK", sk="SK")


class Egg(Entity, table=circle, keys={"primary": Key("HEN#{hen_id}", "EGG#{egg_id}")}):
    """Every egg comes from a hen."""

    hen_id: str
    egg_id: str


class Hen(Entity, table=circle, keys={"primary": Key("EGG#{egg_id}", "HEN#{hen_id}")}):
    """Every hen comes from an egg."""

    hen_id: str
    egg_id: str


def drawn(model: Model, leads: Leads = NOWHERE) -> ElementTree.Element:
    return ElementTree.fromstring(tree_within(model, leads))


def boxes(root: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    found = []
    for each in root.iter("rect"):
        if each.get("class") == "sheet":
            x, y = float(each.get("x", "")), float(each.get("y", ""))
            width, height = float(each.get("width", "")), float(each.get("height", ""))
            found.append((x, y, x + width, y + height))
    return found


@pytest.mark.parametrize("name", ALL)
def test_every_entity_has_a_box_of_its_own(name: str) -> None:
    model = sample(name).model
    root = drawn(model)
    names = [each.text for each in root.iter("text") if each.get("class") == "strong"]
    assert sorted(map(str, names)) == sorted(model.entities)
    width, height = float(root.get("width", "0")), float(root.get("height", "0"))
    found = boxes(root)
    assert len(found) == len(model.entities)
    for x, y, right, bottom in found:
        assert 0 <= x < right <= width
        assert 0 <= y < bottom <= height
    for one, other in combinations(found, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("name", ALL)
def test_there_is_a_line_for_every_relation(name: str) -> None:
    model = sample(name).model
    lines = list(drawn(model).iter("path"))
    assert len(lines) == len(list(relations(model)))


def test_who_own_each_other_are_both_there() -> None:
    model = Model("circle", __name__)
    root = drawn(model)
    assert len(boxes(root)) == 2
    styles = sorted(str(each.get("class")) for each in root.iter("path"))
    assert styles == ["edge", "edge loose"]


def test_names_lead_somewhere_and_nothing_breaks_out() -> None:
    leads = Leads(
        entity=lambda name: f'/x?a="{name}"&b',
        about_entity=lambda name: "<2>" if name == "Hen" else "",
        entity_style=lambda name: "hue-3",
    )
    root = drawn(Model("circle", __name__), leads)
    assert [each.get("href") for each in root.iter("a")] == ['/x?a="Egg"&b', '/x?a="Hen"&b']
    assert "<2>" in [each.text for each in root.iter("text")]
    assert {each.get("class") for each in root.iter("rect")} == {"sheet", "bar hue-3"}
