"""A singleton: the one item that holds the settings of the whole shop.

Its key has no components, so there is exactly one. A version keeps two people from changing it at
the same time without noticing.
"""

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Key,
    Put,
    Table,
    Update,
    Version,
    attr,
    get,
    put,
    update,
    write,
)
from tablewright.model.errors import AlreadyExists, VersionConflict

shop = Table("Shop", pk="PK", sk="SK")


class Settings(Entity, table=shop, keys={"primary": Key("SETTINGS", "SETTINGS")}):
    open: bool = True
    notice: str | None = None
    version: Version = 0


@get(Settings, consistent=True)
def settings() -> None:
    """The settings of the shop."""


@write()
def install() -> Put[Settings]:
    """Write the first settings, once."""
    return put(Settings()).new()


@write()
def close(current: Settings, notice: str) -> Update[Settings]:
    """Close the shop and say why."""
    return update(current).do(attr(Settings.open).set(False), attr(Settings.notice).set(notice))


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(shop)
        seen_by_ada = seen_by_bo = db.run(install())
        try:
            db.run(install())
        except AlreadyExists:
            print("there is one already")

        db.run(close(seen_by_ada, "stocktaking"))
        try:
            db.run(close(seen_by_bo, "holidays"))
        except VersionConflict:
            print("bo was too late")
        print("notice:", db.require(settings()).notice)


if __name__ == "__main__":
    main()
