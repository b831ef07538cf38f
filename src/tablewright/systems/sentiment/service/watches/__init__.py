"""Topics: which words make an article belong to one."""

from __future__ import annotations

from tablewright.systems.sentiment.service.watches.trials import Hit, Trial, Trials
from tablewright.systems.sentiment.service.watches.watches import Watches

__all__ = ["Hit", "Trial", "Trials", "Watches"]
