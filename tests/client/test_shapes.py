"""Tables of other shapes, and data that the model did not make."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from tests.client import raw, shapes
from tests.client.shapes import Account, Entry, Event, Ignored, Kept, Match, Strict, User

from tablewright.client import Db
from tablewright.model import Table, attr, delete, put, update
from tablewright.model.errors import DataError, UniqueViolation, UnknownEntity
from tablewright.testing import Backend


def opened(backend: Backend, *tables: Table) -> Db:
    db = backend.db()
    db.create_tables(*tables)
    return db


def at(hour: int) -> datetime:
    return datetime(2026, 1, 1, hour, tzinfo=UTC)


def test_numbers_and_bytes(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.numbers)
    made = [Event(id=Decimal("1.5"), digest=bytes([n]), kind="x", at=at(n)) for n in range(4)]
    db.batch([put(each) for each in made])
    assert db.run(shapes.event(Decimal("1.50"), b"\x02")) == made[2]
    assert db.batch([shapes.event(Decimal("1.50"), b"\x02")]) == (made[2],)
    assert list(db.run(shapes.events(Decimal("1.5"), least=b"\x01", most=b"\x02"))) == made[1:3]
    assert list(db.run(shapes.events_since("x", since=at(1)))) == [made[3], made[2]]
    page = db.run(shapes.events_since("x"), limit=3)
    assert list(db.run(shapes.events_since("x"), limit=3, cursor=page.cursor)) == [made[0]]
    gone = db.run(update(made[3]).do(attr(Event.at).remove()))
    assert gone.at is None
    assert list(db.run(shapes.events_since("x", since=at(1)))) == [made[2]]
    back = db.run(update(gone).do(attr(Event.at).set(at(5)), attr(Event.kind).set("y")))
    assert list(db.run(shapes.events_since("y"))) == [back]


def test_plain_keys(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.users)
    stored = db.run(put(User(user_id="a#b", user_email="x")))
    assert raw.item(db, stored) == {"userId": {"S": "a#b"}, "userEmail": {"S": "x"}}
    assert db.run(shapes.user("a#b")) == stored
    changed = db.run(update(User, "a#b").do(attr(User.team_id).set("t")))
    assert changed.team_id == "t"
    assert db.run(delete(User, "a#b")) == changed


def test_locks_are_no_entities(tablewright_backend: Backend) -> None:
    """Without a discriminator, and with a key that any text fits."""
    db = opened(tablewright_backend, shapes.users)
    made = [db.run(put(User(user_id=str(n), user_email=f"{n}@x"))) for n in range(3)]
    assert len(raw.items(db, shapes.users)) == 6
    assert sorted(db.iterate(shapes.all_users()), key=lambda each: each.user_id) == made
    with pytest.raises(UniqueViolation) as caught:
        db.run(put(User(user_id="9", user_email="1@x")))
    assert caught.value.owner == {"user_id": "1"}


def test_raw_keys_of_others(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.adopted)
    raw.store(
        db,
        shapes.adopted,
        {
            "pk": {"S": "account|7"},
            "sk": {"S": "account"},
            "number": {"N": "7"},
            "name": {"S": "old"},
        },
    )
    assert db.run(shapes.account(7)) == Account(number=7, name="old")
    made = [Entry(number=7, day="2026-01-01", id=str(n), amount=Decimal(n)) for n in range(3)]
    other = Entry(number=7, day="2026-01-02", id="1")
    db.batch([put(each) for each in (*made, other)])
    assert list(db.run(shapes.entries(7, "2026-01-01"))) == made
    assert len(list(db.iterate(shapes.all_entries()))) == 4
    assert len(list(db.iterate(shapes.all_accounts()))) == 1
    stored = raw.item(db, other)
    assert stored is not None
    assert (stored["pk"], stored["sk"]) == ({"S": "account|7"}, {"S": "entry|2026-01-02|1"})


def test_several_attributes(tablewright_backend: Backend) -> None:
    if tablewright_backend.name == "local":
        pytest.skip("this DynamoDB Local is older than indexes of several attributes")
    db = opened(tablewright_backend, shapes.matches)
    made = [
        Match(match_id=f"{b}{n}", year=2026, region="eu", round="r1", bracket=b, seed=n)
        for b in "ab"
        for n in range(3)
    ]
    db.batch([put(each) for each in made])
    assert list(db.run(shapes.round_of(2026, "eu", "r1"))) == made
    assert list(db.run(shapes.seeded(2026, "eu", "r1", "b", least=1))) == made[4:]
    page = db.run(shapes.round_of(2026, "eu", "r1"), limit=4)
    assert list(db.run(shapes.round_of(2026, "eu", "r1"), cursor=page.cursor)) == made[4:]
    db.run(update(made[0]).do(attr(Match.bracket).remove()))
    assert list(db.run(shapes.round_of(2026, "eu", "r1"))) == made[1:]
    back = db.run(update(made[1]).do(attr(Match.round).set("r2")))
    assert list(db.run(shapes.round_of(2026, "eu", "r2"))) == [back]


# --- what is not declared ------------------------------------------------------------------------


def foreign(kind: str, **attributes: dict[str, str]) -> raw.Item:
    return {
        "PK": {"S": f"{kind.upper()}#1"},
        "entity_type": {"S": kind},
        "id": {"S": "1"},
        **attributes,
    }


def test_unknown_attributes_are_kept(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.notes)
    # "ends" is the table's time to live, but none of this entity.
    raw.store(db, shapes.notes, foreign("Kept", extra={"S": "x"}, ends={"N": "99999999999"}))
    found = db.run(shapes.kept("1"))
    assert found is not None
    changed = db.run(put(found.model_copy(update={"text": "new"})))
    again = db.run(put(changed))
    item = raw.item(db, again)
    assert item is not None
    assert (item["extra"], item["text"]) == ({"S": "x"}, {"S": "new"})
    assert item["ends"] == {"N": "99999999999"}
    other = db.run(put(found.model_copy(update={"id": "2"})))
    assert "extra" not in (raw.item(db, other) or {})


def test_unknown_attributes_are_dropped_by_a_put(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.notes)
    raw.store(db, shapes.notes, foreign("Ignored", extra={"S": "x"}))
    found = db.run(shapes.ignored("1"))
    assert found is not None
    db.run(update(found).do(attr(Ignored.text).set("new")))
    assert "extra" in (raw.item(db, found) or {})
    db.run(put(found))
    assert "extra" not in (raw.item(db, found) or {})


def test_unknown_attributes_are_an_error(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.notes)
    raw.store(db, shapes.notes, foreign("Refused", extra={"S": "x"}))
    with pytest.raises(DataError, match="extra"):
        db.run(shapes.refused("1"))


def test_strict_reads(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.notes)
    raw.store(db, shapes.notes, foreign("Strict", size={"N": "3"}))
    assert db.run(shapes.strict("1")) == Strict(id="1", size=3)
    raw.store(db, shapes.notes, foreign("Strict", size={"N": "9"}))
    with pytest.raises(DataError, match="size"):
        db.run(shapes.strict("1"))


def test_what_does_not_fit_is_named(tablewright_backend: Backend) -> None:
    db = opened(tablewright_backend, shapes.notes)
    raw.store(db, shapes.notes, foreign("Kept", text={"N": "3"}))
    with pytest.raises(DataError, match=r"Kept.*text"):
        db.run(shapes.kept("1"))
    raw.store(db, shapes.notes, foreign("Ignored") | {"PK": {"S": "KEPT#1"}})
    with pytest.raises(UnknownEntity, match="Ignored"):
        db.run(shapes.kept("1"))


def test_names_are_physical_everywhere(tablewright_backend: Backend) -> None:
    """By a mapping: gets, queries, batches, transactions, set-up."""
    prefix = tablewright_backend.prefix
    names = {"Notes": f"{prefix}prod-notes", "Users": f"{prefix}prod-users"}
    db = tablewright_backend.db(names=names)
    assert db.create_tables(shapes.notes, shapes.users) == ["Notes", "Users"]
    db.batch([put(Kept(id="1"))])
    assert db.batch([shapes.kept("1")]) == (Kept(id="1"),)
    db.transact(put(Kept(id="2")), put(User(user_id="u", user_email="e")))
    assert db.transact(shapes.kept("2"), shapes.user("u")) == (
        Kept(id="2"),
        User(user_id="u", user_email="e"),
    )
    db.run(update(User, "u").do(attr(User.user_email).set("f")))
    assert [each.user_email for each in db.iterate(shapes.all_users())] == ["f"]
    db.run(delete(User, "u"))
    assert db.run(shapes.user("u")) is None
    # A shared endpoint has more tables than a page lists: only those of this test are looked for.
    page = {"ExclusiveStartTableName": prefix} if prefix else {}
    listed = raw.call(db, "ListTables", page)["TableNames"]
    assert [each for each in listed if each.startswith(prefix)] == sorted(names.values())
