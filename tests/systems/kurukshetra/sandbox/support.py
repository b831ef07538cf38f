"""Banks without HTTP, their books, and somebody who takes deliveries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import Any

from tablewright.clock import ManualClock
from tablewright.systems.kurukshetra.gateway import BadWebhook, Event, opened
from tablewright.systems.kurukshetra.sandbox import Bank, SandboxSettings

START = 1_800_000_000.0
HOOK = "http://127.0.0.1:9/hook"


@contextmanager
def bank(settings: SandboxSettings | None = None) -> Iterator[tuple[Bank, ManualClock]]:
    clock = ManualClock(START)
    with closing(Bank(settings or SandboxSettings(), clock)) as made:
        yield made, clock


def an_order(made: Bank, amount: int = 99900, receipt: str = "r") -> str:
    request = {"amount": amount, "currency": "INR", "receipt": receipt}
    return str(made.create_order(request)["id"])


def a_payment(made: Bank, amount: int = 99900) -> str:
    return str(made.succeed(an_order(made, amount))["razorpay_payment_id"])


def told(made: Bank) -> Counter[str]:
    """How often each kind of event was kept."""
    return Counter(str(row["type"]) for row in made.store.rows("SELECT type FROM events"))


def states(made: Bank) -> Counter[str]:
    return Counter(str(row["state"]) for row in made.store.rows("SELECT state FROM deliveries"))


def all_of(made: Bank, table: str) -> list[dict[str, Any]]:
    rows = made.store.rows(f"SELECT id FROM {table} ORDER BY number")
    found = [made.store.document(table, row["id"]) for row in rows]
    return [each for each in found if each is not None]


class Merchant:
    """Takes deliveries as our service will: genuine ones only, each once, in any order."""

    def __init__(self, settings: SandboxSettings) -> None:
        self._secrets = settings.credentials.webhook_secrets()
        #: How it answers: statuses for the next deliveries, then 200.
        self.answers: list[int | None] = []
        #: All that came and was genuine, with those that came again.
        self.came: list[Event] = []
        self.forged = 0

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
        if self.answers:
            return self.answers.pop(0)
        try:
            self.came.append(opened(body, headers, self._secrets))
        except BadWebhook:
            self.forged += 1
            return 400
        return 200

    @property
    def seen(self) -> dict[str, Event]:
        return {each.id: each for each in self.came}

    def balance(self) -> int:
        """What is left of all that came in, by what it was told."""
        total = 0
        for event in self.seen.values():
            if event.type == "payment.captured" and event.payment is not None:
                total += event.payment.amount
            if event.type == "refund.created" and event.refund is not None:
                total -= event.refund.amount
            if event.type == "refund.failed" and event.refund is not None:
                total += event.refund.amount
        return total


def balance(made: Bank) -> int:
    """The same by the bank's own books."""
    signs = {"captured": 1, "refunded": -1, "returned": 1}
    rows = made.store.rows("SELECT kind, amount FROM journal")
    return sum(signs[row["kind"]] * int(row["amount"]) for row in rows)


def check_books(made: Bank) -> None:
    """Money is neither lost nor doubled: journal, entities and events say the same."""
    payments, refunds = all_of(made, "payments"), all_of(made, "refunds")
    captured = [each for each in payments if each["captured"]]
    gone = [each for each in refunds if each["status"] != "failed"]
    assert balance(made) == sum(each["amount"] for each in captured) - sum(
        each["amount"] for each in gone
    )
    for each in payments:
        back = sum(it["amount"] for it in gone if it["payment_id"] == each["id"])
        assert each["amount_refunded"] == back <= each["amount"]
        assert back == 0 or each["captured"]
        assert (each["status"] == "refunded") == (back == each["amount"])
    paid = {each["order_id"] for each in captured}
    for order in all_of(made, "orders"):
        assert (order["status"] == "paid") == (order["id"] in paid)
        assert order["amount_paid"] + order["amount_due"] == order["amount"]
    kept = told(made)
    assert kept["payment.captured"] == kept["payment.authorized"] == len(captured)
    assert kept["order.paid"] == len(paid)
    assert kept["refund.created"] == len(refunds)
    for status in ("processed", "failed"):
        assert kept[f"refund.{status}"] == sum(each["status"] == status for each in refunds)
