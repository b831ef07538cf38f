"""A model is what its modules declare."""

from __future__ import annotations

import types

import pytest
from tests.client import shapes, world

from tablewright.model import Model, Table
from tablewright.model.definition import entity_of
from tablewright.model.errors import ModelError


def test_what_is_found() -> None:
    model = world.model
    assert list(model.tables) == ["World"]
    assert set(model.entities) == {
        "Person",
        "Guest",
        "Task",
        "Board",
        "Label",
        "Doc",
        "Hits",
    }
    assert {"person", "tasks", "board_view", "hits"} <= set(model.patterns)
    assert model.table("World") is world.app
    with pytest.raises(ModelError, match="no table Moon; it has World"):
        model.table("Moon")
    assert "1 tables, 7 entities" in repr(model)


def test_several_modules() -> None:
    model = Model("both", world, shapes)
    assert set(model.tables) == {"World", "Numbers", "Users", "Adopted", "Matches", "Notes"}
    with pytest.raises(ModelError, match="name the modules"):
        Model("none")


def test_what_is_imported_does_not_count() -> None:
    module = types.ModuleType("elsewhere")
    module.doc, module.Doc = world.doc, world.Doc  # type: ignore[attr-defined]
    model = Model("elsewhere", module)
    assert (model.entities, model.patterns) == ({}, {})


def test_two_things_of_one_name() -> None:
    module = types.ModuleType("elsewhere")
    module.one, module.two = Table("Same", pk="a"), Table("Same", pk="b")  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="table Same"):
        Model("elsewhere", module)


def test_who_owns_an_item() -> None:
    def owner(table: Table, **item: str) -> str | None:
        found = entity_of(table, {name: {"S": value} for name, value in item.items()})
        return None if found is None else found.name

    assert owner(world.app, PK="x", SK="y", entity_type="Doc") == "Doc"
    assert owner(world.app, PK="DOC#1", SK="DOC") is None
    assert owner(world.app, PK="DOC#1", SK="DOC", entity_type="Spy") is None
    assert owner(shapes.adopted, pk="account|7", sk="account") == "Account"
    assert owner(shapes.adopted, pk="account|7", sk="entry|a|b") == "Entry"
    assert owner(shapes.adopted, pk="other|7", sk="entry|a|b") is None


def test_locks_belong_to_nobody() -> None:
    item = {"userId": {"S": "UNIQUE#user-email#x"}, "owner": {"M": {"userId": {"S": "1"}}}}
    assert entity_of(shapes.users, item) is None
    assert entity_of(shapes.users, {"userId": {"S": "UNIQUE#"}}) is not None
