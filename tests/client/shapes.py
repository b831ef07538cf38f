"""Tables of other shapes: other key types, plain and raw keys, no discriminator, one attribute."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic.alias_generators import to_camel

from tablewright.model import (
    Binary,
    Entity,
    EpochSeconds,
    Field,
    Index,
    IsoSeconds,
    Key,
    Number,
    Range,
    Table,
    Unique,
    get,
    query,
    scan,
)

# --- keys of numbers and bytes -------------------------------------------------------------------

numbers = Table(
    "Numbers",
    pk=Number("id"),
    sk=Binary("digest"),
    indexes=[Index("ByTime", pk="kind", sk=Number("at"))],
)


class Event(
    Entity,
    table=numbers,
    keys={
        "primary": Key("{id}", "{digest}"),
        "by_time": Key("{kind}", "{at}", on="ByTime"),
    },
):
    id: Decimal
    digest: bytes
    kind: str
    at: EpochSeconds | None = None


@get(Event)
def event(id: Decimal, digest: bytes) -> None:
    """One event."""


@query(Event, range=Range("digest", ge="least", le="most"))
def events(id: Decimal, *, least: bytes | None = None, most: bytes | None = None) -> None:
    """Events of one id."""


@query(Event, key="by_time", range=Range("at", gt="since"), descending=True)
def events_since(kind: str, *, since: EpochSeconds | None = None) -> None:
    """Events of one kind, newest first."""


# --- plain keys, camel case, no sort key ---------------------------------------------------------

users = Table(
    "Users",
    pk="userId",
    discriminator=None,
    indexes=[Index("ByTeam", pk="teamId", sk="joinedAt")],
)


class User(
    Entity,
    table=users,
    naming=to_camel,
    keys={
        "primary": Key("{user_id}"),
        "by_team": Key("{team_id}", "{joined_at}", on="ByTeam"),
    },
):
    user_id: str
    team_id: str | None = None
    joined_at: IsoSeconds | None = None
    user_email: Annotated[str | None, Unique("user-email")] = None


@get(User, consistent=True)
def user(user_id: str) -> None:
    """One user."""


@scan(User, admin=True, consistent=True)
def all_users() -> None:
    """All users."""


# --- adopted: raw templates, owner found by the key ----------------------------------------------

adopted = Table("Adopted", pk="pk", sk="sk", discriminator=None, delimiter="|")


class Account(
    Entity, table=adopted, keys={"primary": Key("account|{number}", "account", raw=True)}
):
    number: int
    name: str = ""


class Entry(
    Entity, table=adopted, keys={"primary": Key("account|{number}", "entry|{day}|{id}", raw=True)}
):
    number: int
    day: str
    id: str
    amount: Decimal = Decimal(0)


@get(Account)
def account(number: int) -> None:
    """One account."""


@query(Entry)
def entries(number: int, day: str) -> None:
    """What happened on a day."""


@scan(Entry, admin=True)
def all_entries() -> None:
    """Everything that happened."""


@scan(Account, admin=True)
def all_accounts() -> None:
    """Every account."""


# --- indexes of several attributes ---------------------------------------------------------------

matches = Table(
    "Matches",
    pk="PK",
    indexes=[
        Index("ByRound", pk=("season", "region"), sk=("round", "bracketKey", Number("seed"))),
    ],
)


class Match(
    Entity,
    table=matches,
    keys={
        "primary": Key("MATCH#{match_id}"),
        "by_round": Key(
            ("S#{year}", "{region}"), ("{round}", "B#{bracket}", "{seed}"), on="ByRound"
        ),
    },
):
    match_id: str
    year: int = Field(ge=0, le=9999)
    region: str
    round: str
    bracket: str | None = None
    seed: int = 0


@query(Match, key="by_round")
def round_of(year: int, region: str, round: str) -> None:
    """The matches of a round."""


@query(Match, key="by_round", range=Range("seed", ge="least"))
def seeded(year: int, region: str, round: str, bracket: str, *, least: int | None = None) -> None:
    """The matches of a bracket, by seed."""


# --- policies for what is not declared -----------------------------------------------------------

notes = Table("Notes", pk="PK", ttl="ends")


class Kept(Entity, table=notes, keys={"primary": Key("KEPT#{id}")}):
    id: str
    text: str = ""


class Ignored(Entity, table=notes, unknown="ignore", keys={"primary": Key("IGNORED#{id}")}):
    id: str
    text: str = ""


class Refused(Entity, table=notes, unknown="refuse", keys={"primary": Key("REFUSED#{id}")}):
    id: str
    text: str = ""


class Strict(Entity, table=notes, strict_reads=True, keys={"primary": Key("STRICT#{id}")}):
    id: str
    size: int = Field(default=1, ge=1, le=5)


@get(Kept)
def kept(id: str) -> None:
    """One."""


@get(Ignored)
def ignored(id: str) -> None:
    """One."""


@get(Refused)
def refused(id: str) -> None:
    """One."""


@get(Strict)
def strict(id: str) -> None:
    """One."""
