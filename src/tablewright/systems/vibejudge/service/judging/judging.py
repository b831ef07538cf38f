"""All that has to do with judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablewright.systems.vibejudge.service.judging.assigning import Assigning
from tablewright.systems.vibejudge.service.judging.blending import Blending
from tablewright.systems.vibejudge.service.judging.desk import Desk
from tablewright.systems.vibejudge.service.judging.judges import Judges
from tablewright.systems.vibejudge.service.judging.looking_back import LookingBack
from tablewright.systems.vibejudge.service.judging.overrides import Overrides
from tablewright.systems.vibejudge.service.judging.reviews import Reviews
from tablewright.systems.vibejudge.service.judging.rounds import Rounds

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Judging:
    """Judges, rounds, and what they decide."""

    def __init__(self, courtroom: Courtroom) -> None:
        self.judges = Judges(courtroom)
        self.rounds = Rounds(courtroom)
        self.assigning = Assigning(courtroom)
        self.desk = Desk(courtroom)
        self.looking_back = LookingBack(courtroom)
        self.blending = Blending(courtroom)
        self.overrides = Overrides(courtroom)
        self.reviews = Reviews(courtroom)
