"""What the client raises.

::

    PricekeeperError
     ├─ QuotaExceeded     no label is open: `retry_after` seconds
     ├─ Rejected          the service refused the request: `status`, `code`
     │   └─ LimitReached  a reservation does not fit any more
     ├─ Unreachable       no answer, after all retries
     └─ SpoolFull         the disk spool holds as much as it may; nothing was taken
"""

from __future__ import annotations


class PricekeeperError(Exception):
    """The root of the tree."""


class QuotaExceeded(PricekeeperError):
    """There is nothing left to spend for now."""

    def __init__(self, detail: str, retry_after: float) -> None:
        super().__init__(f"{detail} Ask again in {retry_after:.0f} s.")
        self.retry_after = retry_after


class Rejected(PricekeeperError):
    """The service has refused a request, for good or for a while."""

    def __init__(self, status: int, code: str, detail: str, retry_after: float = 0.0) -> None:
        super().__init__(f"{code} ({status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail
        #: Seconds that the service asks to wait; 0 if it does not say.
        self.retry_after = retry_after


class LimitReached(Rejected):
    """What a reservation asks for is more than a limit has left."""


class Unreachable(PricekeeperError):
    """The service did not answer, or said that it cannot now."""


class SpoolFull(PricekeeperError):
    """Too much waits to be sent: find out why the service does not take it."""
