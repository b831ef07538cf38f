"""Where messages go."""

from tablewright.service.kit.outbox.sinks.base import SendFailed, Sink
from tablewright.service.kit.outbox.sinks.chosen import sinks_of

__all__ = ["SendFailed", "Sink", "sinks_of"]
