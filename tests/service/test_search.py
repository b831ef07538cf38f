"""Search over a list, on the server."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.client import AsyncDb, AsyncEmbedded, Page
from tablewright.engine import Engine
from tablewright.model import Entity, Key, Table, put, query
from tablewright.service.search import Matcher, search

things = Table("Search", pk="PK", sk="SK")


class Person(Entity, table=things, keys={"primary": Key("PEOPLE", "{number}")}):
    number: str
    name: str
    city: str | None = None


@query(Person, key="primary")
def people() -> None:
    """List everybody."""


async def filled(names: list[str]) -> AsyncDb:
    db = AsyncDb(AsyncEmbedded(Engine.memory()))
    await db.create_tables(things)
    for number, name in enumerate(names):
        await db.run(put(Person(number=f"{number:05}", name=name, city="Pune")))
    return db


def fields(person: Person) -> tuple[str | None, ...]:
    return person.name, person.city


async def found(db: AsyncDb, text: str, *, limit: int, most_read: int = 5000) -> list[list[str]]:
    """All pages of a search."""
    pages: list[list[str]] = []
    cursor = None
    while True:
        page: Page[Person] = await search(
            db, people(), text, fields, limit=limit, cursor=cursor, most_read=most_read
        )
        pages.append([each.name for each in page])
        cursor = page.cursor
        if cursor is None:
            return pages


@pytest.mark.parametrize(
    "text", ["muller", "MÜLLER", "Mu\u0308ller pune", "ller  ann", "pune anna mull", "\u200bmüller"]
)
def test_search_ignores_case_accents_and_order_of_words(text: str) -> None:
    async def steps() -> None:
        db = await filled(["Anna Müller", "Anna Meier", "Ravi"])
        assert await found(db, text, limit=10) == [["Anna Müller"]]

    asyncio.run(steps())


@given(
    st.lists(st.sampled_from(["ann", "bob"]), max_size=30), st.integers(1, 7), st.integers(1, 11)
)
def test_pages_of_a_search_hold_every_match_once_and_in_order(
    kinds: list[str], limit: int, most_read: int
) -> None:
    names = [f"{kind} {number}" for number, kind in enumerate(kinds)]

    async def steps() -> None:
        pages = await found(await filled(names), "ann", limit=limit, most_read=most_read)
        assert [name for page in pages for name in page] == [n for n in names if "ann" in n]
        assert all(len(page) <= limit for page in pages)

    asyncio.run(steps())


def test_search_for_nothing_is_the_list_itself() -> None:
    async def steps() -> None:
        db = await filled(["a", "b", "c"])
        assert await found(db, "  \u200b ", limit=2) == [["a", "b"], ["c"]]

    asyncio.run(steps())


def test_matcher_needs_every_word() -> None:
    assert Matcher("asha 98").matches(["Asha Verma", None, "+91 98765"])
    assert not Matcher("asha 97").matches(["Asha Verma", "+91 98765"])
    assert not Matcher(" ")
