"""An overloaded index: one index that answers a different question for every entity.

Indexes cost money and there are at most twenty. Here one index lists customers by plan, tickets by
agent and articles by topic. The literals in the templates keep the three apart.
"""

from datetime import date
from typing import Literal

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import Entity, Index, Key, Range, Table, put, query

desk = Table("HelpDesk", pk="PK", sk="SK", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class Customer(
    Entity,
    table=desk,
    keys={
        "primary": Key("CUSTOMER#{name}", "CUSTOMER"),
        "by_plan": Key("PLAN#{plan}", "CUSTOMER#{name}", on="GSI1"),
    },
):
    name: str
    plan: Literal["free", "team"]


class Ticket(
    Entity,
    table=desk,
    keys={
        "primary": Key("CUSTOMER#{customer}", "TICKET#{number}"),
        "by_agent": Key("AGENT#{agent}", "TICKET#{due}#{number}", on="GSI1"),
    },
):
    customer: str
    number: int
    agent: str
    due: date


class Article(
    Entity,
    table=desk,
    keys={
        "primary": Key("ARTICLE#{slug}", "ARTICLE"),
        "by_topic": Key("TOPIC#{topic}", "ARTICLE#{slug}", on="GSI1"),
    },
):
    slug: str
    topic: str


@query(Customer, key="by_plan")
def customers_on_plan(plan: Literal["free", "team"]) -> None:
    """The customers that have a plan."""


@query(Ticket, key="by_agent", range=Range("due", le="until"))
def tickets_of_agent(agent: str, *, until: date | None = None) -> None:
    """What an agent has to do, the most urgent first."""


@query(Article, key="by_topic")
def articles_about(topic: str) -> None:
    """What has been written about a topic."""


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(desk)
        db.run(put(Customer(name="Initech", plan="team")))
        db.run(put(Customer(name="Hooli", plan="free")))
        for number, due in ((1, date(2026, 3, 9)), (2, date(2026, 3, 2)), (3, date(2026, 4, 1))):
            db.run(put(Ticket(customer="Initech", number=number, agent="milton", due=due)))
        db.run(put(Article(slug="printers", topic="hardware")))

        print("on the team plan:", *(each.name for each in db.run(customers_on_plan("team"))))
        urgent = db.run(tickets_of_agent("milton", until=date(2026, 3, 31)))
        print("milton's tickets for March:", *(each.number for each in urgent))
        print("about hardware:", *(each.slug for each in db.run(articles_about("hardware"))))


if __name__ == "__main__":
    main()
