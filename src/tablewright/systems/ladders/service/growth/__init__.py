"""What follows from reports.

==============  ==========================================================================
``actions``     growth actions: what is to be done until when
``history``     somebody's levels over the seasons
``heatmap``     a team at a glance: members by competencies
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.growth.actions import ChangedAction
from tablewright.systems.ladders.service.growth.growth import Growth
from tablewright.systems.ladders.service.growth.heatmap import HeatMap, HeatRow
from tablewright.systems.ladders.service.growth.history import Stand

__all__ = ["ChangedAction", "Growth", "HeatMap", "HeatRow", "Stand"]
