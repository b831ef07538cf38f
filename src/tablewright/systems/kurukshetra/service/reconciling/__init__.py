"""Our books against the gateway's, day by day.

==============  ===============================================================================
``reconciling`` :class:`Reconciling`: asked for, or every night; and what was found
``captured``    what the gateway captured: does everything have its effect here?
``claimed``     what we say was paid: did the gateway capture it?
==============  ===============================================================================

What can be put right is: a capture that had no effect gets it, a second one goes back, a refund of
the gateway's own is adopted. All of it is noted, also what somebody has to see to.
"""

from tablewright.systems.kurukshetra.service.reconciling.reconciling import Reconciling

__all__ = ["Reconciling"]
