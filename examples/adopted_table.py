"""An existing table, adopted: keys and attributes stay as another program has written them.

``raw=True`` takes values into a key as they are, neither escaped nor padded. Attribute names differ
from field names by rule (``naming``) or one by one (``Attribute``). There is no discriminator: an
item's key says what it is. Attributes that nobody has declared are kept when an entity is stored
again.
"""

from typing import Annotated, Any

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Attribute,
    Entity,
    EpochMillis,
    Index,
    Key,
    Table,
    attr,
    find,
    get,
    put,
    query,
    update,
)

legacy = Table(
    "prod-users",
    pk="pk",
    sk="sk",
    indexes=[Index("gsi1", pk="gsi1pk", sk="gsi1sk")],
    discriminator=None,
    delimiter="|",
)


def camel(name: str) -> str:
    """``first_name`` is stored as ``firstName``."""
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


class User(
    Entity,
    table=legacy,
    naming=camel,
    keys={
        "primary": Key("user|{user_id}", "profile", raw=True),
        "by_mail": Key("mail|{mail}", "user|{user_id}", on="gsi1", raw=True),
    },
    strict_reads=True,
):
    user_id: int
    first_name: str
    mail: Annotated[str, Attribute("eMail")]
    created_at: EpochMillis


class Login(
    Entity,
    table=legacy,
    naming=camel,
    keys={"primary": Key("user|{user_id}", "login|{at}", raw=True)},
):
    user_id: int
    at: EpochMillis
    from_address: str


@get(User)
def user(user_id: int) -> None:
    """One user."""


@find(User, key="by_mail")
def user_with_mail(mail: str) -> None:
    """Who has an address, if anybody has."""


@query(Login, descending=True)
def logins(user_id: int) -> None:
    """When a user was here, the last time first."""


#: As the other program writes them.
WRITTEN_BEFORE: list[dict[str, Any]] = [
    {
        "pk": {"S": "user|42"},
        "sk": {"S": "profile"},
        "gsi1pk": {"S": "mail|ada#lovelace@example.com"},
        "gsi1sk": {"S": "user|42"},
        "userId": {"N": "42"},
        "firstName": {"S": "Ada"},
        "eMail": {"S": "ada#lovelace@example.com"},
        "createdAt": {"N": "1700000000000"},
        "newsletter": {"BOOL": True},
    },
    {
        "pk": {"S": "user|42"},
        "sk": {"S": "login|1700000000123"},
        "userId": {"N": "42"},
        "at": {"N": "1700000000123"},
        "fromAddress": {"S": "192.0.2.7"},
    },
]


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(legacy)
        for item in WRITTEN_BEFORE:
            engine.call("PutItem", {"TableName": "prod-users", "Item": item})

        ada = db.require(user_with_mail("ada#lovelace@example.com"))
        print(f"{ada.first_name}, since {ada.created_at:%Y-%m-%d}")
        print("last login:", db.run(logins(42))[0].at.isoformat())
        ada.first_name = "Augusta Ada"
        db.run(put(ada).replace())
        db.run(update(ada).do(attr(User.mail).set("ada@example.com")))

        key = {"pk": {"S": "user|42"}, "sk": {"S": "profile"}}
        item = engine.call("GetItem", {"TableName": "prod-users", "Key": key})["Item"]
        print("the index key moved:", item["gsi1pk"]["S"])
        print("what we do not know is kept:", item["newsletter"])


if __name__ == "__main__":
    main()
