"""Entities as declared: what is checked when the class is made."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from tablewright.model import (
    Attribute,
    Entity,
    Index,
    IsoSeconds,
    Key,
    Table,
    Ttl,
    Unique,
    Version,
    attr,
    definition,
)
from tablewright.model.errors import ModelError, RequestError


def table(**options: Any) -> Table:
    indexes = [
        Index("GS1", pk="G1PK", sk="G1SK"),
        Index("GS2", pk="G1PK", sk="G2SK"),
        Index("INV", pk="SK", sk="PK"),
        Index("PLAIN", pk="kind"),
    ]
    return Table("Things", pk="PK", sk="SK", ttl="ends", indexes=indexes, **options)


def declare(fields: dict[str, Any], keys: dict[str, Key] | None = None, **options: Any) -> Any:
    keys = {"primary": Key("A#{id}", "A")} if keys is None else keys
    namespace = {"__annotations__": {"id": str, **fields}, "__module__": __name__}
    arguments = {"table": table(), "keys": keys, **options}
    return type(Entity)("Thing", (Entity,), namespace, **arguments)


PRIMARY = {"primary": Key("A#{id}", "A")}


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: declare({}, {}), 'one called "primary"'),
        (lambda: declare({}, table=None), "add table="),
        (lambda: declare({}, {"primary": Key("A#{id}", "A", on="GS1")}), "is the table's"),
        (lambda: declare({}, {**PRIMARY, "x": Key("A", "B")}), "needs on="),
        (lambda: declare({}, {**PRIMARY, "x": Key("A", "B", on="G9")}), "no index G9"),
        (lambda: declare({}, {"primary": Key("A#{nothing}", "A")}), "nothing"),
        (lambda: declare({"x": str | None}, {"primary": Key("A#{id}", "{x}")}), "may not be None"),
        (
            lambda: declare(
                {"x": str},
                {**PRIMARY, "a": Key("X#{x}", "1", on="GS1"), "b": Key("Y#{x}", "2", on="GS2")},
            ),
            "an item has it only once",
        ),
        (lambda: declare({"PK": str}), "that the table writes itself"),
        (lambda: declare({"x": Annotated[str, Attribute("entity_type")]}), "writes itself"),
        (lambda: declare({"a": Version, "b": Version}), "only one field"),
        (lambda: declare({"ends": IsoSeconds}), "declare it as Ttl"),
        (
            lambda: declare({"x": Annotated[str, Unique("u")], "y": Annotated[str, Unique("u")]}),
            "two constraints",
        ),
        (lambda: declare({}, unique=[Unique("u")]), "give fields= or key="),
        (
            lambda: declare(
                {"kind": str}, {**PRIMARY, "k": Key("{kind}", on="PLAIN", when={"kind": "a"})}
            ),
            "can keep no item out",
        ),
    ],
)
def test_what_cannot_be_declared(make: Any, text: str) -> None:
    with pytest.raises(ModelError, match=text):
        make()


def test_two_entities_of_one_type() -> None:
    shared = table()
    declare({}, table=shared)
    with pytest.raises(ModelError, match="already has an entity of type 'Thing'"):
        declare({}, table=shared)
    declare({}, table=shared, type="Other")
    assert list(shared.entities) == ["Thing", "Other"]


def test_an_inverted_index_takes_the_templates_of_the_table() -> None:
    made = declare(
        {"other": str}, {"primary": Key("A#{id}", "B#{other}"), "inv": Key("B#{other}", on="INV")}
    )
    known = definition(made)
    item = known.encode(made(id="1", other="2"))
    assert (item["PK"], item["SK"]) == ({"S": "A#1"}, {"S": "B#2"})


def test_fields_are_references_on_the_class_only() -> None:
    made = declare({"size": int})
    entity = made(id="1", size=3)
    assert entity.size == 3
    assert attr(made.size).field == "size"
    with pytest.raises(AttributeError):
        _ = made.nothing
    with pytest.raises(RequestError):
        attr(entity.size)


def test_an_abstract_base_gives_its_fields() -> None:
    class Base(Entity):
        id: str
        ends: Ttl | None = None

    class Made(Base, table=table(), keys=PRIMARY):
        size: int = 0

    assert list(definition(Made).fields) == ["id", "ends", "size"]
    with pytest.raises(ModelError, match="Base is not an entity of a table"):
        definition(Base)


def test_entities_validate_as_pydantic_does() -> None:
    made = declare({"size": int})
    with pytest.raises(ValidationError):
        made(id="1", size="many")
    with pytest.raises(ValidationError):
        made(id="1", size=1, other=2)
    entity = made(id="1", size=1)
    with pytest.raises(ValidationError):
        entity.size = "many"


def test_what_two_indexes_share_stays_for_the_other() -> None:
    """GS1 and GS2 have the same partition attribute; an item may be in one of them only."""
    from tests.client import raw

    from tablewright.client import Db, Embedded
    from tablewright.engine import Engine
    from tablewright.model import put, update

    shared = table()

    class Both(
        Entity,
        table=shared,
        keys={
            **PRIMARY,
            "one": Key("ALL", "{id}", on="GS1", when={"state": "on"}),
            "two": Key("ALL", "{rank:03d}", on="GS2"),
        },
    ):
        id: str
        state: str = "on"
        rank: int | None = None

    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(shared)
        for rank in (1, None):
            stored = db.run(put(Both(id="x", rank=rank)))
            off = db.run(update(stored).do(attr(Both.state).set("off")))
            assert raw.item(db, off) == definition(Both).encode(off)
            on = db.run(update(off).do(attr(Both.state).set("on")))
            assert raw.item(db, on) == definition(Both).encode(on)
