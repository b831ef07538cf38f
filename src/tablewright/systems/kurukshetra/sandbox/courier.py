"""Delivers what is due, one event after the other, until somebody takes it or 24 hours have gone.

That it was taken is written after the answer: a kill in between repeats the delivery, never loses
it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tablewright.systems.kurukshetra.gateway.webhooks import EVENT_ID, SIGNATURE
from tablewright.systems.kurukshetra.sandbox.bank import Bank

if TYPE_CHECKING:
    import httpx2

#: The status that an address answered with; None if it did not.
Post: TypeAlias = Callable[[str, bytes, Mapping[str, str]], int | None]

#: As long as the gateway waits for an answer.
TIMEOUT_SECS = 5.0
#: After the first failure; doubled after each.
FIRST_PAUSE_SECS, LONGEST_PAUSE_SECS = 10.0, 4 * 3600.0
GIVE_UP_SECS = 24 * 3600.0
#: How often it looks whether something is due.
_POLL_SECS = 0.05
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Delivery:
    number: int
    event_id: str
    type: str
    body: bytes
    signature: str
    #: How often it was tried before.
    attempts: int
    #: Of the event.
    created_at: float


class Courier:
    """Brings a bank's events to an address."""

    def __init__(self, bank: Bank, url: str, post: Post) -> None:
        self._bank = bank
        self._url = url
        self._post = post
        # Whoever delivers does it alone: two would bring the same.
        self._alone = threading.Lock()

    def deliver_due(self, stopped: threading.Event | None = None) -> int:
        """Deliver all that is due by now; how many there were."""
        done = 0
        with self._alone:
            self._bank.catch_up()
            while (delivery := _first_due(self._bank)) is not None:
                if stopped is not None and stopped.is_set():
                    break
                status = self._post(self._url, *self._message(delivery))
                _settle(self._bank, delivery, status)
                done += 1
        return done

    def run(self, stopped: threading.Event) -> None:
        """Deliver until stopped."""
        while not stopped.wait(_POLL_SECS):
            try:
                self.deliver_due(stopped)
            except Exception:
                # Without a courier all would wait for ever, and nobody would know.
                _log.exception("the sandbox could not deliver")

    def _message(self, delivery: Delivery) -> tuple[bytes, dict[str, str]]:
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Razorpay-Webhook/v1",
            SIGNATURE: delivery.signature,
            EVENT_ID: delivery.event_id,
        }
        return self._garbled(delivery), headers

    def _garbled(self, delivery: Delivery) -> bytes:
        """The body, with a wrong byte at the first try if it is to be so."""
        chance, share = self._bank.chance, self._bank.settings.misbehaviour.corrupt
        name = f"corrupt/{delivery.number}"
        if delivery.attempts or not chance.happens(name, share):
            return delivery.body
        place = chance.draw(f"place/{delivery.number}").randrange(len(delivery.body))
        return (
            delivery.body[:place] + bytes([delivery.body[place] ^ 1]) + delivery.body[place + 1 :]
        )


def pause(attempts: int) -> float:
    """Seconds after so many failures."""
    return min(LONGEST_PAUSE_SECS, FIRST_PAUSE_SECS * 2.0 ** (attempts - 1))


def _first_due(bank: Bank) -> Delivery | None:
    row = bank.store.row(
        "SELECT d.number, e.id, e.type, e.body, e.signature, d.attempts, e.created_at"
        " FROM deliveries d JOIN events e ON e.number = d.event"
        " WHERE d.state = 'waiting' AND d.due_at <= ?"
        " ORDER BY d.due_at, d.rank, d.number LIMIT 1",
        bank.now(),
    )
    return None if row is None else Delivery(*row)


def _settle(bank: Bank, delivery: Delivery, status: int | None) -> None:
    attempts, due_at = delivery.attempts + 1, bank.now()
    state = "taken"
    if status is None or not 200 <= status < 300:
        due_at += pause(attempts)
        late = due_at > delivery.created_at + GIVE_UP_SECS
        state = "given_up" if late else "waiting"
    # If this were lost, the event would come once more, as it may at any time.
    bank.store.note(
        "UPDATE deliveries SET state = ?, attempts = ?, due_at = ?, last_status = ?"
        " WHERE number = ?",
        *(state, attempts, due_at, status, delivery.number),
    )


class HttpPost:
    """Posts over HTTP; a redirect is no success, so nothing is followed."""

    def __init__(self, timeout: float = TIMEOUT_SECS) -> None:
        self._timeout = timeout
        self._client: httpx2.Client | None = None

    def __call__(self, url: str, body: bytes, headers: Mapping[str, str]) -> int | None:
        import httpx2

        if self._client is None:
            self._client = httpx2.Client(timeout=self._timeout, follow_redirects=False)
        try:
            return self._client.post(url, content=body, headers=dict(headers)).status_code
        except (httpx2.HTTPError, OSError):
            return None

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
