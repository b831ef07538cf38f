"""A reference count: how many people like a photo, kept with the likes themselves.

Counting the likes would read them all. Instead the like and the count are written in one
transaction: both happen or neither, and nobody can like a photo twice.
"""

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Delete,
    Entity,
    Key,
    Put,
    Table,
    Update,
    attr,
    delete,
    get,
    put,
    query,
    transaction,
    update,
)
from tablewright.model.errors import AlreadyExists, TransactionCancelled

photos = Table("Photos", pk="PK", sk="SK")


class Photo(Entity, table=photos, keys={"primary": Key("PHOTO#{photo}", "PHOTO")}):
    photo: str
    likes: int = 0


class Like(Entity, table=photos, keys={"primary": Key("PHOTO#{photo}", "LIKE#{user}")}):
    photo: str
    user: str


@get(Photo)
def photo(photo: str) -> None:
    """One photo with the number of its likes."""


@query(Like)
def likes_of_photo(photo: str) -> None:
    """Who likes a photo."""


@transaction()
def like(photo: str, user: str) -> tuple[Put[Like], Update[Photo]]:
    """Somebody likes a photo that is there, and did not before."""
    return (
        put(Like(photo=photo, user=user)).new(),
        update(Photo, photo).do(attr(Photo.likes).add(1)),
    )


@transaction()
def unlike(photo: str, user: str) -> tuple[Delete[Like], Update[Photo]]:
    """Somebody takes a like back."""
    return (
        delete(Like, photo, user).existing(),
        update(Photo, photo).do(attr(Photo.likes).add(-1)),
    )


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(photos)
        db.run(put(Photo(photo="sunset")))
        db.run(like("sunset", "ada"))
        db.run(like("sunset", "bo"))
        try:
            db.run(like("sunset", "ada"))
        except TransactionCancelled as error:
            twice = isinstance(error.failures[0].error, AlreadyExists)
            print("ada likes it already:", twice)
        db.run(unlike("sunset", "bo"))

        print("likes:", db.require(photo("sunset")).likes)
        print("by", *(each.user for each in db.run(likes_of_photo("sunset"))))


if __name__ == "__main__":
    main()
