"""All that can be done with assessments."""

from __future__ import annotations

from tablewright.systems.ladders.service.assessments.saving import Saving
from tablewright.systems.ladders.service.assessments.submitting import Submitting


class Assessments(Saving, Submitting):
    """Assessments: read, saved, submitted, reopened."""
