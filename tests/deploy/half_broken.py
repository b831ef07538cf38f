"""A model whose second table no database accepts, and with demo items for the first."""

from __future__ import annotations

from tablewright.model import Entity, Key, Model, Table
from tablewright.model.demo import Demo

good = Table("Good", pk="PK")
bad = Table("Bad", pk="PK", tags={"shape": "{round}"})


class Thing(Entity, table=good, keys={"primary": Key("THING#{name}")}):
    name: str
    size: int = 1


def demo() -> Demo:
    return Demo([Thing(name="one"), Thing(name="two")])


model = Model("half", __name__)
