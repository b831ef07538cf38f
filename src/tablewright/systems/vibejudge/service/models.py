"""The agents that ask a model, as a hackathon and the settings say."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom


class Models:
    """The agents that ask a model, as a hackathon and the settings say."""

    def __init__(self, courtroom: Courtroom) -> None:
        self._courtroom = courtroom
