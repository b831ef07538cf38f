from __future__ import annotations

import pytest
from examples.adjacency_list import (
    Band,
    Career,
    Lineup,
    Membership,
    Musician,
    career,
    leave,
    lineup,
    music,
)

from tablewright.client import Db
from tablewright.model import Entity, put
from tablewright.model.errors import Incomplete, NotFound

BAND = Band(band="Cream", founded=1966)
PLAYER = Musician(musician="Ginger Baker", born=1939)
DRUMS = Membership(band="Cream", musician="Ginger Baker", plays="drums")
BASS = Membership(band="Cream", musician="Jack Bruce", plays="bass")
LATER = Membership(band="Blind Faith", musician="Ginger Baker", plays="drums")


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(music)
    graph: list[Entity] = [BAND, PLAYER, DRUMS, BASS, LATER]
    db.batch(put(each) for each in graph)
    return db


def test_both_sides(db: Db) -> None:
    assert db.run(lineup("Cream")) == Lineup(BAND, (DRUMS, BASS))
    assert db.run(career("Ginger Baker")) == Career(PLAYER, (LATER, DRUMS))


def test_leaving_takes_the_edge_from_both_sides(db: Db) -> None:
    assert db.run(leave("Cream", "Ginger Baker")) == DRUMS
    assert db.run(lineup("Cream")).members == (BASS,)
    assert db.run(career("Ginger Baker")).bands == (LATER,)
    with pytest.raises(NotFound):
        db.run(leave("Cream", "Ginger Baker"))


def test_an_edge_is_not_a_node(db: Db) -> None:
    with pytest.raises(Incomplete):
        db.run(career("Jack Bruce"))
