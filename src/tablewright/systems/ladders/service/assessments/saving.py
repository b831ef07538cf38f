"""Autosave: some answers at a time, into what their author has seen."""

from __future__ import annotations

from datetime import datetime

from tablewright.model import Update, definition
from tablewright.model.errors import OutcomeUnknown
from tablewright.service.conflicts import refused
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import FieldError, invalid
from tablewright.systems.ladders import reviewing
from tablewright.systems.ladders.bodies.assessments import SaveIn
from tablewright.systems.ladders.entities import Assessment
from tablewright.systems.ladders.fields import MAX_ITEM_BYTES, Ladder
from tablewright.systems.ladders.reviewing import Outlook
from tablewright.systems.ladders.rules import scores
from tablewright.systems.ladders.rules.answers import applied, faults
from tablewright.systems.ladders.service.assessments.looking import FoundAssessment, Looking
from tablewright.systems.ladders.service.assessments.refusals import (
    locked,
    plan_not_active,
    too_large,
    withdrawn,
)
from tablewright.systems.ladders.service.callers import Caller
from tablewright.systems.ladders.service.revisions import check_seen
from tablewright.systems.ladders.service.settling import renewed
from tablewright.values import item_size


class Saving(Looking):
    """Saving answers."""

    async def save(
        self, by: Caller, assessment_id: str, body: SaveIn, said: Precondition
    ) -> Assessment:
        """Some answers, by its assessor: the member, or who manages the team now.

        One write of the assessment, on condition that it is at the revision that was seen, not
        submitted and not withdrawn. The plan and the team are read consistently before it.
        """
        now = self._company.now()
        last: list[Assessment] = []

        async def think() -> Update[Assessment] | None:
            found = await self._found(by, assessment_id)
            _check_open(found)
            check_seen(said, found.assessment.revision)
            if body.is_empty:
                last.append(found.assessment)
                return None
            op, after = await self._saving(by, found, body, now)
            last.append(after)
            return op

        try:
            saved = await renewed(self._company.db, think, when=refused)
        except OutcomeUnknown:
            # Only the answer may be lost: then what is there is what was to be written.
            if (await self._found(by, assessment_id)).assessment != last[-1]:
                raise
            saved = None
        return last[-1] if saved is None else saved

    async def _saving(
        self, by: Caller, found: FoundAssessment, body: SaveIn, now: datetime
    ) -> tuple[Update[Assessment], Assessment]:
        """The write, and the assessment as it is after it."""
        ladder, before = await self._company.configs.ladder(found.plan), found.assessment
        _check(before, ladder, body)
        answers = applied(before, body.answers())
        outlook = _outlook(before, body)
        answered = scores.answered(answers.selections)
        after = before.model_copy(
            update={
                "selections": answers.selections,
                "feedback": answers.feedback,
                "answered": answered,
                "status": "in_progress",
                "assessor_id": by.user_id,
                "updated_at": now,
                "revision": before.revision + 1,
                **({} if outlook is None else outlook._asdict()),
            }
        )
        if item_size(definition(after).encode(after)) > MAX_ITEM_BYTES:
            raise too_large(MAX_ITEM_BYTES)
        op = reviewing.save_answers(
            before, answers.levels, answers.told, answered, by.user_id, now, outlook
        )
        assert isinstance(op, Update)
        return op, after


def _check_open(found: FoundAssessment) -> None:
    found.require("write")
    if found.assessment.withdrawn_at is not None:
        raise withdrawn()
    if found.assessment.status == "submitted":
        raise locked()
    if found.plan.status != "active":
        raise plan_not_active()


def _check(before: Assessment, ladder: Ladder, body: SaveIn) -> None:
    wrong = [
        FieldError(f"body.changes.{each.place}.{each.field}", each.message)
        for each in faults(before, ladder, body.answers())
    ]
    most = scores.level_count(ladder)
    for name in ("goal_level", "overall_level"):
        level = getattr(body, name)
        if level is not None and level > most:
            wrong.append(FieldError(f"body.{name}", f"must be from 1 to {most}"))
    overrides = body.model_fields_set & {"overall_level", "overall_reason"}
    if before.assessment_type == "self" and overrides:
        message = "is set by the manager, in the manager's assessment"
        wrong += [FieldError(f"body.{name}", message) for name in sorted(overrides)]
    if wrong:
        raise invalid(*wrong)


def _outlook(before: Assessment, body: SaveIn) -> Outlook | None:
    """Both parts, with what is not changed; None if neither is."""
    given = body.model_fields_set & set(Outlook._fields)
    if not given:
        return None
    stored = {name: getattr(before, name) for name in Outlook._fields}
    return Outlook(**{**stored, **{name: getattr(body, name) or None for name in given}})
