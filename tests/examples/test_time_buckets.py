from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from examples.time_buckets import Reading, metering, months, readings, readings_of_month

from tablewright.client import Db
from tablewright.model import put


def at(year: int, month: int, day: int, hour: int = 0) -> datetime:
    return datetime(year, month, day, hour, tzinfo=UTC)


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    tablewright_db.create_tables(metering)
    return tablewright_db


def test_a_reading_is_in_the_bucket_of_its_month_in_utc() -> None:
    east = datetime(2026, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))
    assert Reading(sensor="s", at=east, celsius=Decimal(1)).month == "2025-12"


def test_buckets() -> None:
    assert list(months(at(2025, 11, 30), at(2026, 2, 1))) == [
        "2025-11",
        "2025-12",
        "2026-01",
        "2026-02",
    ]
    assert list(months(at(2026, 1, 31), at(2026, 3, 31))) == ["2026-01", "2026-02", "2026-03"]
    assert list(months(at(2026, 2, 1), at(2026, 1, 1))) == []


def test_a_range_over_several_buckets(db: Db) -> None:
    written = [
        db.run(
            put(Reading(sensor="s", at=at(2025, 12, 31) + timedelta(hours=n), celsius=Decimal(n)))
        )
        for n in range(48)
    ]
    since, until = at(2025, 12, 31, 20), at(2026, 1, 1, 4)
    assert list(readings(db, "s", since, until)) == written[20:28]
    assert list(db.run(readings_of_month("s", "2026-01"))) == written[24:]
