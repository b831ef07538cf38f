"""What can be wrong with the books of a hackathon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "listing",
    "submission_count",
    "lock_missing",
    "lock_of_another",
    "lock_without_submission",
    "cost",
    "score",
    "rank",
    "scorecard",
    "job",
]

#: In the words of a list.
KINDS: Final[Mapping[Kind, str]] = {
    "listing": "the row in its organiser's list says something else",
    "submission_count": "it counts more or fewer submissions than there are",
    "lock_missing": "a submission lacks a lock, so another could have the same",
    "lock_of_another": "a submission's lock belongs to another one",
    "lock_without_submission": "a lock keeps out what does not take part",
    "cost": "what it has cost is not the sum of its calls",
    "score": "a submission's final score or rank does not follow from its scores",
    "rank": "the leaderboard has another score than the submission",
    "scorecard": "a submission says something else than its scorecard",
    "job": "it waits for a job that has ended, or is not there",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong; the same thing found again is equal."""

    kind: Kind
    #: ``hackathon/…``, ``submission/…`` or a lock's key.
    subject: str
    #: What is there, and what should be.
    found: str
    expected: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)
