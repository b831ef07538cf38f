"""People: registering, reading and editing, drafts, and oneself.

``profiles`` makes the rows of what somebody says, ``registering`` and ``editing`` write them,
``looking`` shows them as far as somebody may see them, ``drafts`` keeps what is not sent yet, and
``myself`` gathers all that is known of one user.
"""

from __future__ import annotations

from tablewright.systems.kurukshetra.service.people.drafts import KeptDraft
from tablewright.systems.kurukshetra.service.people.looking import PersonView
from tablewright.systems.kurukshetra.service.people.myself import Me, MyEvent
from tablewright.systems.kurukshetra.service.people.people import People
from tablewright.systems.kurukshetra.service.people.registering import Registered

__all__ = ["KeptDraft", "Me", "MyEvent", "People", "PersonView", "Registered"]
