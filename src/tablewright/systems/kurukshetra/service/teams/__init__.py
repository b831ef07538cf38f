"""Teams.

==============  ==========================================================================
``looking``     finding teams, who may see what of them, and changing what was found
``founding``    new teams
``roster``      joining, leaving, leading, disbanding
``inviting``    codes, and invitations by mail
``naming``      names, tracks, repositories
``refusals``    why something is not done
==============  ==========================================================================
"""

from tablewright.systems.kurukshetra.service.teams.looking import (
    InvitedLine,
    MemberLine,
    TeamView,
)
from tablewright.systems.kurukshetra.service.teams.teams import Teams

__all__ = ["InvitedLine", "MemberLine", "TeamView", "Teams"]
