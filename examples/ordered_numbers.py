"""Numbers in keys: a leaderboard, and a queue whose order runs both ways.

Keys are texts, and as texts "9" comes after "10". A number in a template is written with a fixed
width, so that the order of the texts is the order of the numbers. A query reads a whole sort key in
one direction; a component that has to run against the others is stored reversed.
"""

from datetime import UTC, datetime
from typing import Any

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Range,
    Table,
    Update,
    attr,
    put,
    query,
    update,
    write,
)

arcade = Table("Arcade", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class Player(
    Entity,
    table=arcade,
    keys={
        "primary": Key("GAME#{game}", "PLAYER#{player}"),
        "by_score": Key("GAME#{game}", "{score:08d}#{player}", on="GSI1"),
    },
):
    game: str
    player: str
    score: int


@query(Player, key="by_score", descending=True)
def leaders(game: str) -> None:
    """The players of a game, the highest score first."""


@query(Player, key="by_score", range=Range("score", ge="at_least"))
def players_above(game: str, at_least: int) -> None:
    """Who has reached a score."""


@write()
def scored(player: Player, score: int) -> Update[Player]:
    """A better score; a worse one is refused."""
    return update(player).do(attr(Player.score).set(score)).when(attr(Player.score) < score)


MOST_URGENT = 9


def _reversed(fields: dict[str, Any]) -> int:
    return MOST_URGENT - int(fields["urgency"])


class Repair(
    Entity,
    table=arcade,
    keys={"primary": Key("REPAIRS", "{rank}#{reported_at}#{machine}")},
):
    machine: str
    reported_at: IsoSeconds
    urgency: int = Field(ge=0, le=MOST_URGENT)
    rank: int = Field(default_factory=_reversed, ge=0, le=MOST_URGENT)


@query(Repair)
def repairs() -> None:
    """What to repair: the most urgent first, and what has waited longest first among equals."""


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(arcade)
        for player, score in (("ada", 900), ("bo", 1000), ("cy", 20)):
            db.run(put(Player(game="pong", player=player, score=score)))
        print("leaders:", *(f"{each.player} {each.score}" for each in db.run(leaders("pong"))))
        ada = next(each for each in db.run(leaders("pong")) if each.player == "ada")
        db.run(scored(ada, 12_000))
        print("above 999:", *(each.player for each in db.run(players_above("pong", 1000))))

        for hour, urgency, machine in ((9, 2, "pinball"), (10, 9, "door"), (11, 2, "racer")):
            reported_at = datetime(2026, 3, 2, hour, tzinfo=UTC)
            db.run(put(Repair(machine=machine, reported_at=reported_at, urgency=urgency)))
        print("to repair:", *(each.machine for each in db.run(repairs())))


if __name__ == "__main__":
    main()
