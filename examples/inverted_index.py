"""An inverted index: who follows whom, asked from both ends.

The index has the table's keys the other way round. It needs no attributes of its own, and holds
nothing but keys; what is asked for is read back from their text.
"""

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Entity, Index, Key, Projection, Table, get, put, query

social = Table(
    "Social",
    pk="PK",
    sk="SK",
    indexes=[Index("Inverted", pk="SK", sk="PK", keys_only=True)],
)


class Follow(
    Entity,
    table=social,
    keys={
        "primary": Key("USER#{follower}", "FOLLOWS#{followed}"),
        "inverted": Key("FOLLOWS#{followed}", "USER#{follower}", on="Inverted"),
    },
):
    follower: str
    followed: str
    muted: bool = False


class Follower(Projection, of=Follow):
    """What the index can give: it does not hold ``muted``."""

    follower: str


@get(Follow)
def follows(follower: str, followed: str) -> None:
    """Whether one user follows another."""


@query(Follow)
def following(follower: str) -> None:
    """Whom a user follows."""


@query(Follow, key="inverted", into=Follower)
def followers(followed: str) -> None:
    """Who follows a user."""


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(social)
        for follower, followed in (("ada", "grace"), ("ada", "linus"), ("linus", "grace")):
            db.run(put(Follow(follower=follower, followed=followed)))

        print("ada follows", *(each.followed for each in db.run(following("ada"))))
        print("grace is followed by", *(each.follower for each in db.run(followers("grace"))))
        print("grace follows ada:", db.run(follows("grace", "ada")) is not None)


if __name__ == "__main__":
    main()
