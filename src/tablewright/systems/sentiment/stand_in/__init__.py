"""A NewsAPI of one's own: the real contract over real HTTP, with faults on demand.

For demos without an account, and for tests. See :class:`StandIn` and :func:`serving`.

=============  ============================================
``articles``   what it knows, and which of that is asked for
``contract``   what it answers
``server``     the same over HTTP
=============  ============================================
"""

from tablewright.systems.sentiment.stand_in.contract import Fault, StandIn
from tablewright.systems.sentiment.stand_in.server import serving

__all__ = ["Fault", "StandIn", "serving"]
