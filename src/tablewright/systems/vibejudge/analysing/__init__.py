"""One repository, fetched and analysed in a process of its own that can be ended at any moment.

The process is confined in memory, time and files. It hears of its end by its standard input: when
whoever started it closes that, or dies, it ends with everything that it has started.

============  ============================================================================
``orders``    what is asked for, and what is answered
``running``   an analysis, as an event loop sees it
``asking``    a new process, asked for
``nursery``   the process that new ones are forked from, having loaded what they need
``__main__``  the new process itself
============  ============================================================================
"""

from tablewright.systems.vibejudge.analysing.orders import Analysis, Order
from tablewright.systems.vibejudge.analysing.running import AnalysisFailed, run

__all__ = ["Analysis", "AnalysisFailed", "Order", "run"]
