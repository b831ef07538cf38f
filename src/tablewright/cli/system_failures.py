"""What a system's command raises, in words: what is wrong, which values, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from tablewright.cli.terminal import Failure
from tablewright.deploy.problems import NETWORK, NOT_FOUND, UNKNOWN, problem_of
from tablewright.model.errors import TablewrightError
from tablewright.service.key_files import KeyFileError
from tablewright.service.problems import Problem
from tablewright.service.settings import SettingsError

_INDENT = "\n       "
#: What to do about a problem, by its code; a problem may bring a better ``hint`` of its own.
_HINTS = {
    "STALE_VERSION": "Run it again: it begins with what is there now.",
    "STORE_UNAVAILABLE": "Run it again: what was done is not done twice.",
    "OVERLOADED": "Run it again: what was done is not done twice.",
}


@contextmanager
def told(system: str, where: str) -> Iterator[None]:
    """Raise failures instead of problems and errors."""
    try:
        yield
    except Problem as problem:
        raise failure_of(problem) from problem
    except TablewrightError as error:
        raise _of_error(error, system, where) from error
    except (SettingsError, KeyFileError) as error:
        raise Failure(str(error)) from error
    except ValidationError as error:
        raise Failure(_INDENT.join(_wrong(error))) from error
    except BrokenPipeError:
        raise  # who reads has seen enough; that is no failure
    except OSError as error:
        raise _of_file(error) from error


def failure_of(problem: Problem) -> Failure:
    """The problem with every value that is wrong, and a hint."""
    errors = [f"{_plain(each.field)}: {each.message}" for each in problem.errors]
    if problem.code != "INVALID":
        lines = [problem.detail, *errors]
    elif len(errors) == 1:
        lines = errors
    else:
        lines = [f"{len(errors)} values are not valid.", *errors]
    hint = problem.extra.get("hint") or _HINTS.get(problem.code, "")
    return Failure(_INDENT.join(lines), str(hint))


def _wrong(error: ValidationError) -> Iterator[str]:
    """What an entity does not take, and nobody has checked before."""
    yield "Some of this cannot be stored."
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        yield f"{'.'.join(map(str, each['loc']))}: {each['msg']}"


def _plain(field: str) -> str:
    """A field as it is typed: nobody has sent a body."""
    return field.removeprefix("body.")


def _of_error(error: TablewrightError, system: str, where: str) -> Failure:
    found = problem_of(error)
    if found.code == NOT_FOUND:
        return Failure(
            f"The tables of {system} are not there ({where}).",
            f"tablewright tables setup {system} makes them: give it the same place.",
        )
    if found.code == UNKNOWN:
        return Failure(found.message)
    if found.code == NETWORK:
        return Failure(f"The database does not answer ({where}): {found.message}")
    return Failure(found.message, _INDENT.join(found.remediation))


def _of_file(error: OSError) -> Failure:
    if error.filename is None:
        return Failure(str(error))
    return Failure(f"{error.filename}: {error.strerror}.")
