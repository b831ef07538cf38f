"""The questions of a registration form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tablewright.model.ops import InTransaction
from tablewright.service.preconditions import Precondition
from tablewright.systems.kurukshetra import organising
from tablewright.systems.kurukshetra.bodies.organising import QuestionIn, QuestionsIn
from tablewright.systems.kurukshetra.events import Config, Question
from tablewright.systems.kurukshetra.reads import Setup
from tablewright.systems.kurukshetra.service.callers import Caller

if TYPE_CHECKING:
    from tablewright.systems.kurukshetra.service.festival import Festival


class Questions:
    """The questions of a registration form."""

    def __init__(self, festival: Festival) -> None:
        self._festival = festival

    async def list(self, event_id: str) -> tuple[Question, ...]:
        """All of them, in their order."""
        return (await self._festival.events.setup(event_id)).questions

    async def save(self, by: Caller, body: QuestionsIn, said: Precondition) -> Setup:
        """All questions as they should be, from the set-up that somebody has seen. [T8]

        One transaction: the settings on condition that they are the latest, which keeps two authors
        apart; each question that is new or another; those that go; and the audit entry. Answers to
        questions that go stay.
        """
        by.require("organizer")

        def changed(before: Setup) -> tuple[Config, Sequence[InTransaction[Any]]]:
            return before.config, self._differences(before, body.questions)

        return await self._festival.events.rewritten(by, "event.questions", said, changed)

    def _differences(
        self, before: Setup, wanted: Sequence[QuestionIn]
    ) -> Sequence[InTransaction[Any]]:
        now = self._festival.now()
        there = {(each.number, each.question_id): each for each in before.questions}
        ops: list[InTransaction[Any]] = []
        for number, each in enumerate(wanted, start=1):
            old = there.pop((number, each.question_id), None)
            said = {"event_id": before.config.event_id, "number": number, **each.model_dump()}
            kept = {} if old is None else {"version": old.version, "created_at": old.created_at}
            made = Question.model_validate({"created_at": now, **said, "updated_at": now, **kept})
            if old is None or made.model_copy(update={"updated_at": old.updated_at}) != old:
                ops.append(organising.save_question(made))
        gone = (
            organising.drop_question(each.event_id, each.number, each.question_id)
            for each in there.values()
        )
        return [*ops, *gone]
