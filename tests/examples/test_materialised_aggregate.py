from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from examples.materialised_aggregate import Sale, record, sales_of_day, till, totals

from tablewright.client import Db
from tablewright.model.errors import TransactionCancelled

MONDAY, TUESDAY = date(2026, 3, 2), date(2026, 3, 3)


def test_totals_follow_the_sales(tablewright_db: Db) -> None:
    db = tablewright_db
    db.create_tables(till)
    for amount in ("0.10", "0.20"):
        db.run(record(Sale(shop="x", day=MONDAY, amount=Decimal(amount))))
    again = Sale(shop="x", day=TUESDAY, amount=Decimal(5))
    db.run(record(again))
    with pytest.raises(TransactionCancelled):
        db.run(record(again))

    first, second = db.run(totals("x", MONDAY, TUESDAY))
    assert (first.day, first.sales, first.amount) == (MONDAY, 2, Decimal("0.3"))
    assert first.average == Decimal("0.15")
    assert (second.sales, second.amount) == (1, Decimal(5))
    assert sum(each.amount for each in db.run(sales_of_day("x", MONDAY))) == first.amount
    assert [each.day for each in db.run(totals("x", TUESDAY, TUESDAY))] == [TUESDAY]
