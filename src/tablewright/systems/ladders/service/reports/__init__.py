"""Reports.

==============  ==========================================================================
``looking``     finding reports, who may see them, and both sides next to each other
``building``    making them, when both assessments are in
``sharing``     releasing, withdrawing, acknowledging
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.reports.looking import FoundReport, SideBySide
from tablewright.systems.ladders.service.reports.reports import Reports

__all__ = ["FoundReport", "Reports", "SideBySide"]
