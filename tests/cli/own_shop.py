"""Somebody's own model as a text, for commands that are given one."""

from __future__ import annotations

from pathlib import Path

SHOP = '''"""A little shop.

It sells little things.
"""

from tablewright.model import Entity, Key, Model, Put, Table, get, put, write

shop = Table("Shop", pk="PK")


class Thing(Entity, table=shop, keys={"primary": Key("THING#{name}")}):
    name: str
    price: int = 0


@get(Thing)
def thing(name: str) -> None:
    """One thing."""


@write(component="shop")
def add(thing: Thing) -> Put[Thing]:
    """A new one."""
    return put(thing)


model = Model("My shop", __name__)
'''

DEMO = """

def demo():
    from tablewright.model.demo import Demo

    return Demo([Thing(name="spoon", price=3)], {"thing": thing("spoon")})
"""


def write_shop(folder: Path, name: str, *, demo: str = "") -> str:
    """Put it into a folder, under a name that no other test has imported; gives its MODEL."""
    (folder / f"{name}.py").write_text(SHOP + demo)
    return f"{name}:model"
