"""Comparing models, and putting one in another's place.

==============  ==========================================================================
``jobs``        what people ask for, and the job that is worked on
``slices``      the articles of some time, hour by hour
``comparing``   what another model says about them
``promoting``   its results instead of the old ones
==============  ==========================================================================
"""

from tablewright.systems.sentiment.service.jobs.jobs import Jobs

__all__ = ["Jobs"]
