"""Cursors: signed, and bound to what they came from."""

from __future__ import annotations

import base64

import pytest
from tests.client import world
from tests.client.world import later, new_task

from tablewright.client import Db
from tablewright.model import put
from tablewright.model.errors import CursorError
from tablewright.testing import Backend

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.fixture
def cursor(db: Db) -> str:
    db.batch([put(new_task(number, owner="ann")) for number in range(6)])
    found = db.run(world.tasks("L"), limit=2).cursor
    assert found is not None
    return found


def test_it_goes_on(db: Db, cursor: str) -> None:
    page = db.run(world.tasks("L"), limit=2, cursor=cursor)
    assert [each.task_id for each in page] == ["t0002", "t0003"]


def test_any_changed_character_is_noticed(db: Db, cursor: str) -> None:
    for position, old in enumerate(cursor):
        new = ALPHABET[ALPHABET.index(old) ^ 1]
        changed = cursor[:position] + new + cursor[position + 1 :]
        with pytest.raises(CursorError):
            db.run(world.tasks("L"), cursor=changed)


def test_any_flipped_byte_is_noticed(db: Db, cursor: str) -> None:
    data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0xFF
        text = base64.urlsafe_b64encode(changed).rstrip(b"=").decode()
        with pytest.raises(CursorError):
            db.run(world.tasks("L"), cursor=text)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "",
        lambda text: "nonsense!",
        lambda text: "é" + text,
        lambda text: text + "=",
        lambda text: text + "A",
        lambda text: text[:-1],
        lambda text: text[:20] + "\n" + text[20:],
        lambda text: text[:30],
        lambda text: base64.urlsafe_b64encode(b"\x00" + b"x" * 60).decode().rstrip("="),
    ],
)
def test_what_is_no_cursor(db: Db, cursor: str, change: object) -> None:
    with pytest.raises(CursorError):
        db.run(world.tasks("L"), cursor=change(cursor))  # type: ignore[operator]


def test_it_belongs_to_one_pattern_and_its_arguments(db: Db, cursor: str) -> None:
    for other in (
        world.latest_tasks("L"),
        world.tasks("M"),
        world.tasks("L", since=later(hours=1)),
        world.tasks("L", status="new"),
        world.open_tasks("ann"),
        world.all_tasks(),
    ):
        with pytest.raises(CursorError, match="does not belong to"):
            db.run(other, cursor=cursor)


def test_it_belongs_to_one_key(tablewright_backend: Backend, cursor: str) -> None:
    for other in ("another key", None):
        with pytest.raises(CursorError, match="another cursor_key"):
            tablewright_backend.db(cursor_key=other).run(world.tasks("L"), cursor=cursor)
    same = tablewright_backend.db(cursor_key=b"key of the tests")
    assert len(same.run(world.tasks("L"), cursor=cursor)) == 4


def test_an_older_format_is_refused(db: Db, cursor: str) -> None:
    data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    old = base64.urlsafe_b64encode(b"\x00" + data[1:]).rstrip(b"=").decode()
    with pytest.raises(CursorError, match="older"):
        db.run(world.tasks("L"), cursor=old)


def test_pages_of_indexes_and_scans(db: Db, cursor: str) -> None:
    for pattern in (world.open_tasks("ann"), world.all_tasks()):
        first = db.run(pattern, limit=4)
        rest = db.run(pattern, limit=4, cursor=first.cursor)
        assert len({each.task_id for each in (*first, *rest)}) == 6
