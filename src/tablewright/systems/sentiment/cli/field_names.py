"""Errors of fields, at the options that were typed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from tablewright.service.problems import FieldError, Problem, invalid


@contextmanager
def errors_at_options(
    *, arguments: Collection[str] = (), messages: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Call fields in errors as people have typed them: ``body.daily_limit`` is ``--daily-limit``.

    Args:
        arguments: Fields that are typed without an option.
        messages: What to say about a field instead of what its schema says.
    """
    try:
        yield
    except Problem as problem:
        if not problem.errors:
            raise
        errors = []
        for error in problem.errors:
            name = error.field.removeprefix("body.")
            message = (messages or {}).get(name, error.message)
            option = name if name in arguments else f"--{name.replace('_', '-')}"
            errors.append(FieldError(option, message))
        if problem.code == "INVALID":
            raise invalid(*errors) from None
        raise Problem(problem.status, problem.code, problem.detail, errors=errors) from None


def check_cleared(cleared: Collection[str], known: Collection[str]) -> None:
    """Refuse to clear what always has a value."""
    for name in cleared:
        if name not in known:
            names = " or ".join(known)
            raise invalid(FieldError("--clear", f"{name!r} cannot be cleared; {names} can"))
