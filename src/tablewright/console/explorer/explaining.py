"""What the client raises, as a page tells it: in its own words, with what is stored instead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from tablewright.console.explorer.jsonable import as_text
from tablewright.model.errors import (
    ConditionFailed,
    MissingFields,
    TablewrightError,
    TransactionCancelled,
    UniqueViolation,
)

#: What an error means to somebody who tries something out.
_ADVICE = {
    "CONDITION_FAILED": "Nothing was written: the stored item does not meet the condition.",
    "ALREADY_EXISTS": "Nothing was written: give another key, or fill the tables anew.",
    "NOT_FOUND": "Nothing was written: no such item is stored.",
    "VERSION_CONFLICT": "Nothing was written: read the item, and give the version that it has now.",
    "UNIQUE_VIOLATION": "Nothing was written: another item has that value already.",
    "TRANSACTION_CANCELLED": "Nothing was written: all of a transaction happens, or none of it.",
    "CEILING_REACHED": "The read was stopped: what has to read so much needs another key.",
    "CURSOR": "Begin again from the first page.",
}
_TIMEOUT = "It took too long and was given up. What had been sent by then stands below."


@dataclass(frozen=True)
class Refusal:
    """Something that did not work."""

    code: str
    text: str
    advice: str = ""
    details: Sequence[str] = ()
    #: The stored item in the way, as JSON.
    stored: str = ""


def explained(error: TablewrightError | ValidationError | TimeoutError) -> Refusal:
    """An error as people read it."""
    if isinstance(error, ValidationError):
        return Refusal("INVALID", f"{error.title} cannot be made of this.", details=_invalid(error))
    if isinstance(error, TablewrightError):
        return Refusal(
            error.code, _text(error), _ADVICE.get(error.code, ""), _details(error), _stored(error)
        )
    return Refusal("TOO_SLOW", _TIMEOUT)


def _text(error: TablewrightError) -> str:
    if isinstance(error, TransactionCancelled) and error.failures:
        return f"{str(error).partition(':')[0]}: see what is wrong with its members."
    return str(error)


def _invalid(error: ValidationError) -> list[str]:
    told = error.errors(include_url=False, include_context=False, include_input=False)
    return [f"{'.'.join(map(str, each['loc'])) or 'value'}: {each['msg']}" for each in told]


def _details(error: TablewrightError) -> list[str]:
    if isinstance(error, TransactionCancelled):
        return [
            f"Member {each.position + 1}, {type(each.op).__name__}: {each.reason}. {each.error}"
            for each in error.failures
        ]
    if isinstance(error, UniqueViolation):
        owner = ", ".join(f"{name} = {value}" for name, value in error.owner.items())
        return [f"{error.constraint} belongs to {owner}"] if owner else []
    return (
        [f"{name} is missing" for name in error.fields] if isinstance(error, MissingFields) else []
    )


def _stored(error: TablewrightError) -> str:
    if isinstance(error, TransactionCancelled):
        found = [each.error for each in error.failures if isinstance(each.error, ConditionFailed)]
        stored = [each.item for each in found if each.item is not None]
        return as_text(stored[0] if len(stored) == 1 else stored) if stored else ""
    if isinstance(error, ConditionFailed) and error.item is not None:
        return as_text(error.item)
    return ""
