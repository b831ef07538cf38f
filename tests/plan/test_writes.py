"""What a write costs the table and each index, worked out by hand."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from tablewright.model import (
    Entity,
    Index,
    Key,
    Model,
    Op,
    Table,
    Transaction,
    attr,
    check,
    delete,
    put,
    update,
)
from tablewright.plan.calls import load, units_of
from tablewright.plan.contents import Contents

table = Table(
    "Notes",
    pk="PK",
    sk="SK",
    indexes=[
        Index("All", pk="APK", sk="ASK"),
        Index("Some", pk="SPK", sk="SSK", include=("title",)),
        Index("Keys", pk="KPK", sk="KSK", keys_only=True),
    ],
)


class Note(
    Entity,
    table=table,
    keys={
        "primary": Key("NOTE#{note_id}", "NOTE"),
        "all": Key("BY#{author}", "{note_id}", on="All"),
        "some": Key("STATE#{state}", "{note_id}", on="Some"),
        "keys": Key("OPEN", "{note_id}", on="Keys", when={"state": "open"}),
    },
):
    note_id: str
    author: str = "ada"
    state: Literal["open", "done"] = "open"
    title: str = "t"
    text: str = ""
    count: int = 0


model = Model("notes", __name__)
BIG = Note(note_id="n", text="x" * 2500)


def used(op: Op[Any], *items: Note) -> dict[str, float]:
    found = units_of(op, load(model, items))
    assert not found.refused
    return {str(place): units for place, units in found.units.write.items()}


def test_a_new_item_goes_into_every_index_by_what_the_index_holds() -> None:
    # The item has between 2 and 3 KB; the indexes of some and of keys hold next to nothing.
    assert used(put(BIG)) == {"Notes": 3, "Notes/All": 3, "Notes/Some": 1, "Notes/Keys": 1}


def test_the_larger_of_old_and_new_counts() -> None:
    small = BIG.model_copy(update={"text": ""})
    assert used(put(small), BIG) == {"Notes": 3, "Notes/All": 3}
    assert used(put(BIG), small) == {"Notes": 3, "Notes/All": 3}


def test_what_an_index_does_not_hold_costs_it_nothing() -> None:
    changed = update(Note, "n").do(attr(Note.count).add(1))
    assert used(changed, BIG) == {"Notes": 3, "Notes/All": 3}


def test_a_projected_attribute_is_one_write() -> None:
    changed = update(Note, "n").do(attr(Note.title).set("other"))
    assert used(changed, BIG) == {"Notes": 3, "Notes/All": 3, "Notes/Some": 1}


def test_a_changed_key_is_a_delete_and_a_put_and_a_sparse_entry_leaves() -> None:
    done = update(BIG).do(attr(Note.state).set("done"))
    assert used(done, BIG) == {"Notes": 3, "Notes/All": 3, "Notes/Some": 2, "Notes/Keys": 1}


def test_a_sparse_entry_enters() -> None:
    closed = BIG.model_copy(update={"state": "done"})
    opened = update(closed).do(attr(Note.state).set("open"))
    assert used(opened, closed)["Notes/Keys"] == 1


def test_the_same_again_costs_the_table_alone() -> None:
    assert used(put(BIG), BIG) == {"Notes": 3}


def test_a_transaction_costs_twice_in_the_table_and_not_in_indexes() -> None:
    other = BIG.model_copy(update={"note_id": "m"})
    both = Transaction((put(other), check(Note, "n")))
    assert used(both, BIG) == {
        "Notes": 2 * 3 + 2 * 3,
        "Notes/All": 3,
        "Notes/Some": 1,
        "Notes/Keys": 1,
    }


def test_deleting_what_is_not_there_costs_one_unit() -> None:
    assert used(delete(Note, "nobody")) == {"Notes": 1}
    assert used(delete(Note, "n"), BIG) == {
        "Notes": 3,
        "Notes/All": 3,
        "Notes/Some": 1,
        "Notes/Keys": 1,
    }


@pytest.mark.parametrize(("items", "units"), [((), 1), ((BIG,), 3)])
def test_a_refused_write_is_paid_for_by_the_item_that_is_there(
    items: tuple[Note, ...], units: int
) -> None:
    op = put(BIG).new() if items else update(Note, "n").do(attr(Note.count).add(1))
    found = units_of(op, load(model, items))
    assert found.refused
    assert {str(place): used for place, used in found.units.write.items()} == {"Notes": units}


def test_planning_changes_nothing() -> None:
    stored = load(model, [BIG])
    after = units_of(delete(Note, "n"), stored).after
    assert isinstance(stored, Contents)
    assert len(list(stored.items("Notes"))) == 1
    assert len(list(after.items("Notes"))) == 0


def test_reads_of_an_index_count_what_it_holds() -> None:
    from tablewright.model.ops import Query, Selection

    items = [Note(note_id=f"{n:03}", text="x" * 5000) for n in range(20)]
    known = Note.__tablewright__
    for key, units in (("all", 13.0), ("some", 0.5)):
        # 20 items of 5 KB and a bit are 26 blocks; 20 entries of a few bytes are one.
        bound = known.keys[key]
        values = {"author": "ada", "state": "open"}
        selection = Selection(table, bound.index, bound.condition(values), readers=(known,))
        found = units_of(Query(selection), load(model, items))
        assert found.units.reads == units
        assert found.rows == 20
