"""Money for calls: what is set aside, what was spent, what it would take.

==============  ==========================================================================
``budgets``     :class:`Budgets`: the books of hackathons, and reservations left behind
``purse``       the money of one run, for its agents to spend
``estimating``  what an analysis would cost, of what models would be shown
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.budgets.budgets import Books, Budgets, Swept
from tablewright.systems.vibejudge.service.budgets.estimating import JobEstimate
from tablewright.systems.vibejudge.service.budgets.purse import Purse

__all__ = ["Books", "Budgets", "JobEstimate", "Purse", "Swept"]
