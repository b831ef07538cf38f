from __future__ import annotations

from datetime import UTC, datetime

import pytest
from examples.ordered_numbers import (
    Player,
    Repair,
    arcade,
    leaders,
    players_above,
    repairs,
    scored,
)

from tablewright.client import Db
from tablewright.model import put
from tablewright.model.errors import ConditionFailed, KeyValueError


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(arcade)
    return tablewright_db


def test_numbers_sort_as_numbers(db: Db) -> None:
    for score in (9, 10, 100, 99):
        db.run(put(Player(game="g", player=str(score), score=score)))
    assert [each.score for each in db.run(leaders("g"))] == [100, 99, 10, 9]
    assert [each.score for each in db.run(players_above("g", 99))] == [99, 100]


def test_a_better_score_moves_the_player(db: Db) -> None:
    for player, score in (("a", 5), ("b", 6)):
        db.run(put(Player(game="g", player=player, score=score)))
    first, last = db.run(leaders("g"))
    db.run(scored(last, 7))
    assert [each.player for each in db.run(leaders("g"))] == ["a", "b"]
    with pytest.raises(ConditionFailed):
        db.run(scored(first, 6))


def test_what_does_not_fit_is_refused(db: Db) -> None:
    with pytest.raises(KeyValueError):
        db.run(put(Player(game="g", player="p", score=100_000_000)))


def test_two_directions_in_one_key(db: Db) -> None:
    for hour, urgency in ((1, 0), (2, 9), (3, 5), (4, 9)):
        reported_at = datetime(2026, 1, 1, hour, tzinfo=UTC)
        db.run(put(Repair(machine="m", reported_at=reported_at, urgency=urgency)))
    found = [(each.urgency, each.reported_at.hour) for each in db.run(repairs())]
    assert found == [(9, 2), (9, 4), (5, 3), (0, 1)]
