"""All that can be done with teams."""

from __future__ import annotations

from tablewright.systems.ladders.service.teams.managing import Managing
from tablewright.systems.ladders.service.teams.roster import Roster


class Teams(Managing, Roster):
    """Teams: new ones, their names, managers and members, and their end."""
