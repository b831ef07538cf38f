"""A gateway of one's own: Razorpay's contract over real HTTP, with money that is not real.

For demos without an account, and for tests: the same client speaks to it, at another address. What
it has acknowledged survives a kill. It tells what happens by webhooks, for 24 hours until somebody
takes them; on demand it is late, repeats itself, mixes things up, forgets, fails, or garbles. All
of that follows from its seed, its clock and the requests in their order.

=================  ==============================================================
``settings``       who may ask, whom it tells, and how badly it behaves
``chance``         decisions that follow from the seed, and ids
``store``          its SQLite file
``entities``       documents of orders, payments, refunds and events
``refusals``       what it says to requests that it does not take
``ordering``       orders: making, finding
``paying``         payments: attempts, captures
``refunding``      refunds: making, ending
``telling``        events, and when they are to be delivered
``work``           one transaction
``bank``           :class:`Bank`: all of that, one transaction after the other
``courier``        delivers what is due
``faults``         requests that go wrong
``routes``         requests to acts of the bank
``server``         the same over HTTP
``running``        :func:`sandbox`, for a process or a test
=================  ==============================================================
"""

from tablewright.systems.kurukshetra.sandbox.bank import Bank
from tablewright.systems.kurukshetra.sandbox.running import Running, sandbox
from tablewright.systems.kurukshetra.sandbox.settings import Misbehaviour, SandboxSettings

__all__ = ["Bank", "Misbehaviour", "Running", "SandboxSettings", "sandbox"]
