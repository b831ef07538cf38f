"""A model with demo items."""

from __future__ import annotations

from typing import Annotated

from tablewright.model import Entity, Key, Model, Table, Unique, Version, get
from tablewright.model.demo import Demo

table = Table("Things", pk="PK", sk="SK", deletion_protection=True)


class Thing(Entity, table=table, keys={"primary": Key("THING#{name}", "THING")}):
    name: str
    tag: Annotated[str, Unique("tag")]
    size: int = 1
    version: Version = 0


@get(Thing)
def thing(name: str) -> None:
    """One thing."""


def demo() -> Demo:
    return Demo([Thing(name="one", tag="a"), Thing(name="two", tag="b")])


model = Model("things", __name__)
