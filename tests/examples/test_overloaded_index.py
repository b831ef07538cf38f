from __future__ import annotations

from datetime import date

import pytest
from examples.overloaded_index import (
    Article,
    Customer,
    Ticket,
    articles_about,
    customers_on_plan,
    desk,
    tickets_of_agent,
)

from tablewright.client import Db
from tablewright.model import Entity, put

CUSTOMER = Customer(name="x", plan="team")
SOON = Ticket(customer="x", number=10, agent="x", due=date(2026, 1, 9))
LATER = Ticket(customer="x", number=9, agent="x", due=date(2026, 1, 10))
ARTICLE = Article(slug="x", topic="x")


@pytest.fixture
def db(tablewright_db: Db) -> Db:
    db = tablewright_db
    db.create_tables(desk)
    everything: list[Entity] = [CUSTOMER, LATER, SOON, ARTICLE]
    db.batch(put(each) for each in everything)
    return db


def test_each_question_gets_its_own_entities(db: Db) -> None:
    assert list(db.run(customers_on_plan("team"))) == [CUSTOMER]
    assert list(db.run(customers_on_plan("free"))) == []
    assert list(db.run(tickets_of_agent("x"))) == [SOON, LATER]
    assert list(db.run(articles_about("x"))) == [ARTICLE]


def test_tickets_until_a_day(db: Db) -> None:
    assert list(db.run(tickets_of_agent("x", until=date(2026, 1, 9)))) == [SOON]
    assert list(db.run(tickets_of_agent("x", until=date(2026, 1, 8)))) == []
