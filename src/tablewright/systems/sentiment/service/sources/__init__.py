"""Where articles come from.

=============  ===============================================================
``sources``    what people see and change of sources
``quotas``     how many calls a day a source has, and how many are left
``calling``    one call: its quota, its tries, and what its failure leads to
``readers``    how each kind of source is read, page by page
``reading``    one run of a source, from its first to its last row
``runs``       which run is when: under a lease, at its time or when asked for
=============  ===============================================================
"""

from tablewright.systems.sentiment.service.sources.quotas import Allowance
from tablewright.systems.sentiment.service.sources.sources import Sources, Standing

__all__ = ["Allowance", "Sources", "Standing"]
