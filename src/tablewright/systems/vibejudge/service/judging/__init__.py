"""People in it: who judges, what they say, and what comes of it.

================  =================================================================
``judges``        inviting judges, their conflicts, and their end
``rounds``        rounds: set up, opened, paused, closed, locked; how far they are
``assigning``     who judges what
``desk``          what a judge does: the next one, scores, comparisons, skips
``looking_back``  what a judge has said before
``blending``      what judges say and agents say, made one score
``overrides``     the organiser's own score instead
``latest``        writes that rest on what was read last
================  =================================================================

Judges are blind: they see neither what agents say nor what other judges say, before and after a
round is over.
"""

from tablewright.systems.vibejudge.service.judging.judging import Judging

__all__ = ["Judging"]
