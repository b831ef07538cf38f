"""Something to look at in a place that is new: four events, with a past of several weeks.

============  ============================================================================
``names``     people, colleges and teams; all of it is made up
``cast``      which events there are, and where the people are whom one can sign in as
``plans``     what every team does, and when
``past``      the use cases at an earlier moment
``acting``    one act of a team, done if it is not done yet
``filling``   all of it through the use cases
``door``      the past event: who came, and what they got for it
============  ============================================================================

Nothing is put into the table that people could not have done themselves, only earlier. Money is the
sandbox's.
"""

from tablewright.systems.kurukshetra.live_demo.filling import fill

__all__ = ["fill"]
