"""A session store: who is signed in, until when, and how to sign somebody out everywhere.

One table with a simple key, a time to live, and an index of sessions by user. The index holds no
more than it takes to end a session, and to tell one that has expired.

Access patterns:

==================  ==================================================================
sign in             ``start``: a new session; a token can never replace another one
every request       ``session``: by token, unless it has ended
sign out            ``end``
sessions expire     by themselves, and are not given out after that
new password        ``sessions_of_user``, then ``end_all``: sign out on every device
==================  ==================================================================
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from uuid import uuid4

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Delete,
    Entity,
    Field,
    Index,
    IsoSeconds,
    Key,
    Model,
    Projection,
    Put,
    Rate,
    Table,
    Ttl,
    Uuid,
    batch,
    delete,
    get,
    put,
    query,
    write,
)

LIFETIME = timedelta(days=7)

table = Table(
    "Sessions",
    pk="token",
    indexes=[Index("ByUser", pk="user_name", sk="created_at", include=("expires_at",))],
    discriminator=None,
    ttl="expires_at",
)


def _token() -> str:
    return str(uuid4())


class Session(
    Entity,
    table=table,
    keys={
        "primary": Key("{token}"),
        "by_user": Key("{user_name}", "{created_at}", on="ByUser"),
    },
):
    token: Uuid = Field(default_factory=_token)
    user_name: str
    created_at: IsoSeconds
    expires_at: Ttl


class SessionToken(Projection, of=Session):
    """What the index knows of a session."""

    token: Uuid
    created_at: IsoSeconds


@write(rate=Rate(50, peak=400))
def start(user_name: str, now: datetime) -> Put[Session]:
    """Sign a user in for a week."""
    session = Session(user_name=user_name, created_at=now, expires_at=now + LIFETIME)
    return put(session).new()


@get(Session, rate=Rate(2000, peak=9000))
def session(token: Uuid) -> None:
    """The session of a request, unless it has ended."""


@write(rate=Rate(10))
def end(token: Uuid) -> Delete[Session]:
    """Sign out."""
    return delete(Session, token)


@query(Session, key="by_user", into=SessionToken, descending=True, rate=Rate(1), expect=3)
def sessions_of_user(user_name: str) -> None:
    """Where a user is signed in, the latest first."""


@batch(rate=Rate(1), expect=3)
def end_all(tokens: Iterable[Uuid]) -> list[Delete[Session]]:
    """Sign out on all devices at once."""
    return [delete(Session, token) for token in tokens]


model = Model("session-store", __name__)


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(model)
        now = datetime.now(UTC)
        phone = db.run(start("ada", now - timedelta(hours=1)))
        laptop = db.run(start("ada", now))
        db.run(start("ada", now - timedelta(days=8)))

        print("who is it?", db.require(session(phone.token)).user_name)
        db.run(end(phone.token))
        print("signed out on the phone:", db.run(session(phone.token)) is None)

        left = db.run(sessions_of_user("ada"))
        print("left is the laptop:", [each.token for each in left] == [laptop.token])
        db.run(end_all([each.token for each in left]))
        print("signed out everywhere:", db.run(session(laptop.token)) is None)


if __name__ == "__main__":
    main()
