"""Analysis: tasks leased, repositories read, agents asked, results published.

Every process takes tasks. A task is leased to one at a time, for as long as it gives a sign of
life; whatever is written for it rests on that lease. So a process may be slow, stopped or killed at
any point: another goes on with the same run, the same commit and the agents that have answered.

==============  ==========================================================================
``analyst``     :class:`Analyst`: how many tasks are in work here, and which are next
``finding``     tasks that are due, without reading much when nothing is
``claiming``    a task becomes ours (T6)
``attempt``     one attempt at a task, and how it ends
``judging``     the agents, with a model or without
``publishing``  the result of a run (T9)
``beating``     signs of life
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.analyst.analyst import Analyst

__all__ = ["Analyst"]
