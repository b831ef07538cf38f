"""A rubric from a file, JSON or TOML, or one of the templates."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.service.problems import FieldError, invalid
from tablewright.service.typed import checked, file_name

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.entities import Rubric

_MOST_BYTES = 1 << 20


def read_rubric(text: str) -> Rubric:
    """The rubric of a template or in a file: by itself, or the member ``rubric`` of a hackathon."""
    from tablewright.systems.vibejudge.entities import Rubric
    from tablewright.systems.vibejudge.rules.templates import TEMPLATES

    file = Path(text)
    known = {each.id: each.rubric for each in TEMPLATES}
    if text in known and not file.exists():
        return known[text]
    if not file.exists():
        message = f"there is no file {text}, nor a template; templates: {', '.join(known)}"
        raise invalid(FieldError("--rubric", message))
    found = parsed(file, "--rubric")
    inner = found.get("rubric", found) if isinstance(found, dict) else found
    if isinstance(inner, dict):
        inner = {"name": file.stem[:100] or "Rubric", **inner}
    return checked(Rubric, inner)


def parsed(file: Path, option: str) -> object:
    """What a file says, JSON or TOML; numbers with a point come as texts, which are exact."""
    try:
        data = file.read_bytes()[: _MOST_BYTES + 1]
    except OSError as error:
        message = f"{file_name(file)}: {error.strerror or error}"
        raise invalid(FieldError(option, message)) from None
    if len(data) > _MOST_BYTES:
        raise invalid(FieldError(option, f"{file_name(file)} is too large"))
    try:
        text = data.decode("utf-8-sig")
        # Decimal from the beginning: .1 and .2 are .3 then.
        if file.suffix.lower() == ".toml":
            return tomllib.loads(text, parse_float=str)
        return json.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise invalid(FieldError(option, f"{file_name(file)}: {error}")) from None
