"""Teams.

==============  ==========================================================================
``looking``     finding teams, and who is in them
``keeping``     new teams, their names, and their end
``managing``    who manages a team
``roster``      who is in a team
``refusals``    why something is not done
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.teams.looking import MemberLine, TeamView
from tablewright.systems.ladders.service.teams.teams import Teams

__all__ = ["MemberLine", "TeamView", "Teams"]
