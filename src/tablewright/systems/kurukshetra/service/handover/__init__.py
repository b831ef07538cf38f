"""The handover of paid teams' repositories to judging.

==============  ==========================================================================
``handover``    :class:`Handover`: the job, and what becomes of each team
``link``        vibejudge at an address, with an API key
==============  ==========================================================================

On one's own machine vibejudge may be in the same process: then it offers the same port there.
"""

from tablewright.systems.kurukshetra.service.handover.handover import Handover

__all__ = ["Handover"]
