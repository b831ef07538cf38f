"""The audit log: written with what it tells of, listed newest first."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from tests.service.kit.support import in_kit

from tablewright.client import AsyncDb
from tablewright.clock import ManualClock
from tablewright.model import check, together
from tablewright.model.errors import CursorError, RequestError, TransactionCancelled
from tablewright.service.auth.principal import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AUDIT_SHARDS, Lease
from tablewright.testing import Backend

NOW = datetime(2027, 1, 2, 9, 30, tzinfo=UTC)
ADA = Principal(id="user:ada", name="Ada Lovelace", kind="user")
BO = Principal(id="key:bo", name="nightly", kind="key")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW.timestamp())


def test_who_did_what(tablewright_backend: Backend, clock: ManualClock) -> None:
    detail = {
        "quotas": {"premium": 100},
        "ordering": ["a", "b"],
        "rate": Decimal("1.5"),
        "no": None,
    }
    made = audit.record(ADA, "org.update", "org/1", at=clock.now(), detail=detail)

    async def work(db: AsyncDb) -> None:
        await db.run(together(check(Lease, "nobody").absent(), made))
        with pytest.raises(TransactionCancelled):
            await db.run(together(check(Lease, "nobody"), audit.record(BO, "x", "y", at=NOW)))
        (entry,) = await audit.entries(db, until=NOW + timedelta(seconds=1))
        assert (entry.actor, entry.actor_kind) == ("user:ada", "user")
        assert (entry.action, entry.subject, entry.at) == ("org.update", "org/1", NOW)
        assert entry.detail == {
            "quotas": {"premium": 100},
            "ordering": ["a", "b"],
            "rate": "1.5",
            "no": None,
        }
        assert "Lovelace" not in repr(entry)

    in_kit(tablewright_backend, work, clock=clock)


def test_secrets_do_not_get_into_the_log() -> None:
    entry = audit.record(
        ADA,
        "credentials.rotate",
        "org/1",
        at=NOW,
        detail={
            "client_secret": "s3cret",
            "nested": [{"Access_Token": "s3cret", "input_tokens": 12}],
            "emails": ["s3cret@example.org"],
            "note": "x" * 5000,
        },
    ).entity
    assert "s3cret" not in repr(entry.detail)
    assert entry.detail["nested"] == [{"Access_Token": "[redacted]", "input_tokens": 12}]
    assert len(str(entry.detail["note"])) == 500


def test_a_log_holds_no_documents() -> None:
    deep: dict[str, object] = {}
    for _ in range(50):
        deep = {"in": deep}
    detail = {"many": list(range(10_000)), "deep": deep, **{f"k{n}": n for n in range(1000)}}
    entry = audit.record(ADA, "a", "s", at=NOW, detail=detail).entity
    assert len(entry.detail) == 50
    assert entry.detail["many"] == list(range(50))
    assert len(repr(entry.detail)) < 3000


async def fill(db: AsyncDb, count: int, hours: int = 7) -> list[str]:
    """Entries every so many hours back from now, written in any order; their subjects."""
    numbers = list(range(count))
    random.Random(5).shuffle(numbers)
    for number in numbers:
        # Several of them at the same moment.
        at = NOW - timedelta(hours=hours * (number // 3))
        who = ADA if number % 5 else BO
        action = "a" if number % 2 else "b"
        await db.run(audit.record(who, action, f"s/{number:03d}", at=at))
    return [f"s/{number:03d}" for number in range(count)]


def test_newest_first_page_by_page(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        subjects = await fill(db, 180, hours=16)
        found: list[str] = []
        times: list[datetime] = []
        cursor: str | None = None
        while True:
            page = await audit.entries(
                db, until=NOW + timedelta(seconds=1), limit=13, cursor=cursor
            )
            found += [entry.subject for entry in page]
            times += [entry.at for entry in page]
            cursor = page.cursor
            if cursor is None:
                break
        assert sorted(found) == subjects
        assert times == sorted(times, reverse=True)
        assert len({(at.year, at.month) for at in times}) == 3

    in_kit(tablewright_backend, work, clock=clock)


def test_a_day_and_what_is_looked_for(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        await fill(db, 60)
        day = datetime(2026, 12, 31, tzinfo=UTC)
        found = await audit.entries(db, since=day, until=day + timedelta(days=1), limit=100)
        hours = [7 * (number // 3) for number in range(60)]
        wanted = [hour for hour in hours if 33.5 < hour <= 57.5]
        assert len(found) == len(wanted) > 0
        assert {entry.at.date() for entry in found} == {day.date()}

        until = NOW + timedelta(seconds=1)
        by_bo = await audit.entries(db, until=until, limit=100, actor="key:bo")
        assert len(by_bo) == 12
        both = await audit.entries(db, until=until, limit=100, actor="key:bo", action="a")
        assert len(both) == 6
        (one,) = await audit.entries(db, until=until, subject="s/007")
        assert one.subject == "s/007"

    in_kit(tablewright_backend, work, clock=clock)


def test_a_month_is_one_of_utc(tablewright_backend: Backend, clock: ManualClock) -> None:
    east = timezone(timedelta(hours=9))
    first = datetime(2027, 1, 1, 3, tzinfo=east)  # still December in UTC

    async def work(db: AsyncDb) -> None:
        await db.run(audit.record(ADA, "a", "s", at=first))
        (entry,) = await audit.entries(db, since=first, until=first + timedelta(hours=1))
        assert entry.month == "202612"
        assert list(await audit.entries(db, since=first, until=first)) == []
        with pytest.raises(ValueError, match="needs a zone"):
            await audit.entries(db, until=datetime(2027, 1, 1))

    in_kit(tablewright_backend, work, clock=clock)


def test_cursors_belong_to_what_was_asked(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        await fill(db, 9)
        page = await audit.entries(db, until=NOW + timedelta(seconds=1), limit=2)
        assert page.cursor is not None
        with pytest.raises(CursorError):
            await audit.entries(db, until=NOW, limit=2, cursor=page.cursor, actor="key:bo")
        with pytest.raises(CursorError):
            await audit.entries(db, until=NOW, limit=2, cursor=page.cursor[:-2] + "xx")
        with pytest.raises(RequestError):
            await audit.entries(db, until=NOW, limit=0)

    in_kit(tablewright_backend, work, clock=clock)


def test_a_month_is_spread_over_its_shards() -> None:
    made = [audit.record(ADA, "a", "s", at=NOW).entity for _ in range(400)]
    assert {entry.month for entry in made} == {"202701"}
    shards = [entry.shard for entry in made]
    assert all(shards.count(shard) > 50 for shard in range(AUDIT_SHARDS))


def test_entries_end(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def work(db: AsyncDb) -> None:
        await db.run(audit.record(ADA, "a", "s", at=clock.now()))
        clock.advance(399 * 86_400)
        assert len(await audit.entries(db, until=clock.now())) == 1
        clock.advance(2 * 86_400)
        assert len(await audit.entries(db, until=clock.now())) == 0

    in_kit(tablewright_backend, work, clock=clock)
