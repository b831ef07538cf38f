"""What people write: cut from what the demo's people say, no two texts alike."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import NamedTuple

from tablewright.systems.ladders.fields import Feedback
from tablewright.systems.ladders.live_demo.evidence import SAID


class Lengths(NamedTuple):
    """Characters of what is said about one competency, and about all."""

    evidence: int
    next_step: int
    way_forward: int


#: With these, an assessment of the shipped ladder has nearly 15 KB.
USUAL = Lengths(590, 250, 300)
#: There is no room for more.
LONGEST = Lengths(4000, 4000, 8000)


@cache
def _everything() -> str:
    said = [each for found in SAID.values() for texts in found for each in texts]
    return " ".join(said).replace("{work}", "the billing service")


def text(chance: Random, length: int) -> str:
    """Some of it, from anywhere; longer texts come round again."""
    all_of_it = _everything()
    begin = chance.randrange(len(all_of_it))
    repeated = all_of_it[begin:] + all_of_it * (length // len(all_of_it) + 1)
    return repeated[:length].strip().ljust(length, ".")


def feedback(chance: Random, lengths: Lengths) -> Feedback:
    return Feedback(
        evidence=text(chance, lengths.evidence),
        next_level_feedback=text(chance, lengths.next_step),
    )
