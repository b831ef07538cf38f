"""The form of a hackathon: what it shows, and the body that it makes.

Weights are typed in percent and times in UTC; the fields are called as the body's are, so that what
is wrong stands at its field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Final

from tablewright.service.amounts import AmountError, parse_amount
from tablewright.service.forms import Typed, built
from tablewright.service.problems import FieldError, Problem
from tablewright.systems.vibejudge.bodies.hackathons import HackathonIn
from tablewright.systems.vibejudge.entities import (
    ALL_AGENTS,
    TOLERANCE,
    HackathonDetail,
    Rubric,
)
from tablewright.systems.vibejudge.pages.weighing import plain
from tablewright.systems.vibejudge.rules.editing import EDITABLE, editable
from tablewright.systems.vibejudge.rules.templates import TEMPLATES, Template

MOST_DIMENSIONS: Final = 10
ROWS: Final = "rubric.dimensions"
_PARTS: Final = ("name", "weight", "agent", "description")
_AUTHENTICITY: Final = "ai_policy_config.authenticity_weight"
#: What the API says of the whole, by a word of it: where it stands in the form.
_PLACES: Final = (
    ("agents that are not enabled", "agents_enabled"),
    ("ends after it has started", "end_date"),
    ("start_date and an end_date", "start_date"),
    ("custom policy", _AUTHENTICITY),
)


# --- what the form shows -------------------------------------------------------------------------


def values_of(hackathon: HackathonDetail) -> dict[str, str]:
    """A hackathon as its form shows it."""
    config = hackathon.ai_policy_config
    models = hackathon.agent_models
    return {
        "name": hackathon.name,
        "description": hackathon.description or "",
        "visibility": hackathon.visibility,
        "start_date": _moment(hackathon.start_date),
        "end_date": _moment(hackathon.end_date),
        **rubric_values(hackathon.rubric),
        **{_agent(each): "1" if each in hackathon.agents_enabled else "" for each in ALL_AGENTS},
        "agent_provider": hackathon.agent_provider,
        **{_model(each): models[each].model_id if each in models else "" for each in ALL_AGENTS},
        **{_label(each): models[each].label if each in models else "" for each in ALL_AGENTS},
        "ai_policy_mode": hackathon.ai_policy_mode,
        _AUTHENTICITY: "" if config is None else _percent(config.authenticity_weight),
        "budget_limit_usd": f"{plain(hackathon.budget_limit_usd):f}",
        "human_weight": _percent(hackathon.human_weight),
        "min_reviews": str(hackathon.min_reviews),
    }


def first_values() -> dict[str, str]:
    """A new one begins with the first template and the usual settings."""
    return {
        "visibility": "public",
        **template_values(TEMPLATES[0]),
        **{_agent(each): "1" for each in ALL_AGENTS},
        "agent_provider": "static",
        "budget_limit_usd": "5",
        "human_weight": "50",
        "min_reviews": "2",
    }


def template_values(template: Template) -> dict[str, str]:
    return {**rubric_values(template.rubric), "ai_policy_mode": template.ai_policy_mode}


def rubric_values(rubric: Rubric) -> dict[str, str]:
    found = {"rubric.name": rubric.name, "rubric.version": rubric.version}
    for at, each in enumerate(rubric.dimensions):
        row = (each.name, _percent(each.weight), each.agent, each.description)
        found |= {_place(at, part): value for part, value in zip(_PARTS, row, strict=True)}
    return found


def dimension_numbers(values: Mapping[str, object]) -> list[int]:
    """The rows that a form has: those that say anything."""
    return [at for at in range(MOST_DIMENSIONS) if _place(at, "name") in values]


def _place(at: int, part: str) -> str:
    return f"{ROWS}.{at}.{part}"


def _agent(agent: str) -> str:
    return f"agents.{agent}"


def _model(agent: str) -> str:
    return f"agent_models.{agent}.model_id"


def _label(agent: str) -> str:
    return f"agent_models.{agent}.label"


def _moment(value: datetime | None) -> str:
    """As an input for a day and a time has it."""
    return "" if value is None else value.strftime("%Y-%m-%dT%H:%M:%S").removesuffix(":00")


def _percent(share: Decimal) -> str:
    return f"{plain(share * 100):f}"


# --- rows that come and go -----------------------------------------------------------------------


def with_template(values: Typed) -> dict[str, str]:
    """Another rubric in place of the one that was there."""
    chosen = [each for each in TEMPLATES if each.id == values.get("template")]
    if not chosen:
        return dict(values)
    kept = {name: value for name, value in values.items() if not name.startswith(f"{ROWS}.")}
    return {**kept, **template_values(chosen[0])}


def with_row(values: Typed) -> dict[str, str]:
    """One more dimension, which weighs what is left to a whole."""
    rows = _rows(values)
    if len(rows) < MOST_DIMENSIONS:
        total = sum((_number(row["weight"]) or Decimal(0) for row in rows), Decimal(0))
        left = f"{plain(max(Decimal(0), 100 - total)):f}"
        rows.append({"name": "", "weight": left, "agent": ALL_AGENTS[0], "description": ""})
    return _with_rows(values, rows)


def without_row(values: Typed, at: int) -> dict[str, str]:
    """Without one dimension; the last one stays."""
    rows = _rows(values)
    numbers = dimension_numbers(values)
    if len(rows) > 1 and at in numbers:
        del rows[numbers.index(at)]
    return _with_rows(values, rows)


def _rows(values: Typed) -> list[dict[str, str]]:
    return [
        {part: values.get(_place(at, part), "") for part in _PARTS}
        for at in dimension_numbers(values)
    ]


def _with_rows(values: Typed, rows: list[dict[str, str]]) -> dict[str, str]:
    kept = {name: value for name, value in values.items() if not name.startswith(f"{ROWS}.")}
    for at, row in enumerate(rows):
        kept |= {_place(at, part): value for part, value in row.items()}
    return kept


# --- the body that it makes ----------------------------------------------------------------------


@dataclass
class _Reading:
    """What a form says, and what is wrong with it so far."""

    values: Typed
    errors: list[FieldError]

    def wrong(self, name: str, message: str) -> None:
        self.errors.append(FieldError(f"body.{name}", message))

    def share(self, name: str, most: int = 100) -> str:
        """Percent as a share; what cannot be one is told."""
        share = share_of(self.values.get(name, ""), most)
        if share is None:
            self.wrong(name, f"A number from 0 to {most}.")
            return "0"
        return f"{share:f}"

    def budget(self) -> Decimal:
        amount, errors = read_budget(self.values)
        self.errors.extend(errors)
        return amount

    def moment(self, name: str) -> str | None:
        text = self.values.get(name, "")
        if not text:
            return None
        try:
            return f"{datetime.fromisoformat(text).replace(tzinfo=None).isoformat()}Z"
        except ValueError:
            self.wrong(name, "A day and a time, as 2026-12-04T17:00.")
            return None


def read_hackathon(values: Typed, before: HackathonDetail | None = None) -> HackathonIn:
    """The body that a form makes, or a problem at its fields.

    What cannot be changed now is not in the form: it stays as it is.
    """
    free = EDITABLE if before is None else editable(before)
    reading = _Reading(values, [])
    given = {} if before is None else HackathonIn.model_validate(_kept(before)).model_dump()
    given |= {name: value for name, value in _given(reading, free) if name in free}
    return built(HackathonIn, given, reading.errors)


def _kept(hackathon: HackathonDetail) -> dict[str, object]:
    return hackathon.model_dump(include=set(HackathonIn.model_fields))


def _given(reading: _Reading, free: frozenset[str]) -> Iterator[tuple[str, object]]:
    values = reading.values
    for name in ("name", "visibility", "agent_provider", "ai_policy_mode"):
        if name in values:
            yield name, values[name]
    yield "description", values.get("description") or None
    yield "budget_limit_usd", reading.budget()
    if "start_date" in free:
        yield "start_date", reading.moment("start_date")
        yield "end_date", reading.moment("end_date")
    if "human_weight" in free:
        yield "human_weight", reading.share("human_weight")
        yield "min_reviews", values.get("min_reviews", "")
    if "rubric" in free:
        yield "rubric", _rubric(reading)
        yield "agents_enabled", [each for each in ALL_AGENTS if values.get(_agent(each)) == "1"]
        yield "agent_models", _models(values)
        yield "ai_policy_config", _policy(reading)


def _rubric(reading: _Reading) -> dict[str, object]:
    values = reading.values
    dimensions: list[dict[str, object]] = []
    total = Decimal(0)
    for at in dimension_numbers(values):
        row: dict[str, object] = {part: values.get(_place(at, part), "") for part in _PARTS}
        row["weight"] = reading.share(_place(at, "weight"))
        total += Decimal(str(row["weight"]))
        dimensions.append(row)
    if abs(total - 1) > TOLERANCE:
        reading.wrong(ROWS, f"The weights come to {_percent(total)} %, and have to be 100 %.")
    names = [str(each["name"]) for each in dimensions]
    if len(set(names)) < len(names):
        reading.wrong(ROWS, "Two dimensions have the same name.")
    version = values.get("rubric.version") or "1.0"
    return {"name": values.get("rubric.name", ""), "version": version, "dimensions": dimensions}


def _models(values: Typed) -> dict[str, object]:
    """Who says nothing of a label means the model by its own name."""
    return {
        each: {"model_id": model, "label": values.get(_label(each)) or model[:100]}
        for each in ALL_AGENTS
        if (model := values.get(_model(each), ""))
    }


def _policy(reading: _Reading) -> dict[str, object] | None:
    if not reading.values.get(_AUTHENTICITY):
        if reading.values.get("ai_policy_mode") == "custom":
            reading.wrong(_AUTHENTICITY, "A custom policy says how much it is.")
        return None
    return {"authenticity_weight": reading.share(_AUTHENTICITY, 50)}


def read_budget(values: Typed) -> tuple[Decimal, list[FieldError]]:
    """Read a budget as people write amounts: ``$1,500.00``, ``12,50``; with what is wrong."""
    text = values.get("budget_limit_usd", "")
    try:
        return parse_amount(text, decimals=9, currency="USD"), []
    except AmountError as error:
        return Decimal(0), [FieldError("body.budget_limit_usd", str(error))]


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text.replace(",", ".").removesuffix("%").strip())
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def share_of(text: str, most: int = 100) -> Decimal | None:
    """Percent as a share, if it is one."""
    number = _number(text)
    return None if number is None or not 0 <= number <= most else number / 100


def at_its_field(problem: Problem) -> Problem:
    """What the use case says of the whole stands where it can be put right."""
    errors = [_placed(each) for each in problem.errors]
    return Problem(problem.status, problem.code, problem.detail, errors=errors)


def _placed(error: FieldError) -> FieldError:
    for words, place in _PLACES:
        if words in error.message:
            return FieldError(f"body.{place}", f"{error.message[0].upper()}{error.message[1:]}.")
    return error
