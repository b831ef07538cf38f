"""Seasons in their order."""

from __future__ import annotations

from random import Random

from tablewright.systems.ladders.rules.seasons import order


def test_a_season_comes_when_it_ends() -> None:
    wanted = ["2025-Q4", "2025-H2", "2025", "2026-Q1", "2026-Q2", "2026-H1", "2026-Q3", "2026"]
    mixed = Random(7).sample(wanted, len(wanted))
    assert sorted(mixed, key=order) == wanted
