"""A model with every setting, key and kind of pattern that templates have to know."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Literal

from tablewright.client.feed import TableCheckpoints
from tablewright.model import (
    Check,
    Counter,
    Delete,
    Entity,
    Get,
    Index,
    Key,
    Model,
    Number,
    OnDemand,
    Projection,
    Provisioned,
    Put,
    Rate,
    Shard,
    Table,
    Ttl,
    Unique,
    Update,
    Version,
    attr,
    batch,
    check,
    count,
    delete,
    find,
    get,
    increment,
    param,
    put,
    query,
    scan,
    total,
    transaction,
    update,
    write,
)
from tablewright.model.demo import Demo

LATER = datetime(2026, 12, 31, tzinfo=UTC)

accounts = Table(
    "Accounts",
    pk="PK",
    sk="SK",
    indexes=[
        Index("GSI1", pk="GSI1PK", sk="GSI1SK", include=("status",)),
        Index("ByPlace", pk=("country", "city"), sk=("street", Number("number"))),
        Index("ByAge", sk=Number("age"), local=True, keys_only=True),
        Index("ByMail", pk="mail", billing=Provisioned(7, 3)),
    ],
    ttl="ends_at",
    billing=Provisioned(5, 4),
    stream="NEW_AND_OLD_IMAGES",
    pitr=7,
    tags={"Environment": "{env}", "cost centre": "a: b/c = 1"},
    table_class="STANDARD_INFREQUENT_ACCESS",
    deletion_protection=True,
)
events = Table(
    "events-2.log", pk="id", sk=Number("at"), discriminator=None, billing=OnDemand(100, 50)
)
kit = Table("Kit", pk="PK", sk="SK", ttl="expires_at", stream="KEYS_ONLY")
checkpoints = TableCheckpoints(kit)

Status = Literal["new", "old"]


class Account(
    Entity,
    table=accounts,
    keys={
        "primary": Key("ACC*${name}", "ACC"),
        "by_status": Key("STATUS#{status}", "{name}", on="GSI1", when={"status": "new"}),
        "by_place": Key(("{country}", "{city}"), ("{street}", "{number}"), on="ByPlace"),
        "by_age": Key("{age}", on="ByAge"),
        "by_mail": Key("{mail}", on="ByMail"),
    },
):
    name: str
    #: Where letters go.
    mail: Annotated[str, Unique("mail")]
    status: Status = "new"
    country: str = "NO"
    city: str = "Oslo"
    street: str = "Main"
    number: int = 1
    age: int = 30
    visits: int = 0
    version: Version = 0


class AccountName(Projection, of=Account):
    name: str
    status: Status


class AccountCard(Projection, of=Account):
    name: str
    age: int


class Token(
    Entity,
    table=accounts,
    keys={"primary": Key("{kind}#{token}", "TOKEN")},
):
    kind: Literal["LOGIN", "RESET"]
    token: str
    uses: int = 0
    ends_at: Ttl


class Views(
    Counter, table=accounts, keys={"primary": Key("VIEWS#{page}#{shard:02d}", "V")}, shards=3
):
    page: str
    shard: Shard = 0
    views: int = 0


class Event(Entity, table=events, keys={"primary": Key("{id}", "{at}")}):
    id: str
    at: int
    text: str = ""


class Note(Entity, table=kit, keys={"primary": Key("NOTE#{name}", "NOTE")}):
    name: str
    text: str = ""


# --- reads ---------------------------------------------------------------------------------------


@get(Account, consistent=True, component="web", rate=Rate(10, peak=40))
def account(name: str) -> None:
    """One account."""


@get(Account, into=AccountCard, component="cards")
def account_card(name: str) -> None:
    """Some of an account."""


@query(
    Account,
    key="by_status",
    into=AccountName,
    filter=attr(Account.status) == param("status_is"),
    component="cards",
)
def new_names(status: Status, *, status_is: Status | None = None) -> None:
    """The names of new accounts."""


@query(Account, key="by_status", hydrate=True, component="web", expect=12)
def new_accounts(status: Status) -> None:
    """New accounts, read whole."""


@query(Account, key="by_place", component="web")
def neighbours(country: str, city: str) -> None:
    """Who lives in a city."""


@query(Account, key="by_age", hydrate=True, component="web")
def by_age(name: str) -> None:
    """By the local index."""


@find(Account, key="by_mail", component="login")
def account_of(mail: str) -> None:
    """Whose address it is."""


@count(Account, key="by_status", component="counting")
def number_of_new(status: Status) -> None:
    """How many are new."""


@total(Views, component="counting")
def views(page: str) -> None:
    """How often a page was seen."""


@scan(Event, admin=True, component="admin")
def all_events() -> None:
    """Everything."""


@query(Event, component="audit")
def events_of(id: str) -> None:
    """Events of one thing."""


@batch(component="audit")
def some_events(keys: Sequence[tuple[str, int]]) -> list[Get[Event]]:
    """Many events at once."""
    return [_event(*key) for key in keys]


@get(Event)
def _event(id: str, at: int) -> None:
    """One event."""


@transaction(component="web")
def account_and_note(name: str) -> tuple[Get[Account], Get[Note]]:
    """Both, as of one moment."""
    return account(name), _note(name)


@get(Note)
def _note(name: str) -> None:
    """One note."""


# --- writes --------------------------------------------------------------------------------------


@write(component="login", rate=Rate(2))
def sign_up(account: Account) -> Put[Account]:
    """A new account."""
    return put(account).new()


@write(component="login")
def change_mail(name: str, mail: str) -> Update[Account]:
    """Another address."""
    return update(Account, name).do(attr(Account.mail).set(mail))


@write(component="web")
def visit(name: str) -> Update[Account]:
    """One visit more."""
    return update(Account, name).do(attr(Account.visits).add(1))


@write(component="login")
def close(name: str) -> Delete[Account]:
    """No account any more."""
    return delete(Account, name).existing()


@write(component="tokens")
def use_token(kind: Literal["LOGIN", "RESET"], token: str, ends_at: datetime) -> Update[Token]:
    """Count a use; the first one creates it."""
    used = update(Token, kind, token).do(attr(Token.uses).add(1), attr(Token.ends_at).set(ends_at))
    return used.when(attr(Token.uses).missing() | (attr(Token.uses) < 3)).upsert()


@write(component="counting")
def seen(page: str, lane: str) -> Update[Views]:
    """One view more."""
    return increment(Views, lane=lane, page=page, views=1)


@write(component="web")
def visit_once(name: str) -> Update[Account]:
    """One visit more, and surely only one."""
    return update(Account, name).do(attr(Account.visits).add(1)).exactly_once()


@transaction(component="writer", rate=Rate(5, peak=50))
def note(account: str, note: Note, event: Event) -> tuple[Check[Account], Put[Note], Put[Event]]:
    """A note about an account, and the event."""
    return check(Account, account), put(note), put(event).new()


@batch(component="writer")
def forget(events: Sequence[tuple[str, int]]) -> list[Delete[Event]]:
    """Forget some events."""
    return [delete(Event, *each) for each in events]


model = Model("corners", __name__)


def demo() -> Demo:
    ada = Account(name="ada", mail="ada@example.com")
    bob = Account(name="bob", mail="bob@example.com", city="Bergen")
    ended = Token(kind="LOGIN", token="t1", uses=3, ends_at=datetime(2026, 11, 20, tzinfo=UTC))
    calls = {
        "account": account("ada"),
        "account_card": account_card("ada"),
        "new_names": new_names("new", status_is="new"),
        "new_accounts": new_accounts("new"),
        "neighbours": neighbours("NO", "Oslo"),
        "by_age": by_age("ada"),
        "account_of": account_of("ada@example.com"),
        "number_of_new": number_of_new("new"),
        "views": views("home"),
        "all_events": all_events(),
        "events_of": events_of("e1"),
        "some_events": some_events([("e1", 1), ("e1", 2)]),
        "_event": _event("e1", 1),
        "account_and_note": account_and_note("ada"),
        "_note": _note("ada"),
        "sign_up": sign_up(Account(name="cy", mail="cy@example.com")),
        "change_mail": change_mail("ada", "ada@example.org"),
        "visit": visit("ada"),
        "close": close("bob"),
        "use_token": use_token("LOGIN", "t1", LATER),
        "seen": seen("home", "request-1"),
        "visit_once": visit_once("ada"),
        "note": note("ada", Note(name="ada", text="hello"), Event(id="e2", at=1)),
        "forget": forget([("e1", 1)]),
    }
    return Demo([ada, bob, ended, Event(id="e1", at=1), Note(name="ada")], calls)
