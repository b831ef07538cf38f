"""Analysis: what the active model says about an article, written once.

==============  ==========================================================================
``judging``     a model at work, in threads, within a time limit
``analyst``     an article from pending to analyzed or failed
==============  ==========================================================================
"""

from tablewright.systems.sentiment.service.analyst.analyst import Analyst, Outcome
from tablewright.systems.sentiment.service.analyst.judging import Judging, Unjudged

__all__ = ["Analyst", "Judging", "Outcome", "Unjudged"]
