"""Pricekeeper, over HTTP: which model an agent may still afford, and who is told what was spent.

It is another system, perhaps on another machine, and may be away: nothing here waits for it for
long, and nothing is lost by it.

==============  ==========================================================================
``pricekeeper``  :class:`Pricekeeper`: the link of this process, if the settings name one
``link``         requests: tokens, and what an answer means
``advising``     which model to ask, kept for a moment
``spending``     what calls have cost: messages of the outbox, and the sink that sends them
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.pricekeeper.pricekeeper import Pricekeeper

__all__ = ["Pricekeeper"]
