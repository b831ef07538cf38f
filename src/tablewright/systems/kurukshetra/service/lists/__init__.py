"""Lists for who runs an event, page by page.

==============  ==========================================================================
``lists``       registrations and payments, filtered, as far as a role may see them
``walking``     several lists as one, and the cursor that goes with it
``rows``        people with their teams, opened or masked
==============  ==========================================================================
"""

from tablewright.systems.kurukshetra.service.lists.lists import Lists
from tablewright.systems.kurukshetra.service.lists.rows import Row
from tablewright.systems.kurukshetra.service.lists.walking import Wanted

__all__ = ["Lists", "Row", "Wanted"]
