"""Events: what they are, and how they are set up.

``events`` has the events themselves, their settings and seats; ``questions``, ``vouchers`` and
``roles`` what else an event has, each as a part of :class:`Events`.
"""

from __future__ import annotations

from tablewright.systems.kurukshetra.service.events.events import Events, PublicEvent
from tablewright.systems.kurukshetra.service.events.questions import Questions
from tablewright.systems.kurukshetra.service.events.roles import Holder, Roles
from tablewright.systems.kurukshetra.service.events.vouchers import Vouchers

__all__ = ["Events", "Holder", "PublicEvent", "Questions", "Roles", "Vouchers"]
