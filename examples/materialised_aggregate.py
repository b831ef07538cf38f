"""A materialised aggregate: what every shop took in a day, kept up to date with each sale.

DynamoDB adds nothing up. The day's totals are an item of their own, which the transaction that
records a sale raises too; the first sale of the day creates it. A report then reads one small item
per day.
"""

from datetime import date
from decimal import Decimal

from tablewright.client import Db, Embedded
from tablewright.engine import Engine
from tablewright.model import (
    Entity,
    Field,
    Key,
    Put,
    Range,
    Table,
    Ulid,
    Update,
    attr,
    new_ulid,
    put,
    query,
    transaction,
    update,
)

till = Table("Till", pk="PK", sk="SK")


class Sale(Entity, table=till, keys={"primary": Key("SALES#{shop}#{day}", "{sale_id}")}):
    shop: str
    day: date
    sale_id: Ulid = Field(default_factory=new_ulid)
    amount: Decimal


class DayTotal(Entity, table=till, keys={"primary": Key("TOTALS#{shop}", "{day}")}):
    shop: str
    day: date
    sales: int = 0
    amount: Decimal = Decimal(0)

    @property
    def average(self) -> Decimal:
        return self.amount / self.sales


@transaction()
def record(sale: Sale) -> tuple[Put[Sale], Update[DayTotal]]:
    """A sale, and the total of its day."""
    total = update(DayTotal, sale.shop, sale.day).upsert()
    return (
        put(sale).new(),
        total.do(attr(DayTotal.sales).add(1), attr(DayTotal.amount).add(sale.amount)),
    )


@query(Sale)
def sales_of_day(shop: str, day: date) -> None:
    """Every sale of one day."""


@query(DayTotal, range=Range("day", ge="first", le="last"))
def totals(shop: str, first: date, last: date) -> None:
    """The totals of a shop, day by day."""


def main() -> None:
    with Engine.memory() as engine:
        db = Db(Embedded(engine))
        db.create_tables(till)
        monday, tuesday = date(2026, 3, 2), date(2026, 3, 3)
        for day, amount in ((monday, "9.90"), (monday, "20.10"), (tuesday, "5.50")):
            db.run(record(Sale(shop="corner", day=day, amount=Decimal(amount))))

        for each in db.run(totals("corner", monday, tuesday)):
            print(
                f"{each.day}: {each.sales} sold for {each.amount:.2f}, average {each.average:.2f}"
            )


if __name__ == "__main__":
    main()
