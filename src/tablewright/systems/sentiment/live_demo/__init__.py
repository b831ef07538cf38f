"""Something to look at in a place that is new: a month of news about five topics.

==============  ==========================================================================
``cast``        topics, sources, rules of alerts, and what people have said
``filling``     all of it through the use cases, and a month of articles
``past``        alerts that would have been raised in that month
``replay``      a headline every few seconds from then on
==============  ==========================================================================

Articles of the past come in as published, analysed already. Those that follow are queued, analysed
and told of like any others.
"""

from tablewright.systems.sentiment.live_demo.filling import fill
from tablewright.systems.sentiment.live_demo.replay import worker

__all__ = ["fill", "worker"]
