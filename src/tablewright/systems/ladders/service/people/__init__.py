"""People.

==============  ==========================================================================
``signing_in``  who a caller is, from their first sign-in on, and what they are to a team
``users``       what administrators do: inviting, roles, deactivating
``erasing``     forgetting somebody
``my_data``     what there is about oneself
==============  ==========================================================================
"""

from tablewright.systems.ladders.service.people.my_data import MyData
from tablewright.systems.ladders.service.people.people import People

__all__ = ["MyData", "People"]
