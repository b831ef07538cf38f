"""What organisers may have, by their tier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tablewright.systems.vibejudge.entities import Tier


@dataclass(frozen=True)
class Allowance:
    """The limits of a tier; None is without one."""

    hackathons_a_year: int | None
    #: In each hackathon.
    submissions: int


TIERS: Final[Mapping[Tier, Allowance]] = {
    "free": Allowance(3, 50),
    "premium": Allowance(24, 500),
    "enterprise": Allowance(None, 5000),
}
