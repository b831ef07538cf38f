"""Assessments.

==============  ==========================================================================
``looking``     finding assessments, and who may see what of them
``saving``      autosave: some answers at a time
``submitting``  the end of the work, and going on with it after all
``refusals``    why something is not done
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.assessments.assessments import Assessments
from tablewright.systems.ladders.service.assessments.looking import (
    FoundAssessment,
    ListedAssessment,
)

__all__ = ["Assessments", "FoundAssessment", "ListedAssessment"]
