"""`roles`: the first organiser, where the identity provider sends no roles."""

from __future__ import annotations

from tests.systems.kurukshetra.cli.placed import Placed
from tests.systems.kurukshetra.support import person

from tablewright.systems.kurukshetra.service.festival import Festival


def test_first_organiser_is_made_on_the_command_line(placed: Placed) -> None:
    assert "Nobody" in placed("roles", "list").out
    granted = placed.json("roles", "grant", "olga@people.test", "organiser", "finance")
    assert granted == {"who": "olga@people.test", "event": None, "roles": ["finance", "organizer"]}

    async def may_create(festival: Festival) -> bool:
        return (await festival.access.user(person("olga"))).has("organizer")

    assert placed.festival(may_create)
    assert "olga@people.test" in placed("roles", "list").out
    left = placed.json("roles", "revoke", "olga@people.test", "finance")
    assert left["roles"] == ["organizer"]
    placed("roles", "revoke", "olga@people.test")
    assert not placed.festival(may_create)


def test_roles_that_cannot_be_granted_say_why(placed: Placed) -> None:
    assert "organiser" in placed.fails("roles", "grant", "olga@people.test")
    assert "e-mail" in placed.fails("roles", "grant", "olga@", "organiser")
    missing = placed.fails("roles", "grant", "o@people.test", "organiser", "--event", "nowhere")
    assert "no event" in missing
