"""What people type into forms: read into bodies, or told what is wrong, field by field.

A form that is refused comes back with what was typed. Its fields are called as the body's are, so
that what the use case finds wrong stands at the right one: ``body.quotas.premium`` is the field
``quotas.premium``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from pydantic import BaseModel, ValidationError

from tablewright.service.problems import FieldError, invalid
from tablewright.service.validation_messages import describe_validation_error

if TYPE_CHECKING:
    from starlette.requests import Request

B = TypeVar("B", bound=BaseModel)
#: By the names of fields, as it was typed.
Typed: TypeAlias = Mapping[str, str]

#: Fields of one form; a table of twenty lines with four fields each has eighty.
_MOST_FIELDS = 2000
_NO_FORMATS: Mapping[str, str] = {}


async def typed(request: Request) -> dict[str, str]:
    """The fields of a form, without spaces around them; files are none."""
    form = await request.form(max_files=0, max_fields=_MOST_FIELDS)
    return {name: value.strip() for name, value in form.items() if isinstance(value, str)}


def built(
    kind: type[B],
    values: Mapping[str, object],
    errors: Sequence[FieldError] = (),
    *,
    formats: Mapping[str, str] = _NO_FORMATS,
) -> B:
    """Build a body, or raise the problem with everything that is wrong with it.

    ``formats`` says by a field's name what may stand in it, for a value that has another format.
    """
    try:
        made = kind.model_validate(values, strict=False)
    except ValidationError as refused:
        known = {error.field for error in errors}
        more = [FieldError(_place(each), _words(each, formats)) for each in refused.errors()]
        raise invalid(*errors, *(each for each in more if each.field not in known)) from None
    if errors:
        raise invalid(*errors)
    return made


def _place(error: Any) -> str:
    return ".".join(("body", *map(str, error["loc"])))


#: What the framework says, as people would.
_WORDS = {
    "missing": "Is missing.",
    "string_too_short": "Is missing.",
    "string_too_long": "At most {max_length} characters.",
    "too_short": "Is missing.",
    "too_long": "At most {max_length} of them.",
    "greater_than_equal": "At least {ge}.",
    "less_than_equal": "At most {le}.",
    "int_parsing": "A whole number.",
    "int_type": "A whole number.",
    "literal_error": "One of {expected}.",
}


def _words(error: Any, formats: Mapping[str, str]) -> str:
    kind, value = error["type"], error.get("input")
    if isinstance(value, str) and kind in ("too_short", "too_long"):
        # What is read before the length is checked has the error of a list.
        kind = f"string_{kind}"
    if kind == "string_too_short" and value:
        return f"At least {error['ctx']['min_length']} characters."
    text = _WORDS.get(kind)
    if text is not None:
        return text.format(**error.get("ctx", {}))
    message = describe_validation_error(error)[:300]
    if kind == "string_pattern_mismatch":
        names = [each for each in error["loc"] if isinstance(each, str)]
        if names and names[-1] in formats:
            return formats[names[-1]]
        return f"{message[:1].upper()}{message[1:]}."
    return message
