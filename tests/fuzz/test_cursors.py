"""Cursors that somebody made up, changed or took from elsewhere are refused, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.client import world
from tests.client.world import new_task
from tests.sampling import many

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import put
from tablewright.model.errors import CursorError, KeyValueError

FEW = settings(max_examples=many(200), deadline=None)
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.fixture(scope="module")
def db() -> Iterator[Db]:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(world.app)
        db.batch([put(new_task(number, owner="ann")) for number in range(6)])
        yield db


@pytest.fixture(scope="module")
def cursor(db: Db) -> str:
    found = db.run(world.tasks("L"), limit=2).cursor
    assert found is not None
    return found


@given(text=st.text(max_size=200) | st.text(ALPHABET, max_size=200))
@settings(FEW)
@example(text="")
@example(text="\ud800")
@example(text="A" * 100_000)
def test_any_text(db: Db, text: str) -> None:
    with pytest.raises(CursorError):
        db.run(world.tasks("L"), cursor=text)


@given(data=st.data())
@settings(FEW)
def test_any_change(db: Db, cursor: str, data: st.DataObject) -> None:
    """Pieces of a good one, put together otherwise."""
    start = data.draw(st.integers(0, len(cursor)))
    end = data.draw(st.integers(start, len(cursor)))
    between = data.draw(st.text(ALPHABET + "=+/ .", max_size=12))
    changed = cursor[:start] + between + cursor[end:]
    if changed == cursor:
        return
    with pytest.raises(CursorError):
        db.run(world.tasks("L"), cursor=changed)


@given(of=st.text(min_size=1, max_size=30).filter(lambda text: text != "L"))
@settings(FEW)
def test_another_question(db: Db, cursor: str, of: str) -> None:
    """It reads no other partition, whatever that is called; some names no key can have."""
    with pytest.raises((CursorError, KeyValueError)):
        db.run(world.tasks(of), cursor=cursor)


def test_the_good_one_is_good(db: Db, cursor: str) -> None:
    assert len(list(db.run(world.tasks("L"), limit=2, cursor=cursor))) == 2
