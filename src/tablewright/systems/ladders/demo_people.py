"""Whom one may sign in as on one's own machine; the demo invites them by their addresses."""

from __future__ import annotations

from typing import Final

from tablewright.service.auth import DemoPerson


def _person(name: str, about: str) -> DemoPerson:
    short = name.split()[0].lower()
    return DemoPerson(f"demo-{short}", name, f"{short}@example.org", about)


DEMO_PEOPLE: Final = (
    _person("Ines Okafor", "administers people and ladders"),
    _person("Omar Lindqvist", "manages two teams"),
    _person("Judith Varga", "manages a team"),
    _person("Lina Moreau", "is assessed"),
    _person("Mateo Silva", "is assessed"),
    _person("Nora Haddad", "is assessed"),
)
