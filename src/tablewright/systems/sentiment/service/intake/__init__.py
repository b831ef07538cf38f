"""Articles on their way in: cleaned, matched with topics, and stored once."""

from __future__ import annotations

from tablewright.systems.sentiment.service.intake.candidates import Outcome, Result
from tablewright.systems.sentiment.service.intake.intake import Intake
from tablewright.systems.sentiment.service.intake.uploads import LineError, Upload, Uploads

__all__ = ["Intake", "LineError", "Outcome", "Result", "Upload", "Uploads"]
