"""Jobs: all submissions of a hackathon analysed, once at a time.

A job is queued until all of its tasks are there, then it runs; tasks are added to a queued job
only, so that the sum of a running one is known. It ends with its last task. Cancelled, it runs
until the last task in work has stopped: the hackathon is free only when nobody writes for it any
more. Resumed, it is queued again with what it has not done. Whoever dies in between, the sweeper
goes on from what is stored.

==============  ==========================================================================
``jobs``        :class:`Jobs`: what people ask for
``filling``     the tasks of a queued job
``ending``      the end of a job: done, or cancelled
``sweeping``    what others have left undone
==============  ==========================================================================
"""

from tablewright.systems.vibejudge.service.jobs.jobs import Jobs

__all__ = ["Jobs"]
