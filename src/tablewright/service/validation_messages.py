"""What a validation library says is wrong with a value, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tablewright.service.bodies import LINES, PLAIN

_PATTERNS: Final = {
    PLAIN: "must be one line without control characters",
    LINES: "must not contain control characters",
}


def describe_validation_error(error: Mapping[str, Any]) -> str:
    """Return the message of one of pydantic's errors; a pattern is never shown."""
    if error["type"] == "string_pattern_mismatch":
        pattern = error.get("ctx", {}).get("pattern", "")
        return _PATTERNS.get(pattern, "does not have the expected format")
    if isinstance(error.get("input"), str) and error["type"] in ("too_short", "too_long"):
        ctx = error["ctx"]
        length = (
            f"at most {ctx['max_length']}"
            if "max_length" in ctx
            else f"at least {ctx['min_length']}"
        )
        return f"must have {length} characters"
    return str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
