from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from examples.session_store import (
    LIFETIME,
    SessionToken,
    end,
    end_all,
    model,
    session,
    sessions_of_user,
    start,
)
from tests.examples.coverage import never_called

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model import put
from tablewright.model.errors import AlreadyExists


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(model)
    return tablewright_db


@pytest.fixture
def now(tablewright_clock: ManualClock) -> datetime:
    return datetime.fromtimestamp(tablewright_clock.now(), UTC)


def test_every_pattern_is_run() -> None:
    assert never_called(model, __file__) == []


def test_a_session(db: Db, now: datetime) -> None:
    started = db.run(start("ada", now))
    assert db.run(session(started.token)) == started
    with pytest.raises(AlreadyExists):
        db.run(put(started).new())
    db.run(end(started.token))
    assert db.run(session(started.token)) is None
    assert db.run(end(started.token)) is None


def test_a_session_ends(db: Db, now: datetime, tablewright_clock: ManualClock) -> None:
    started = db.run(start("ada", now))
    tablewright_clock.advance(LIFETIME.total_seconds())
    assert db.run(session(started.token)) is None
    assert list(db.run(sessions_of_user("ada"))) == []


def test_signing_out_everywhere(db: Db, now: datetime) -> None:
    started = [db.run(start("ada", now - timedelta(minutes=n))) for n in range(30)]
    other = db.run(start("bo", now))
    found = list(db.iterate(sessions_of_user("ada")))
    assert found == [SessionToken(token=s.token, created_at=s.created_at) for s in started]
    db.run(end_all([each.token for each in found]))
    assert list(db.run(sessions_of_user("ada"))) == []
    assert db.run(session(other.token)) == other
