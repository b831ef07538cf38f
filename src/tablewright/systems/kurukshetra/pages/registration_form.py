"""The form of the registration: its steps, its fields, and what they become.

A form that is not sent yet is a draft: the fields of all steps by their names, as they were typed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from pydantic import JsonValue

from tablewright.service.email_addresses import EmailError, parse_email
from tablewright.service.forms import Typed, built
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.systems.kurukshetra.bodies.registration import RegistrationIn
from tablewright.systems.kurukshetra.bodies.teams import TeamIn
from tablewright.systems.kurukshetra.events import Config, Question, RequiredField
from tablewright.systems.kurukshetra.pages import paths
from tablewright.systems.kurukshetra.rules import answers, emails, invites, phones, team_names
from tablewright.systems.kurukshetra.rules.crockford import BadCode
from tablewright.systems.kurukshetra.service.people.profiles import missing_fields

Step: TypeAlias = Literal["you", "team", "terms"]
Progress: TypeAlias = Literal["done", "active", "ahead"]
#: How somebody takes part: with a team of their own, by a code, by an invitation, or not yet.
Mode: TypeAlias = Literal["found", "join", "invited", "later"]

STEPS: Final[Sequence[tuple[Step, str]]] = (
    ("you", "You"),
    ("team", "Team"),
    ("terms", "Terms"),
)
_TEXTS: Final = (
    "first_name",
    "last_name",
    "phone",
    "github_username",
    "linkedin",
    "college",
    "year",
)
#: Which step a field belongs to; all others are the first one's.
_OF_TEAM: Final = frozenset({"mode", "name", "track", "emails", "code", "team"})
_NOT_KEPT: Final = frozenset({"csrf_token", "terms"})


@dataclass(frozen=True)
class StepLine:
    """A step, and how far it is."""

    title: str
    progress: Progress
    #: "" if one cannot go there yet.
    path: str


def steps_of(event_id: str, current: Step, draft: Typed, *, fee: bool) -> list[StepLine]:
    """The steps; the last one is the payment, which comes after the registration."""
    names = [name for name, _ in STEPS]
    here = names.index(current)
    # Who has chosen a team before may go on to it.
    reached = max(here, 2 if draft.get("mode") else 1 if draft.get("first_name") else 0)

    def line(place: int, name: Step, title: str) -> StepLine:
        progress: Progress = "active" if place == here else "done" if place < reached else "ahead"
        path = paths.register_path(event_id, name) if place <= reached else ""
        return StepLine(title, progress, path)

    lines = [line(place, name, title) for place, (name, title) in enumerate(STEPS)]
    return [*lines, StepLine("Pay" if fee else "Seat", "ahead", "")]


# --- drafts --------------------------------------------------------------------------------------


def kept(draft: Typed, values: Typed, step: Step) -> dict[str, str]:
    """The draft with what was typed at a step; a box that is not ticked is not sent."""
    others = {name: each for name, each in draft.items() if _step_of(name) != step}
    typed = {name: each for name, each in values.items() if name not in _NOT_KEPT}
    if step == "you":
        typed.setdefault("student_status", "")
    return {**others, **typed}


def _step_of(name: str) -> Step:
    return "team" if name in _OF_TEAM else "you"


def texts_of(data: Mapping[str, JsonValue] | None) -> dict[str, str]:
    """A draft as the form has it; what programs have put there otherwise is left out."""
    return {name: each for name, each in (data or {}).items() if isinstance(each, str)}


# --- who somebody is -----------------------------------------------------------------------------


def read_person(
    values: Typed,
    questions: Sequence[Question],
    country: str | None = None,
    required: Collection[RequiredField] = (),
) -> RegistrationIn:
    """The body that the first step makes, or a problem at its fields."""
    given: dict[str, object] = {name: values.get(name, "") for name in _TEXTS}
    given["student_status"] = values.get("student_status") == "1"
    given["answers"] = {each.question_id: read_answer(each, values) for each in questions}
    wrong = answers.parse_all(questions, given["answers"])[1]  # type: ignore[arg-type]
    body = built(RegistrationIn, given, [*_phone_error(values, country), *_sentences(wrong)])
    if missing := missing_fields(body, required):
        raise invalid(*missing)
    return body


def read_answer(question: Question, values: Typed) -> answers.Given:
    name = f"answers.{question.question_id}"
    if question.kind == "bool":
        return values.get(name) == "1"
    if question.kind == "multi":
        places = (f"{name}.{place}" for place in range(len(question.choices)))
        return [values[each] for each in places if values.get(each)]
    return values.get(name, "")


def _phone_error(values: Typed, country: str | None) -> list[FieldError]:
    text = values.get("phone", "")
    try:
        if text:
            phones.parse(text, country)
    except phones.BadPhone as bad:
        return [FieldError("body.phone", sentence(str(bad)))]
    return []


def _sentences(errors: Sequence[FieldError]) -> list[FieldError]:
    return [FieldError(each.field, sentence(each.message)) for each in errors]


def sentence(text: str) -> str:
    """What a rule says, at a field."""
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


# --- the team ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """How somebody takes part."""

    mode: Mode
    team: TeamIn | None = None
    code: str = ""
    #: The team that has invited them.
    team_id: str = ""


def read_choice(values: Typed, config: Config) -> Choice:
    """What was chosen at the second step, or a problem at its fields."""
    mode = values.get("mode", "")
    if mode == "found":
        return Choice("found", team=read_team(values, config))
    if mode == "join":
        return Choice("join", code=read_code(values))
    if mode == "invited" and values.get("team"):
        return Choice("invited", team_id=values["team"])
    if mode == "later":
        return Choice("later")
    raise invalid(FieldError("body.mode", "Choose one."))


def read_code(values: Typed) -> str:
    try:
        return invites.parse(values.get("code", ""))
    except BadCode as bad:
        raise invalid(FieldError("body.code", sentence(str(bad)))) from None


def read_team(values: Typed, config: Config) -> TeamIn:
    """A new team, or a problem at its fields."""
    said = {"name": values.get("name", ""), "track": values.get("track", "")}
    errors = []
    try:
        team_names.parse(said["name"])
    except team_names.BadTeamName as bad:
        errors.append(FieldError("body.name", sentence(str(bad))))
    if said["track"] not in config.tracks:
        errors.append(FieldError("body.track", "Choose one."))
    errors += _wrong_addresses(addresses(values), config)
    return built(TeamIn, {**said, "invite": addresses(values)}, errors)


def addresses(values: Typed) -> list[str]:
    """One in a line, or with commas between them."""
    text = values.get("emails", "").replace(",", "\n").replace(";", "\n")
    return [each.strip() for each in text.splitlines() if each.strip()]


def _wrong_addresses(wanted: Sequence[str], config: Config) -> list[FieldError]:
    wrong = []
    for each in wanted:
        try:
            if not emails.is_allowed(parse_email(each), config.allowed_domains):
                wrong.append(FieldError("body.emails", f"{each}: its domain may not register."))
        except EmailError:
            wrong.append(FieldError("body.emails", f"{each[:80]} is not an e-mail address."))
    return wrong


# --- what is wrong with it -----------------------------------------------------------------------

#: Fields of forms that a problem without a field is about.
_PLACES: Final = {
    "NAME_TAKEN": "name",
    "REPO_TAKEN": "repo_url",
    "INVITE_INVALID": "code",
    "VOUCHER_INVALID": "voucher",
}


def at_its_field(problem: Problem) -> Problem:
    """What is taken is wrong where it was typed; addresses are lines of one field."""
    errors = [_of_a_line(each) for each in problem.errors]
    if not errors and problem.code in _PLACES:
        errors = [FieldError(f"body.{_PLACES[problem.code]}", problem.detail)]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def _of_a_line(error: FieldError) -> FieldError:
    parts = error.field.split(".")
    for name in ("emails", "invite"):
        if name in parts:
            number = parts[-1]
            where = f"Address {int(number) + 1}: " if number.isdigit() else ""
            return FieldError("body.emails", f"{where}{sentence(error.message)}")
    return FieldError(error.field, sentence(error.message))
