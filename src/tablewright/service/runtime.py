"""What a system is given to run with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from tablewright.client import AsyncDb
from tablewright.clock import Clock, UlidSource
from tablewright.service.auth import Auth
from tablewright.service.events import Events
from tablewright.service.keys import Keys
from tablewright.service.limits import RateLimits
from tablewright.service.metrics import Metrics
from tablewright.service.settings import Settings

Own = TypeVar("Own", bound=BaseModel)


@dataclass(frozen=True)
class Runtime:
    """One system's view of the process. Two systems share nothing but the process itself."""

    #: The system's name.
    system: str
    #: Knows the system's tables and its kit table (``kit`` is ``<system>-kit`` in there).
    db: AsyncDb
    clock: Clock
    ids: UlidSource
    settings: Settings
    #: The system's own settings; ask with :meth:`options`.
    own: BaseModel
    keys: Keys
    auth: Auth
    limits: RateLimits
    events: Events
    metrics: Metrics

    def options(self, kind: type[Own]) -> Own:
        """The system's own settings, as the class it declared."""
        if not isinstance(self.own, kind):
            raise TypeError(f"the settings of {self.system} are a {type(self.own).__name__}")
        return self.own

    def now(self) -> int:
        """Seconds since the epoch."""
        return int(self.clock.now())
