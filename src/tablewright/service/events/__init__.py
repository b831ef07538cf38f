"""Server-sent events: what happened, told to whoever is looking.

==============  ==========================================================================
``hub``         :class:`Events`: publishing, and the streams that readers get
``readers``     one reader's queue
``positions``   the ids of events, by which a reader that was cut off goes on
``lasting``     events that are kept in the table, so that every process can tell them
``wire``        events as text
``lookouts``    things that are looked at while somebody follows them
==============  ==========================================================================
"""

from tablewright.service.events.hub import Events
from tablewright.service.events.wire import Event

__all__ = ["Event", "Events"]
