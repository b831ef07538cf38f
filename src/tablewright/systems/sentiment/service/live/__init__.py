"""What arrives, told to whoever is looking.

===========  ==========================================================================
``live``     :class:`Live`: the streams of readers, and the picture they begin with
``reader``   the one process that makes events of the table's changes
``telling``  which changes are events, and what those say
``journal``  events, written together with how far the changes are read
===========  ==========================================================================
"""

from tablewright.systems.sentiment.service.live.live import Live
from tablewright.systems.sentiment.service.live.reader import TOPIC

__all__ = ["TOPIC", "Live"]
