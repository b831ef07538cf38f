"""All that is about people, in one place."""

from __future__ import annotations

from tablewright.systems.ladders.service.people.erasing import Erasing
from tablewright.systems.ladders.service.people.my_data import Exporting
from tablewright.systems.ladders.service.people.signing_in import SigningIn


class People(SigningIn, Erasing, Exporting):
    """Signing in, inviting, roles, deactivating, erasing, and one's own data."""
