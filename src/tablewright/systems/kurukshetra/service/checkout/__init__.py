"""Checkout: a seat is held, and an order is made for it.

==============  ===============================================================================
``checkout``    :class:`Checkout`: from a team to an order that can be paid
``holding``     the seat: held, or the team's at once where nothing is to pay [T3]
``pricing``     what is to pay: the fee, and what a voucher takes off it
``ordering``    the gateway's order for a payment: made once, and found again [T3b]
==============  ===============================================================================

Each step can be repeated, by the same people or others, after an answer that was lost or a process
that was killed: what the step before has written says where to go on.
"""

from tablewright.systems.kurukshetra.service.checkout.checkout import Checkout, Started

__all__ = ["Checkout", "Started"]
