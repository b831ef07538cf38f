"""Seats: what is free, holds that end, and the queue.

==============  ===============================================================================
``seats``       :class:`Seats`: all of it, for who asks; and the looks of the workers
``expiring``    holds that have run out [T5]
``waiting``     the queue: getting in [T6b], getting out [T6c], and the offer of a seat [T6]
``queueing``    the queue, as who runs the event sees it
==============  ===============================================================================

All seats of an event are counted in one item, which every one of these transactions writes. The
store cancels transactions that meet at an item, so those of one process do not meet: they take
turns (:meth:`Seats.turn`), and each is alone with its item but for other processes. Those that do
meet are tried again, after pauses by chance.
"""

from tablewright.systems.kurukshetra.service.seats.queueing import Queued
from tablewright.systems.kurukshetra.service.seats.seats import Seats
from tablewright.systems.kurukshetra.service.seats.waiting import Place

__all__ = ["Place", "Queued", "Seats"]
