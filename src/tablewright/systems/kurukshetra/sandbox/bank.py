"""The bank: every act is one transaction, with the events that tell of it.

Some acts are for later: a late payment is captured, a refund reaches its payer. They are kept with
their time, and carried out by whoever comes next: a request, or the courier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import orjson

from tablewright.clock import Clock
from tablewright.systems.kurukshetra.gateway.signatures import payment_signature
from tablewright.systems.kurukshetra.sandbox import ordering, paying, refunding
from tablewright.systems.kurukshetra.sandbox.chance import Chance
from tablewright.systems.kurukshetra.sandbox.entities import Document, collection
from tablewright.systems.kurukshetra.sandbox.refusals import Refusal, error, no_such_id
from tablewright.systems.kurukshetra.sandbox.settings import SandboxSettings
from tablewright.systems.kurukshetra.sandbox.store import Store, read
from tablewright.systems.kurukshetra.sandbox.work import Work

_CAPTURE, _END_REFUND = "capture", "end_refund"
_LATEST_SECS = 7 * 86_400


class Bank:
    """It may be used by many threads."""

    def __init__(self, settings: SandboxSettings, clock: Clock) -> None:
        self.settings = settings
        self.chance = Chance(settings.seed)
        self.store = Store(settings.path)
        self._clock = clock

    def close(self) -> None:
        self.store.close()

    def now(self) -> float:
        return self._clock.now()

    # --- orders ----------------------------------------------------------------------------------

    def create_order(self, request: Mapping[str, Any]) -> Document:
        with self._work() as work:
            return ordering.create(work, request)

    def order(self, order_id: str) -> Document:
        return self._found("orders", order_id)

    def orders(self, wanted: Mapping[str, str]) -> Document:
        self.catch_up()
        exactly = {"receipt": wanted["receipt"]} if "receipt" in wanted else {}
        return ordering.listed(self.store, "orders", wanted, **exactly)

    def payments_of_order(self, order_id: str) -> Document:
        self._found("orders", order_id)
        rows = self.store.rows(
            "SELECT document FROM payments WHERE order_id = ? ORDER BY number DESC", order_id
        )
        return collection([read(each) for each in rows])

    # --- payments --------------------------------------------------------------------------------

    def payment(self, payment_id: str) -> Document:
        return self._found("payments", payment_id)

    def payments(self, wanted: Mapping[str, str]) -> Document:
        self.catch_up()
        return ordering.listed(self.store, "payments", wanted)

    # --- refunds ---------------------------------------------------------------------------------

    def create_refund(
        self, payment_id: str, request: Mapping[str, Any], key: str | None = None
    ) -> Document:
        """A refund; under a key that was used for the same request, the one that was made then."""
        asked = orjson.dumps(request, option=orjson.OPT_SORT_KEYS)
        with self._work() as work:
            if key is not None:
                made = refunding.earlier(work.store, payment_id, asked, key)
                if made is not None:
                    return made
            made = refunding.create(work, payment_id, request)
            if key is not None:
                refunding.remember(work.store, key, asked, made)
            if self.settings.refund_secs <= 0:
                return refunding.end(work, made)
            _plan(work, _END_REFUND, made["id"], self.settings.refund_secs)
            return made

    def refund(self, refund_id: str) -> Document:
        return self._found("refunds", refund_id)

    def refunds_of_payment(self, payment_id: str, wanted: Mapping[str, str]) -> Document:
        self._found("payments", payment_id)
        return ordering.listed(self.store, "refunds", wanted, payment_id=payment_id)

    # --- the checkout ----------------------------------------------------------------------------

    def succeed(self, order_id: str, method: str = "card") -> Document:
        """The payer pays. What a browser gets of it, with the signature that proves it."""
        with self._work() as work:
            payment = paying.attempt(work, order_id, method)
            paying.capture(work, payment)
        secret = self.settings.credentials.key_secret.get_secret_value()
        return {
            "razorpay_payment_id": payment["id"],
            "razorpay_order_id": order_id,
            "razorpay_signature": payment_signature(order_id, payment["id"], secret),
        }

    def fail(self, order_id: str, method: str = "card") -> Document:
        """The payer's bank says no. What a browser gets of it."""
        with self._work() as work:
            done = paying.fail(work, paying.attempt(work, order_id, method))
        return error(
            done["error_description"],
            code=done["error_code"],
            source=done["error_source"],
            step=done["error_step"],
            reason=done["error_reason"],
            metadata={"order_id": order_id, "payment_id": done["id"]},
        )

    def late(self, order_id: str, method: str = "upi", after_secs: float | None = None) -> Document:
        """The payer pays, but it takes its time. There is no signature yet."""
        seconds = self.settings.late_secs if after_secs is None else after_secs
        if not 0 <= seconds <= _LATEST_SECS:
            raise Refusal(f"after_secs is from 0 to {_LATEST_SECS}", field="after_secs")
        with self._work() as work:
            payment = paying.attempt(work, order_id, method)
            _plan(work, _CAPTURE, payment["id"], seconds)
        return {"razorpay_payment_id": payment["id"], "razorpay_order_id": order_id}

    def dismiss(self, order_id: str) -> Document:
        """The payer closes the checkout: nothing happens, and nobody is told."""
        return {"razorpay_order_id": self.order(order_id)["id"]}

    # --- what is due -----------------------------------------------------------------------------

    def catch_up(self) -> int:
        """Carry out the acts whose time has come, each once; how many there were."""
        done = 0
        while self.store.row("SELECT 1 FROM acts WHERE at <= ? LIMIT 1", self.now()):
            with self.store.transaction() as store:
                done += self._next_act(Work(store, self.settings, self.chance, self.now()))
        return done

    def _next_act(self, work: Work) -> int:
        # Looked for again: another thread may have been quicker.
        act = work.store.row(
            "SELECT * FROM acts WHERE at <= ? ORDER BY at, number LIMIT 1", work.now
        )
        if act is None:
            return 0
        work.store.write("DELETE FROM acts WHERE number = ?", act["number"])
        table = "payments" if act["act"] == _CAPTURE else "refunds"
        subject = work.store.document(table, act["subject"])
        if subject is not None and act["act"] == _CAPTURE:
            paying.capture(work, subject)
        elif subject is not None:
            refunding.end(work, subject)
        return 1

    @contextmanager
    def _work(self) -> Iterator[Work]:
        self.catch_up()
        with self.store.transaction() as store:
            yield Work(store, self.settings, self.chance, self.now())

    def _found(self, table: str, identity: str) -> Document:
        self.catch_up()
        found = self.store.document(table, identity)
        if found is None:
            raise no_such_id()
        return found


def _plan(work: Work, act: str, subject: str, after_secs: float) -> None:
    work.store.write(
        "INSERT INTO acts (at, act, subject) VALUES (?, ?, ?)",
        *(work.now + after_secs, act, subject),
    )
