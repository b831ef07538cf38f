"""Something to look at in a place that is new: three organisations that have been at work.

==============  ==========================================================================
``cast``        who there is: organisations, apps, labels, limits
``traffic``     what they have called, and what that cost; pure, the same for the same clock
``books``       the totals of what was called, as they are stored
``filling``     all of it through the use cases
==============  ==========================================================================

The last days are recorded as any report is, so that ledger, counters and totals agree. Of the days
before, only totals are there, summed from what the same traffic would have been.
"""

from tablewright.systems.pricekeeper.live_demo.filling import fill

__all__ = ["fill"]
