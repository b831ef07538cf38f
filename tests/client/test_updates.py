"""Updates: existence, versions, index keys, guards, upserts."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import Enum

import pytest
from tests.client import raw, world
from tests.client.world import Board, Doc, Hits, Person, Task, new_task

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import (
    Entity,
    Field,
    Index,
    Key,
    Table,
    attr,
    increment,
    put,
    query,
    update,
)
from tablewright.model.errors import (
    ConditionFailed,
    MissingFields,
    NotFound,
    RequestError,
    VersionConflict,
)
from tablewright.model.expressions.changes import Action


def ends(clock: ManualClock, seconds: float) -> datetime:
    return datetime.fromtimestamp(clock.now() + seconds, UTC)


def test_an_update_gives_the_entity_as_it_is_then(db: Db) -> None:
    db.run(put(Board(list_id="L", title="old")))
    changed = db.run(update(Board, "L").do(attr(Board.title).set("new")))
    assert changed == Board(list_id="L", title="new")


def test_what_is_not_there_is_not_made(db: Db) -> None:
    with pytest.raises(NotFound):
        db.run(update(Board, "L").do(attr(Board.title).set("new")))
    assert raw.items(db, world.app) == []


def test_what_has_ended_is_not_found(db: Db, clock: ManualClock) -> None:
    ended = db.run(put(new_task(1, ends=ends(clock, 10))))
    clock.advance(11)
    with pytest.raises(NotFound):
        db.run(update(ended).do(attr(Task.text).set("x")))
    with pytest.raises(NotFound):
        db.run(update(Task, "L", ended.made_at, ended.task_id).do(attr(Task.text).set("x")))


def test_a_condition_shows_the_stored_entity(db: Db) -> None:
    stored = db.run(put(Board(list_id="L", title="one")))
    with pytest.raises(ConditionFailed) as caught:
        db.run(update(Board, "L").do(attr(Board.title).set("x")).when(attr(Board.title) == "zero"))
    assert caught.value.item == stored


def test_versions(db: Db) -> None:
    first = db.run(put(Doc(doc_id="1")))
    second = db.run(update(first).do(attr(Doc.hits).add(1)))
    assert (second.version, second.hits) == (2, 1)
    with pytest.raises(VersionConflict) as caught:
        db.run(update(first).do(attr(Doc.hits).add(1)))
    assert caught.value.item == second
    # By key, the version is counted but not checked, unless one is named.
    third = db.run(update(Doc, "1").do(attr(Doc.hits).add(1)))
    assert (third.version, third.hits) == (3, 2)
    with pytest.raises(VersionConflict):
        db.run(update(Doc, "1").do(attr(Doc.hits).add(1)).at_version(2))
    assert db.run(update(Doc, "1").do(attr(Doc.hits).add(1)).at_version(3)).version == 4


def test_data_older_than_the_version(db: Db) -> None:
    old = {"PK": {"S": "DOC#1"}, "SK": {"S": "DOC"}, "doc_id": {"S": "1"}}
    raw.store(db, world.app, {**old, "entity_type": {"S": "Doc"}})
    found = db.run(world.doc("1"))
    assert found is not None
    assert db.run(update(found).do(attr(Doc.text).set("x"))).version == 1
    with pytest.raises(VersionConflict):
        db.run(update(found).do(attr(Doc.text).set("y")))


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (lambda: update(Doc, "1"), "changes nothing"),
        (lambda: update(Doc, "1").do(attr(Doc.doc_id).set("2")), "primary key"),
        (lambda: update(Doc, "1").do(attr(Doc.version).set(9)), "by itself"),
        (lambda: update(Doc, "1").do(attr(Board.title).set("x")), "not a field of Doc"),
        (lambda: update(Board, "1").at_version(1), "no Version"),
        (lambda: update(Doc, "1").given(nothing=1), "no field nothing"),
        (lambda: update(Doc), "lacks doc_id"),
        (lambda: update(Doc, "1", "2"), "2 values were given"),
    ],
)
def test_what_an_update_cannot_do(db: Db, change: object, text: str) -> None:
    with pytest.raises(RequestError, match=text):
        db.run(change())  # type: ignore[operator]


# --- index keys ----------------------------------------------------------------------------------


def test_an_update_in_hand_writes_index_keys_again(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    moved = db.run(update(stored).do(attr(Task.owner).set("bob")))
    assert list(db.run(world.open_tasks("ann"))) == []
    assert list(db.run(world.open_tasks("bob"))) == [moved]
    assert list(db.run(world.owned("bob"))) == [moved]
    assert raw.item(db, moved) == _fresh(moved)


def test_sparse_keys_come_and_go(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    done = db.run(update(stored).do(attr(Task.status).set("done")))
    assert list(db.run(world.open_tasks("ann"))) == []
    assert [line.status for line in db.run(world.status_lines("done"))] == ["done"]
    assert "GSI1PK" not in (raw.item(db, done) or {})
    again = db.run(update(done).do(attr(Task.status).set("doing")))
    assert list(db.run(world.open_tasks("ann"))) == [again]
    nobody = db.run(update(again).do(attr(Task.owner).remove()))
    assert list(db.run(world.open_tasks("ann"))) == []
    assert list(db.run(world.owned_lines("ann"))) == []
    assert raw.item(db, nobody) == _fresh(nobody)
    somebody = db.run(update(nobody).do(attr(Task.owner).set("eve"), attr(Task.priority).set(2)))
    assert [line.priority for line in db.run(world.owned_lines("eve"))] == [2]
    assert raw.item(db, somebody) == _fresh(somebody)


def test_an_update_by_key_names_what_it_lacks(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    by_key = update(Task, stored.list_id, stored.made_at, stored.task_id)
    with pytest.raises(MissingFields, match=r"'open'.*owner.*given") as caught:
        db.run(by_key.do(attr(Task.status).set("done")))
    assert caught.value.fields == ("owner",)


def test_given_is_a_guard(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    change = update(Task, stored.list_id, stored.made_at, stored.task_id).do(
        attr(Task.status).set("doing")
    )
    with pytest.raises(ConditionFailed) as caught:
        db.run(change.given(owner="bob"))
    assert caught.value.item == stored
    changed = db.run(change.given(owner="ann"))
    assert raw.item(db, changed) == _fresh(changed)


def test_an_entity_in_hand_that_is_out_of_date_is_refused(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    db.run(update(stored).do(attr(Task.owner).set("bob")))
    with pytest.raises(ConditionFailed):
        db.run(update(stored).do(attr(Task.status).set("done")))


def test_a_change_in_python_is_not_taken_for_stored(db: Db) -> None:
    task = db.run(put(new_task(1, owner="ann")))
    task.owner = "bob"
    with pytest.raises(ConditionFailed):
        db.run(update(task).do(attr(Task.priority).set(4)))


def test_fields_with_defaults_may_be_missing_in_stored_items(db: Db) -> None:
    """A field that was added to the model after the item was stored."""
    stored = db.run(put(new_task(1, owner="ann")))
    item = raw.item(db, stored)
    assert item is not None
    del item["status"]
    raw.store(db, world.app, item)
    found = db.run(world.task("L", stored.made_at, stored.task_id))
    assert found is not None
    changed = db.run(update(found).do(attr(Task.owner).set("bob")))
    assert list(db.run(world.open_tasks("bob"))) == [changed]


offers = Table("Offers", pk="PK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class Colour(Enum):
    RED = "red"


class Offer(
    Entity,
    table=offers,
    keys={
        "primary": Key("OFFER#{id}"),
        "by_place": Key("PLACE#{place}", "{shelf}#{colour}", on="GSI1"),
    },
):
    id: str
    place: str = "x"
    shelf: str | None = "top"
    colour: Colour = Field(default="red")


@query(Offer, key="by_place")
def offers_at(place: str) -> None:
    """What there is at a place."""


def test_absence_is_not_the_default_of_what_may_be_none(db: Db) -> None:
    db.create_tables(offers)
    stale = db.run(put(Offer(id="1")))
    db.run(update(Offer, "1").do(attr(Offer.shelf).set(None)).given(place="x", colour=Colour.RED))
    with pytest.raises(ConditionFailed):
        db.run(update(stale).do(attr(Offer.place).set("y")))
    assert list(db.run(offers_at("y"))) == []


def test_absence_is_the_default_as_entities_have_it(db: Db) -> None:
    db.create_tables(offers)
    stored = db.run(put(Offer(id="1")))
    item = raw.item(db, stored)
    assert item is not None
    del item["colour"]
    raw.store(db, offers, item)
    changed = db.run(update(stored).do(attr(Offer.place).set("y")))
    assert list(db.run(offers_at("y"))) == [changed]


def test_a_key_field_has_to_be_set_to_a_known_value(db: Db) -> None:
    stored = db.run(put(new_task(1, owner="ann")))
    with pytest.raises(RequestError, match="priority is part of key"):
        db.run(update(stored).do(attr(Task.priority).add(1)))
    with pytest.raises(RequestError, match="status is part of key"):
        db.run(update(stored).do(attr(Task.status).set_if_missing("new")))


# --- upserts -------------------------------------------------------------------------------------


def test_an_upsert_makes_a_whole_entity(db: Db) -> None:
    made = db.run(update(Board, "L").do(attr(Board.title).set("new")).upsert())
    assert made == Board(list_id="L", title="new")
    assert raw.item(db, made) == _fresh(made)
    again = db.run(update(Board, "L").do(attr(Board.title).set("newer")).upsert())
    assert again.title == "newer"


def test_an_upsert_counts_versions(db: Db) -> None:
    change = update(Doc, "1").do(attr(Doc.hits).add(2)).upsert()
    assert db.run(change) == Doc(doc_id="1", hits=2, version=1)
    assert db.run(change) == Doc(doc_id="1", hits=4, version=2)


def test_an_upsert_needs_what_every_entity_has(db: Db) -> None:
    with pytest.raises(RequestError, match="without email"):
        db.run(update(Person, "1").do(attr(Person.score).add(1)).upsert())


def test_an_upsert_does_not_forget_index_keys_of_defaults(db: Db) -> None:
    """What it makes would be in index GSI2 by its default status."""
    change = update(Task, "L", world.NOON, "1").do(attr(Task.text).set("x")).upsert()
    with pytest.raises(MissingFields, match=r"'by_status'.*status") as caught:
        db.run(change)
    assert "status" in caught.value.fields
    whole = change.do(
        attr(Task.status).set("new"), attr(Task.owner).set("ann"), attr(Task.priority).set(1)
    )
    made = db.run(whole)
    assert raw.item(db, made) == {**_fresh(made)}
    assert list(db.run(world.open_tasks("ann"))) == [made]


drafts = Table("Drafts", pk="PK", indexes=[Index("GSI1", pk="GSI1PK")])


class Draft(
    Entity,
    table=drafts,
    keys={"primary": Key("DRAFT#{id}"), "by_slug": Key("SLUG#{slug}", on="GSI1")},
):
    id: str
    title: str = "New"
    parts: list[str] = Field(default_factory=list)
    slug: str = Field(default_factory=lambda values: values["title"].lower())
    hits: int = 0


@pytest.mark.parametrize(
    "change",
    [attr(Draft.hits).add(1), attr(Draft.title).set("A"), attr(Draft.title).set_if_missing("A")],
    ids=str,
)
def test_an_upsert_names_fields_that_follow_from_others(change: Action) -> None:
    with pytest.raises(MissingFields, match=r"'by_slug'.*slug") as caught:
        update(Draft, "1").do(change).upsert().explain()
    assert caught.value.fields == ("slug",)


def test_an_upsert_does_not_continue_what_has_ended(db: Db, clock: ManualClock) -> None:
    def count(amount: int) -> Hits:
        end = ends(clock, 60)
        return db.run(
            increment(Hits, lane="a", page="home", hits=amount).do(attr(Hits.ends).set(end))
        )

    assert count(5).hits == 5
    assert count(5).hits == 10
    clock.advance(61)
    assert db.run(world.hits("home")).hits == 0
    assert count(1).hits == 1
    assert db.run(world.hits("home")).hits == 1


def _fresh(entity: object) -> raw.Item:
    """The item as a put would write it."""
    from tablewright.model import definition

    return definition(entity).encode(entity)  # type: ignore[arg-type, type-var]
