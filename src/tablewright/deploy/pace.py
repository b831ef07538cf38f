"""Keeping work under a number of capacity units per second, whoever of several does it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Units are paid for after they were used, by waiting."""

    def __init__(self, rate: float | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._monotonic = monotonic
        self._free_at = monotonic()
        self._lock = threading.Lock()

    def wait(self, units: float) -> float:
        """Seconds to pause after having used so many units."""
        if self._rate is None:
            return 0.0
        with self._lock:
            now = self._monotonic()
            self._free_at = max(self._free_at, now) + units / self._rate
            return self._free_at - now
