"""What a hackathon should be: from a file, JSON or TOML, and from what is typed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path

from tablewright.service.problems import FieldError, invalid
from tablewright.systems.vibejudge.cli.rubric_files import parsed, read_rubric
from tablewright.systems.vibejudge.rules.templates import TEMPLATES

_DATES = ("start_date", "end_date")


def settings_of(file: Path | None, typed: Mapping[str, object]) -> dict[str, object]:
    """What is typed, else what the file says, else the first template's."""
    said = {} if file is None else _members(file)
    values = {**said, **{name: each for name, each in typed.items() if each is not None}}
    for name in _DATES:
        if name in values:
            values[name] = _moment(name, values[name])
    return _with_rubric(values)


def _members(file: Path) -> dict[str, object]:
    found = parsed(file, "--from")
    if not isinstance(found, dict):
        raise invalid(
            FieldError("--from", f"{file} has to say what a hackathon's name is, and so on")
        )
    return found


def _with_rubric(values: dict[str, object]) -> dict[str, object]:
    """A rubric may be named: a template, whose policy goes with it, or a file."""
    named = values.get("rubric", TEMPLATES[0].id)
    if not isinstance(named, str):
        return values
    policies = {each.id: each.ai_policy_mode for each in TEMPLATES}
    policy = {"ai_policy_mode": policies[named]} if named in policies else {}
    return {**policy, **values, "rubric": read_rubric(named).model_dump()}


def _moment(name: str, value: object) -> object:
    """A day begins, and ends, at midnight in UTC; a moment without a zone is one in UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            option = f"--{name.removesuffix('_date')}"
            message = f"{value!r} is no date: 2026-12-04, or 2026-12-04T17:00:00Z"
            raise invalid(FieldError(option, message)) from None
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time())
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value
