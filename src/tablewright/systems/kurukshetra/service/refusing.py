"""What several use cases refuse for the same reason."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from tablewright.service.problems import Problem, conflict
from tablewright.systems.kurukshetra.events import Window
from tablewright.systems.kurukshetra.rules.windows import Phase, phase

_WHY: Final[dict[Phase, str]] = {
    "closed": "Registration is closed.",
    "not_yet": "Registration has not begun yet.",
    "over": "Registration has ended.",
    "open": "Registration was closed just now.",
}


def closed(window: Window, at: datetime) -> Problem:
    """Registration is not open."""
    return conflict("REGISTRATION_CLOSED", _WHY[phase(window, at)])


def ended() -> Problem:
    """The team was disbanded, or has its money back."""
    return conflict("TEAM_ENDED", "The team has ended: found another one.")
