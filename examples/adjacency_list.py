"""Many to many as an adjacency list: bands and musicians.

Bands and musicians are nodes, memberships are edges. A band's partition in the table holds the band
and its members; a musician's partition in the index holds the musician and their bands. Either side
is one query, and the edge carries data of its own.
"""

from dataclasses import dataclass

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Delete, Entity, Index, Key, Table, collect, delete, put, write

music = Table("Music", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class Band(Entity, table=music, keys={"primary": Key("BAND#{band}", "BAND")}):
    band: str
    founded: int


class Musician(
    Entity,
    table=music,
    keys={
        "primary": Key("MUSICIAN#{musician}", "MUSICIAN"),
        "reverse": Key("MUSICIAN#{musician}", "MUSICIAN", on="GSI1"),
    },
):
    musician: str
    born: int


class Membership(
    Entity,
    table=music,
    keys={
        "primary": Key("BAND#{band}", "MEMBER#{musician}"),
        "reverse": Key("MUSICIAN#{musician}", "BAND#{band}", on="GSI1"),
    },
):
    band: str
    musician: str
    plays: str


@dataclass(frozen=True)
class Lineup:
    band: Band
    members: tuple[Membership, ...]


@dataclass(frozen=True)
class Career:
    musician: Musician
    bands: tuple[Membership, ...]


@collect(Lineup)
def lineup(band: str) -> None:
    """A band and who plays in it."""


@collect(Career, key="reverse")
def career(musician: str) -> None:
    """A musician and the bands they play in."""


@write()
def leave(band: str, musician: str) -> Delete[Membership]:
    """Take a musician out of a band; both stay."""
    return delete(Membership, band, musician).existing()


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(music)
        graph: list[Entity] = [
            Band(band="Jazz Messengers", founded=1954),
            Musician(musician="Wayne Shorter", born=1933),
            Membership(band="Jazz Messengers", musician="Art Blakey", plays="drums"),
            Membership(band="Jazz Messengers", musician="Wayne Shorter", plays="sax"),
            Membership(band="Weather Report", musician="Wayne Shorter", plays="sax"),
        ]
        db.batch(put(each) for each in graph)

        messengers = db.run(lineup("Jazz Messengers"))
        for member in messengers.members:
            print(f"{member.musician} plays {member.plays} in the {messengers.band.band}")
        shorter = db.run(career("Wayne Shorter"))
        print("Wayne Shorter:", ", ".join(each.band for each in shorter.bands))
        db.run(leave("Jazz Messengers", "Wayne Shorter"))
        shorter = db.run(career("Wayne Shorter"))
        print("Wayne Shorter:", ", ".join(each.band for each in shorter.bands))


if __name__ == "__main__":
    main()
