"""A consumer in a process of its own, for a test that kills it.

``python -m tests.client.feed.consumer URL FILE``: adds the total of each order to its customer's
balance, exactly once, and writes a line to FILE for each change that it was given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tests.client.feed.shop import Balance, Order, app, kit

from tablewright.client import Db, HttpTransport
from tablewright.client.feed import Change, ChangeFeed, Polling, TableCheckpoints, apply_once
from tablewright.model import attr, update

CONSUMER = "balances"


def consume(url: str, file: Path) -> None:
    db = Db(HttpTransport(url))
    feed = ChangeFeed(
        db,
        app,
        consumer=CONSUMER,
        checkpoints=TableCheckpoints(kit),
        entities=[Order],
        polling=Polling(page=7, least=0.0, most=0.02),
    )
    with file.open("a", buffering=1) as lines:

        def handle(change: Change) -> None:
            order = change.of(Order)
            assert order is not None
            assert order.new is not None
            lines.write(f"{order.new.order_id}\n")
            effect = (
                update(Balance, order.new.customer_id)
                .do(attr(Balance.spent).add(order.new.total))
                .upsert()
            )
            apply_once(db, CONSUMER, change, effect, marks=kit)
            time.sleep(0.002)

        feed.run(handle)


if __name__ == "__main__":
    consume(sys.argv[1], Path(sys.argv[2]))
