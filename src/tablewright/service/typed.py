"""What commands of all systems share: how they read what is typed, and how they say things.

Help imports this for every command, so what takes long to import is imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from tablewright.service.problems import FieldError, invalid

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

B = TypeVar("B", bound="BaseModel")

#: What is typed for standard input.
STDIN = Path("-")

# --- reading -------------------------------------------------------------------------------------


def checked(kind: type[B], values: object) -> B:
    """A body of these values, or a problem with all that is wrong."""
    from pydantic import ValidationError

    try:
        return kind.model_validate(values, strict=False)
    except ValidationError as error:
        raise invalid(*field_errors(error)) from None


def field_errors(error: ValidationError) -> list[FieldError]:
    """What is wrong, without what was given."""
    from tablewright.service.validation_messages import describe_validation_error

    found = error.errors(include_url=False)
    return [
        FieldError(
            ".".join(map(str, each["loc"]))[:200] or "all of it",
            describe_validation_error(each)[:500],
        )
        for each in found
    ]


def file_name(file: Path) -> str:
    """A file for people."""
    return "standard input" if file == STDIN else str(file)


# --- saying --------------------------------------------------------------------------------------


def number(count: int) -> str:
    return f"{count:,}"


def percent(share: float) -> str:
    return f"{share:.1f} %"


def moment(at: datetime | None) -> str:
    return "never" if at is None else f"{at:%Y-%m-%d %H:%M:%S} UTC"


def facts(pairs: Iterable[tuple[str, object]]) -> list[str]:
    """Names and values below each other."""
    shown = [(name, str(value)) for name, value in pairs]
    width = max((len(name) for name, _ in shown), default=0)
    return [f"  {name:{width}}  {value}" for name, value in shown]
