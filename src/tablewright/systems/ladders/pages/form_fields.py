"""The fields of all forms: what the page calls them, and how to fill them in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from tablewright.service.forms import built
from tablewright.service.problems import FieldError, Problem, invalid

B = TypeVar("B", bound=BaseModel)
_MISSING: Final = "Is missing."


class FormField(NamedTuple):
    """A field as people see it."""

    label: str
    #: What to enter, with an example.
    help: str = ""
    #: Whether the help alone says what is wrong, as for a day that cannot be read.
    is_choice: bool = False


#: By the place of their errors: ``body.plan_name``.
FormFields: TypeAlias = Mapping[str, FormField]

_DAY: Final = "Choose a day, for example 2026-11-30."
REASON: Final[FormFields] = {
    "body.reason": FormField(
        "Reason", "Give a reason of 5 to 500 characters, for example “A project was forgotten.”"
    )
}
TEAM: Final[FormFields] = {
    "body.team_name": FormField("Name", "Enter 2 to 100 characters, for example “Platform”."),
    "body.description": FormField("What it is about", "Use at most 1000 characters of text."),
    "body.manager_id": FormField("Manager", "Choose a person from the list."),
    "body.emails": FormField("E-mail addresses"),
    "body.user_ids": FormField("Member"),
}
PLAN: Final[FormFields] = {
    "body.plan_name": FormField("Name", "Enter 2 to 100 characters, for example “Autumn review”."),
    "body.season": FormField(
        "Season",
        "Use a year from 2000 to 2100, a half or a quarter: 2026, 2026-H2 or 2026-Q4.",
        is_choice=True,
    ),
    "body.start_date": FormField("First day", _DAY, is_choice=True),
    "body.end_date": FormField("Last day", _DAY, is_choice=True),
    "body.description": FormField(
        "What members should know", "Use at most 2000 characters of text."
    ),
    "body.config_version": FormField(
        "Ladder", "Choose one of the versions, for example 1.0.0.", is_choice=True
    ),
    "body.flag_threshold": FormField(
        "Flag a difference of", "Enter a whole number from 1 to 9, for example 2.", is_choice=True
    ),
    "body.user_id": FormField("Member"),
    "body.reason": FormField("Why", REASON["body.reason"].help),
}
PERSON: Final[FormFields] = {
    "body.email": FormField("E-mail address", "Enter one, for example asha@example.org."),
    "body.name": FormField("Name", "Enter 1 to 100 characters, for example “Lina Moreau”."),
    "body.roles": FormField("Roles", "Tick the roles that they have."),
    "body.confirm": FormField("Type their address to confirm"),
}
REPORT: Final[FormFields] = {
    "body.comment": FormField("Comment", "Use at most 2000 characters of text."),
    **REASON,
}
ACTION: Final[FormFields] = {
    "body.title": FormField("What", "Say what is to be done, for example “Run the design review”."),
    "body.due": FormField("Until", _DAY, is_choice=True),
    "body.note": FormField("Note", "Use at most 1000 characters of text."),
    "body.status": FormField("Status", "Choose open, done or dropped.", is_choice=True),
}
OUTLOOK: Final[FormFields] = {
    "body.goal_level": FormField("Goal"),
    "body.overall_level": FormField("Overall level"),
    "body.overall_reason": FormField("Reason for another overall level"),
    "body.way_forward": FormField("Way forward"),
    **REASON,
}
_OF_PAGES: Final[Mapping[str, FormFields]] = {
    "team": TEAM,
    "teams": TEAM,
    "all_teams": TEAM,
    "plan": PLAN,
    "plan_new": PLAN,
    "user": PERSON,
    "users": PERSON,
    "report": REPORT,
    "assessment": OUTLOOK,
    "assessment_check": OUTLOOK,
    "assessment_read": OUTLOOK,
    "ladder_editor": {"body.version": FormField("Version")},
}


def read_form(
    kind: type[B],
    values: Mapping[str, object],
    fields: FormFields,
    errors: Sequence[FieldError] = (),
) -> B:
    """Read a form into a body, or raise the problem that says how to mend each field."""
    try:
        return built(kind, values, errors)
    except Problem as problem:
        raise invalid(*(_with_help(each, fields) for each in problem.errors)) from None


def _with_help(error: FieldError, fields: FormFields) -> FieldError:
    field = fields.get(error.field)
    if field is None or not field.help or error.message.endswith(field.help):
        return error
    if field.is_choice and error.message != _MISSING:
        return FieldError(error.field, field.help)
    return FieldError(error.field, f"{_sentence(error.message)} {field.help}")


def label_of(place: str, fields: FormFields) -> str:
    """Return the label of a field; one of several in a list has that of the list."""
    field = fields.get(place) or fields.get(re.sub(r"\.\d+\Z", "", place))
    return field.label if field is not None else ""


def fields_of_page(template: str) -> FormFields:
    """Return the fields on a page: ``ladders/plan.html``."""
    return _OF_PAGES.get(template.removeprefix("ladders/").removesuffix(".html"), {})


def in_sentences(problem: Problem) -> Problem:
    """Return the problem with messages that can stand alone, as pages show them."""
    errors = [FieldError(each.field, _sentence(each.message)) for each in problem.errors]
    return Problem(
        problem.status,
        problem.code,
        problem.detail,
        errors=errors,
        headers=problem.headers,
        extra=problem.extra,
        leads_to=problem.leads_to,
    )


def describe_problem(problem: Problem, fields: FormFields) -> str:
    """Say what is wrong in one line, each field by its label, where there is no form to show."""
    return " ".join(_labelled(each, fields) for each in problem.errors) or problem.detail


def _labelled(error: FieldError, fields: FormFields) -> str:
    label, message = label_of(error.field, fields), _sentence(error.message)
    return f"{label}: {message}" if label else message


def _sentence(message: str) -> str:
    end = "" if message.endswith((".", "!", "?", "”")) else "."
    return f"{message[:1].upper()}{message[1:]}{end}"
