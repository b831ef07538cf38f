"""The dates of a hackathon."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Window:
    start: datetime
    end: datetime

    def holds(self, at: datetime) -> bool:
        return self.start <= at <= self.end
