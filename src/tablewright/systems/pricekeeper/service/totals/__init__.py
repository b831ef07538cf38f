"""What has been spent.

==============  ==========================================================================
``totals``      what this process knows: totals, and its own flushes since
``own``         what it has flushed itself
``views``       totals as it last saw them
``selfsum``     sums of counters that it makes itself
``sums``        the sum of a count's shards, and what is in it
``rows``        totals as they are stored
``aggregating`` all totals of an organisation, for the aggregator (``parts``, ``rolling``)
==============  ==========================================================================
"""

from tablewright.systems.pricekeeper.service.totals.selfsum import OrgBooks, Owner
from tablewright.systems.pricekeeper.service.totals.totals import FRESH_SECS, Spend, Totals

__all__ = ["FRESH_SECS", "OrgBooks", "Owner", "Spend", "Totals"]
