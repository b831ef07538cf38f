"""How often things happen, for patterns to say.

Two figures are given: a month has ten hackathons with 500 submissions each, over which averages are
taken; and models take at least 25 minutes for 50 submissions, which is the peak of a job. The rest
is assumed: how often pages are looked at, how fast judges are, and that what comes before and after
a job takes an hour. A job without models does not wait for any, and takes all units there are.
"""

from __future__ import annotations

from tablewright.model import Rate

_MONTH = 30 * 24 * 3600

HACKATHONS = 10
SUBMISSIONS = 5_000
AGENTS = 4
#: Submissions a second while a job runs.
BUSY = 50 / (25 * 60)


def monthly(calls: float, peak: float | None = None) -> Rate:
    """So many calls a month, and at most ``peak`` a second."""
    average = calls / _MONTH
    return Rate(average, None if peak is None else max(average, peak))


#: What an organiser does to a hackathon now and then.
RARE = monthly(HACKATHONS * 20)
#: A page that organisers, judges and visitors look at.
VIEWED = Rate(0.05, peak=0.1)
#: Once for each submission of a job.
EACH = monthly(SUBMISSIONS, peak=BUSY)
#: The same before or after the job, within an hour.
ONCE = monthly(SUBMISSIONS, peak=50 / 3600)
#: Once for each agent of each submission.
EACH_AGENT = monthly(SUBMISSIONS * AGENTS, peak=BUSY * AGENTS)
#: Three judges look at each submission; ten of them take five minutes each.
JUDGED = monthly(SUBMISSIONS * 3, peak=10 / 300)
#: Every 30 seconds, in each of the eight partitions.
SWEPT = Rate(8 / 30)
