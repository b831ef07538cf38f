"""What the real service does to its callers, for tests: stale reads, throttling, failures.

All of it is off unless asked for: ``Engine(path, realism=Realism(lag=0.5))``, or at run time
``engine.realism = Realism(...)``. ``settings`` says what can be asked for; ``lag``, ``throttle``,
``delays`` and ``faults`` each do one of these, and are only there while they are wanted.
"""

from tablewright.engine.realism.settings import Fault, Realism

__all__ = ["Fault", "Realism"]
