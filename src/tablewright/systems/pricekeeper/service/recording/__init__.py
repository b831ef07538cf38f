"""Recording usage, exactly once, in groups.

==============  ==========================================================================
``recorder``    takes reports, says what became of each
``preparing``   label, price, day; what is refused at once
``lane``        one organisation's queue. The theory of operation is told there
``group``       what fits into one transaction, and what it writes
``flushing``    one transaction until it is settled
``turns``       the order of flushes, of which one is made while another is on its way
``refusals``    why it was cancelled
``slot``        the writer's slot, and the numbers of flushes
``markers``     which counts are written to
``streaming``   single puts, for organisations whose counters may lag
==============  ==========================================================================
"""

from tablewright.systems.pricekeeper.service.recording.outcome import Outcome
from tablewright.systems.pricekeeper.service.recording.recorder import Recorder

__all__ = ["Outcome", "Recorder"]
