"""The door: tickets are scanned, online or later.

================  ==========================================================================
``door``          :class:`Door`: one scan, many scans of a door that was offline, undoing
``directory``     people, found by name, phone number, team or short code
``scanning``      one scan as transactions: which result it has, and which scan counts
================  ==========================================================================
"""

from tablewright.systems.kurukshetra.service.door.directory import DoorPerson
from tablewright.systems.kurukshetra.service.door.door import Door, Outfit
from tablewright.systems.kurukshetra.service.door.scanning import Passing

__all__ = ["Door", "DoorPerson", "Outfit", "Passing"]
