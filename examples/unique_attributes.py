"""Uniqueness: a user name, an e-mail address, and a team's name within its league.

A key is unique by itself, anything else needs a lock: an item whose key is the value. Locks are
written in the same transaction as their owner whenever it is created, changed or deleted.
"""

from typing import Annotated

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Delete,
    Entity,
    Field,
    Key,
    Put,
    Table,
    Ulid,
    Unique,
    Update,
    Version,
    attr,
    delete,
    get,
    new_ulid,
    put,
    update,
    write,
)
from tablewright.model.errors import UniqueViolation

club = Table("Club", pk="PK", sk="SK")


class User(Entity, table=club, keys={"primary": Key("USER#{user_id}", "USER")}):
    user_id: Ulid = Field(default_factory=new_ulid)
    name: Annotated[str, Unique("user-name")]
    email: Annotated[str, Unique("user-email")]
    phone: Annotated[str | None, Unique("user-phone")] = None
    version: Version = 0


class Team(
    Entity,
    table=club,
    keys={"primary": Key("TEAM#{team_id}", "TEAM")},
    unique=[Unique("team-name", fields=("league", "name"))],
):
    team_id: Ulid = Field(default_factory=new_ulid)
    league: str
    name: str


@get(User, consistent=True)
def user(user_id: Ulid) -> None:
    """One user."""


@write()
def sign_up(user: User) -> Put[User]:
    """A new user, whose name and address nobody else has."""
    return put(user)


@write()
def change_email(user: User, email: str) -> Update[User]:
    """The new address is taken and the old one given free, or nothing happens."""
    return update(user).do(attr(User.email).set(email))


@write()
def sign_off(user: User) -> Delete[User]:
    """Delete a user and give everything free that was theirs alone."""
    return delete(user)


@write()
def found_team(team: Team) -> Put[Team]:
    """A new team, with a name that is new in its league."""
    return put(team).new()


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(club)
        ada = db.run(sign_up(User(name="ada", email="ada@example.com")))
        try:
            db.run(sign_up(User(name="countess", email="ada@example.com")))
        except UniqueViolation as error:
            print(error.constraint, "is taken by ada:", error.owner == {"user_id": ada.user_id})

        db.run(change_email(ada, "ada@lovelace.example"))
        db.run(sign_up(User(name="countess", email="ada@example.com")))
        print("the old address is free again")

        db.run(found_team(Team(league="north", name="Lions")))
        db.run(found_team(Team(league="south", name="Lions")))
        try:
            db.run(found_team(Team(league="south", name="Lions")))
        except UniqueViolation as error:
            print(error.constraint, "is taken in the south")


if __name__ == "__main__":
    main()
