"""The views of models: of the gallery, and of every system that ships."""

from __future__ import annotations

import importlib

import pytest
from tests.console import gallery

from tablewright.console.explorer.views import Explorer
from tablewright.model.demo import Demo
from tablewright.systems import NAMES


def test_a_table_with_its_entities() -> None:
    explorer = Explorer(gallery.model)
    (table,) = explorer.tables
    assert table.name == "Gallery"
    assert ("Time to live", "`expires_at`") in table.facts
    (entity,) = table.entities
    assert entity.about == "A painting on a wall."
    assert entity.keys[0].partition == "`WALL#{wall}`"
    assert [each.name for each in entity.attributes] == ["wall", "name", "price"]
    assert entity.attributes[2].about == "In micro-dollars."
    assert set(entity.patterns) == {"painting", "paintings", "hang", "take_down"}


def test_a_pattern_says_how_it_works_and_what_it_uses() -> None:
    found = Explorer(gallery.model).patterns["painting"]
    assert found.about == "One painting."
    assert found.kind == "get"
    assert not found.writes
    assert found.parameters == (("wall", "str"), ("name", "str"))
    assert found.read_units == 0.5
    assert Explorer(gallery.model).patterns["hang"].writes


def test_the_request_of_the_demo_call() -> None:
    demo = Demo([], calls={"painting": gallery.painting("north", "one")})
    (request,) = Explorer(gallery.model, demo).requests("painting")
    assert request.operation == "GetItem"
    assert '"WALL#north"' in request.body
    assert Explorer(gallery.model, demo).requests("hang") == ()
    assert Explorer(gallery.model).requests("painting") == ()


@pytest.mark.parametrize("name", NAMES)
def test_every_system_can_be_looked_at(name: str) -> None:
    package = f"tablewright.systems.{name}"
    model = importlib.import_module(f"{package}.model").model
    demo = importlib.import_module(f"{package}.demo").demo()
    explorer = Explorer(model, demo)
    assert len(explorer.tables) == len(model.tables)
    assert set(explorer.entities) == set(model.entities)
    for pattern in explorer.patterns.values():
        assert pattern.about, pattern.name
        assert "Annotated" not in str(pattern.parameters)
        assert "0x" not in str(pattern.parameters)
    assert [name for name in demo.calls if not explorer.requests(name)] == []
