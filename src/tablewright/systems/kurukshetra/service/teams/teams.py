"""All that can be done with teams."""

from __future__ import annotations

from tablewright.systems.kurukshetra.service.teams.founding import Founding
from tablewright.systems.kurukshetra.service.teams.naming import Naming
from tablewright.systems.kurukshetra.service.teams.roster import Roster


class Teams(Founding, Roster, Naming):
    """Teams: founding, joining, leaving, leading, naming."""
