"""How asking the gateway goes wrong.

::

    GatewayFailed
     ├── Unavailable          nothing happened; it may be better in a moment
     │    └── Throttled       too many requests; it may say for how long to wait
     ├── Refused              nothing happened, and it would be refused again
     │    ├── NotFound        it has no such order, payment or refund
     │    └── KeyRefused      it does not know our keys
     └── OutcomeUnknown       sent, without an answer that tells: it may have happened

Money may only be taken for not moved after the first two kinds. After the third, look.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the gateway says is wrong: its error document."""

    code: str = ""
    description: str = ""
    field: str | None = None
    source: str | None = None
    step: str | None = None
    reason: str | None = None


class GatewayFailed(Exception):
    """``code`` is for programs; the text may be shown, it has nothing that we sent in it."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        #: UPPER_SNAKE.
        self.code = code


class Unavailable(GatewayFailed):
    """UNREACHABLE, THROTTLED; for reads also UPSTREAM_ERROR, TIMEOUT, LOST, BAD_ANSWER."""


class Throttled(Unavailable):
    """``seconds`` if it says for how long to wait."""

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__("THROTTLED", "the gateway asks us to wait")
        self.seconds = seconds


class Refused(GatewayFailed):
    """REFUSED, NOT_FOUND, KEY_REFUSED."""

    def __init__(self, code: str, reason: str, complaint: Complaint | None = None) -> None:
        super().__init__(code, reason)
        self.complaint = complaint or Complaint()


class NotFound(Refused):
    """It has nothing under this id."""


class KeyRefused(Refused):
    """Nothing will come of it until somebody sees to the keys."""


class OutcomeUnknown(GatewayFailed):
    """UPSTREAM_ERROR, TIMEOUT, LOST, TOO_LARGE, BAD_ANSWER, IN_PROGRESS."""
