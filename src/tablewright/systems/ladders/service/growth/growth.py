"""All that follows from reports."""

from __future__ import annotations

from tablewright.systems.ladders.service.growth.actions import Actions
from tablewright.systems.ladders.service.growth.heatmap import HeatMaps
from tablewright.systems.ladders.service.growth.history import Histories


class Growth(Actions, Histories, HeatMaps):
    """Growth actions, history and heat maps."""
