"""Rules, when they fire, and who has seen it.

==============  ==========================================================================
``alerts``      :class:`Alerts`: rules as people edit them, the log, the chart of a rule
``channels``    where a rule may send, and how its messages are signed
``evaluating``  judging rules about articles, and what comes of it
``operating``   judging the system itself
``digests``     alerts that are told together
``windows``     the figures that are judged
``telling``     what goes out
==============  ==========================================================================
"""

from tablewright.systems.sentiment.service.alerts.alerts import Alerts, ChartPoint

__all__ = ["Alerts", "ChartPoint"]
