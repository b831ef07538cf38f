"""Something to look at in a place that is new: four hackathons, with repositories of their own.

================  ========================================================================
``projects/``     nine projects, each told commit by commit
``stories``       how that is read
``repositories``  bare repositories of them, the same on every machine
``cast``          whose hackathons there are, and which teams take part
``filling``       all of it through the use cases
``bench``         judges, and what they have said so far
``going_on``      what follows when the jobs are done: a release, and judging by people
================  ========================================================================

Nothing is made up: repositories are read at their commits and scored by the agents with fixed
rules, as any others are, by the workers and after the process is up.
"""

from tablewright.systems.vibejudge.live_demo.filling import fill
from tablewright.systems.vibejudge.live_demo.going_on import go_on, worker

__all__ = ["fill", "go_on", "worker"]
