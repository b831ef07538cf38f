"""All that is about plans, in one place."""

from __future__ import annotations

from tablewright.systems.ladders.service.plans.activating import Activating
from tablewright.systems.ladders.service.plans.drafting import Drafting
from tablewright.systems.ladders.service.plans.roster import Roster
from tablewright.systems.ladders.service.plans.turning import Turning


class Plans(Drafting, Activating, Turning, Roster):
    """Drafting, activating, completing, archiving, reopening, and who takes part."""
