"""Something to look at in a place that is new: a company in the middle of its reviews.

============  ============================================================================
``cast``      people and teams, how far everybody is; all of it is made up
``evidence``  what they say to each competency
``answers``   an assessment that somebody writes
``past``      the use cases at an earlier moment
``acting``    the review of one person, each step if it is not done yet
``filling``   all of it through the use cases
============  ============================================================================

Nothing is put into the tables that people could not have done themselves, only earlier.
"""

from tablewright.systems.ladders.live_demo.filling import fill, is_there

__all__ = ["fill", "is_there"]
