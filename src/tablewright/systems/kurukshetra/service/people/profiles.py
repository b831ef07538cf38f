"""What somebody says about themselves, as rows of the table: checked, hashed and ready to seal."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from tablewright.service.problems import FieldError, invalid
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.events import Question, RequiredField
from tablewright.systems.kurukshetra.fields import slug_of
from tablewright.systems.kurukshetra.people import Answer, Participant
from tablewright.systems.kurukshetra.plain import answered, given
from tablewright.systems.kurukshetra.privacy.blind import BlindIndex
from tablewright.systems.kurukshetra.rules import answers, phones

#: What people call the fields that an event can require.
FIELD_LABELS: Final[dict[RequiredField, str]] = {
    "last_name": "last name",
    "phone": "phone number",
    "college": "college or company",
    "year": "year of study",
    "github_username": "GitHub user name",
}


def missing_fields(body: RegistrationIn, required: Collection[RequiredField]) -> list[FieldError]:
    """What the event requires and the form lacks, in the order of the form."""
    return [
        FieldError(f"body.{name}", f"Enter your {label}.")
        for name, label in FIELD_LABELS.items()
        if name in required and not getattr(body, name)
    ]


class Said:
    """One registration form, checked against the questions of its event."""

    def __init__(
        self,
        body: RegistrationIn,
        questions: Sequence[Question],
        country: str,
        required: Collection[RequiredField] = (),
    ) -> None:
        """A problem 422 with all that is wrong, if something is."""
        self._body = body
        self._questions = {each.question_id: each for each in questions}
        self.texts, errors = answers.parse_all(questions, body.answers)
        errors += missing_fields(body, required)
        self.phone = ""
        try:
            if body.phone:
                self.phone = phones.parse(body.phone, phones.code_of(country))
        except phones.BadPhone as error:
            errors.append(FieldError("body.phone", str(error)))
        if errors:
            raise invalid(*errors)

    def profile(self, blind: BlindIndex) -> dict[str, object]:
        """The fields of a participant; what is personal is still to be sealed."""
        body = self._body
        return {
            "first_name": given(body.first_name),
            "last_name": given(body.last_name),
            "phone": given(self.phone),
            "phone_hash": blind.phone(self.phone) if self.phone else None,
            "github_username": given(body.github_username),
            "linkedin": given(body.linkedin),
            "college": body.college,
            "college_slug": slug_of(body.college),
            "year": body.year,
            "student_status": body.student_status,
        }

    def answers(
        self, person: Participant, at: datetime, before: Mapping[str, Answer] | None = None
    ) -> list[Answer]:
        """What was answered; in place of what was there ``before``."""
        made = []
        for name, text in self.texts.items():
            old = (before or {}).get(name)
            times = {"created_at": at} if old is None else _times(old)
            said = {
                "event_id": person.event_id,
                "participant_id": person.participant_id,
                "question_id": name,
                "value": answered(text, self._questions[name].pii),
            }
            made.append(Answer.model_validate({**said, **times, "updated_at": at}))
        return made

    def taken_back(self, before: Mapping[str, Answer]) -> list[Answer]:
        """What was answered before, is still asked, and is not answered any more."""
        return [
            each
            for name, each in before.items()
            if name in self._questions and name not in self.texts
        ]


def _times(old: Answer) -> dict[str, object]:
    return {"created_at": old.created_at, "version": old.version}
