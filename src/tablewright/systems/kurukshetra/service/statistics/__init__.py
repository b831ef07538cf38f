"""What happened from day to day, and whether that is what the table says.

==============  ==========================================================================
``statistics``  figures of an event
``counting``    the same figures, counted from people, teams and payments themselves
==============  ==========================================================================
"""

from tablewright.systems.kurukshetra.service.statistics.counting import Difference
from tablewright.systems.kurukshetra.service.statistics.statistics import Audited, Statistics, Stats

__all__ = ["Audited", "Difference", "Statistics", "Stats"]
