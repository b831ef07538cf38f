"""Money that goes back.

==============  ===============================================================================
``refunds``     :class:`Refunds`: all of it, for who asks
``requesting``  what finance asks for [T7]
``sending``     asking the gateway, until a refund has come to its end
``ending``      what the gateway says: on its way, back, or failed
``adopting``    what the gateway pays back without being asked here
==============  ===============================================================================

A refund is written down before the gateway is asked, under a key that is its own id: however often
it is asked, it pays back once.
"""

from tablewright.systems.kurukshetra.service.refunds.refunds import Refunds

__all__ = ["Refunds"]
