"""The books of all hackathons: copies, counters, locks and sums beside what they are made of.

==============  ==========================================================================
``findings``    what can be wrong
``held``        all that is looked at of a hackathon
``comparing``   what is wrong with it, and what would put it right
``auditing``    one hackathon after the other
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.auditing.auditing import Audited, Auditing
from tablewright.systems.vibejudge.service.auditing.findings import KINDS, Finding, Kind

__all__ = ["KINDS", "Audited", "Auditing", "Finding", "Kind"]
