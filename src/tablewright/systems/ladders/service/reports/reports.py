"""All that can be done with reports."""

from __future__ import annotations

from tablewright.systems.ladders.service.reports.building import Building
from tablewright.systems.ladders.service.reports.sharing import Sharing


class Reports(Building, Sharing):
    """Reports: built, read, released, acknowledged."""
