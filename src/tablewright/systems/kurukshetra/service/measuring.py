"""What is counted of an event's life, for Prometheus: nothing in it names anybody.

It listens to the requests of the store, which know what was done by the names of patterns; so no
use case has to remember to count, and what counts is what was written.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tablewright.client import RequestEvent

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival

#: Somebody is active for so long after a request, and so many are remembered.
ACTIVE_SECS: Final = 900.0
_MOST_USERS: Final = 100_000
#: What becomes of checkouts, by the pattern that writes it.
_OUTCOMES: Final = {
    "capture_payment": "paid",
    "capture_late": "paid",
    "checkout_free": "paid",
    "expire_hold": "expired",
    "refuse_late": "refused",
    "refuse_double": "refused",
}


class Measuring:
    """Registrations, payments, active users, and what writers meet at."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival
        self._clock = festival.runtime.clock
        self._seen: OrderedDict[str, float] = OrderedDict()
        metrics = festival.runtime.metrics
        self._registrations = metrics.counter(
            "kurukshetra_registrations", "People who registered; its rate is registrations a minute"
        )
        self._payments = metrics.counter(
            "kurukshetra_payments",
            "Checkouts that came to an end; the success rate is the share of those that are paid",
            ("outcome",),
        )
        self._conflicts = metrics.counter(
            "kurukshetra_conflicts",
            "Writes that met another one at an item, by the family of its key",
            ("family",),
        )
        self._active = metrics.gauge(
            "kurukshetra_active_users", "Users who asked for something in the last quarter hour"
        )

    def open(self) -> None:
        """Listen from now on, beside whoever does already."""
        self._active.set_function(self.active)
        db = self._festival.db
        db.context = replace(db.context, hook=_both(db.context.hook, self.heard))

    def heard(self, event: RequestEvent) -> None:
        """A request to the store, at its end."""
        for key in event.clashes:
            self._conflicts.labels(family_of(key)).inc()
        if event.error is not None:
            return
        if event.pattern == "register":
            self._registrations.inc()
        outcome = _OUTCOMES.get(event.pattern)
        if outcome is not None:
            self._payments.labels(outcome).inc()

    def seen(self, uid_hash: str) -> None:
        """Somebody has asked for something."""
        self._seen[uid_hash] = self._clock.now()
        self._seen.move_to_end(uid_hash)
        if len(self._seen) > _MOST_USERS:
            self._seen.popitem(last=False)

    def active(self) -> int:
        """How many of them there are, in this process."""
        oldest = self._clock.now() - ACTIVE_SECS
        while self._seen and next(iter(self._seen.values())) < oldest:
            self._seen.popitem(last=False)
        return len(self._seen)


def _both(
    first: Callable[[RequestEvent], object] | None, second: Callable[[RequestEvent], object]
) -> Callable[[RequestEvent], object]:
    if first is None:
        return second

    def hook(event: RequestEvent) -> None:
        first(event)
        second(event)

    return hook


def family_of(key: dict[str, dict[str, str]]) -> str:
    """What kind of thing a key is of: ``CONFIG/SEATS``, ``TEAM/PROFILE``, ``UID``."""
    parts = key.get("PK", {}).get("S", "").split("#")
    if parts[0] != "EVENT":
        return parts[0] or "other"
    family = parts[2] if len(parts) > 2 else parts[0]
    kind = key.get("SK", {}).get("S", "").split("#")[0]
    # Sort keys that begin with an id or a time are as many as there are items.
    return f"{family}/{kind}" if kind.isalpha() and kind.isupper() else family
