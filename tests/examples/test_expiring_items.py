from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from examples.expiring_items import Code, code_of, codes, redeem, send

from tablewright.client import Db
from tablewright.clock import ManualClock
from tablewright.model.errors import AlreadyExists, ConditionFailed, NotFound


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(codes)
    return tablewright_db


@pytest.fixture
def code(db: Db, tablewright_clock: ManualClock) -> Code:
    now = datetime.fromtimestamp(tablewright_clock.now(), UTC)
    return db.run(send(Code(phone="1", digits="1234", expires_at=now + timedelta(minutes=10))))


def test_a_good_code(db: Db, code: Code) -> None:
    assert db.run(code_of("1")) == code
    with pytest.raises(AlreadyExists):
        db.run(send(code))
    with pytest.raises(ConditionFailed):
        db.run(redeem("1", "9999"))
    assert db.run(redeem("1", "1234")) == code
    with pytest.raises(NotFound):
        db.run(redeem("1", "1234"))


def test_an_ended_code(db: Db, code: Code, tablewright_clock: ManualClock) -> None:
    tablewright_clock.advance(601)
    assert db.run(code_of("1")) is None
    with pytest.raises(NotFound):
        db.run(redeem("1", "1234"))
    later = code.model_copy(update={"expires_at": code.expires_at + timedelta(minutes=10)})
    assert db.run(send(later)) == later
