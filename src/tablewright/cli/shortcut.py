"""The way from a plain `tablewright engine ...` to the running database without cyclopts.

Importing cyclopts takes longer than opening the database, and test suites start the command
often. Only what is certain is understood here: whole option names with well-formed values. Help,
mistakes and everything else are cyclopts', which would have read these options the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablewright.cli.engine_options import Options


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise ValueError(text)
    return int(text)


def _durability(text: str) -> str:
    if text not in ("full", "relaxed"):
        raise ValueError(text)
    return text


def _error_wording(text: str) -> str:
    if text not in ("current", "older"):
        raise ValueError(text)
    return text


_VALUES: dict[str, Callable[[str], Any]] = {
    "--host": str,
    "--port": _port,
    "--data": Path,
    "--durability": _durability,
    "--credentials": str,
    "--credentials-file": Path,
    "--region": str,
    "--realism": Path,
    "--error-wording": _error_wording,
}
_FLAGS = frozenset({"--memory", "--separate", "--demo", "--json"})


def options_of(arguments: Sequence[str]) -> Options | None:
    """The options of a plain `engine` command; None leaves it to cyclopts."""
    if not arguments or arguments[0] != "engine":
        return None
    try:
        found = _read(list(arguments[1:]))
    except (ValueError, KeyError, IndexError):
        return None
    from tablewright.cli.engine_options import Options

    return Options(**found)


def _read(tokens: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    credentials: list[str] = []
    while tokens:
        option, equals, value = tokens.pop(0).partition("=")
        name = option.removeprefix("--").replace("-", "_")
        if option in _FLAGS and not equals and name not in found:
            found[name] = True
            continue
        convert = _VALUES[option]
        if not equals:
            value = tokens.pop(0)
        if not value or value.startswith("-") or name in found:
            raise ValueError(value)
        if name == "credentials":
            # cyclopts would take every further word as one more of them.
            if tokens and not tokens[0].startswith("-"):
                raise ValueError(tokens[0])
            credentials.append(value)
        else:
            found[name] = convert(value)
    if credentials:
        found["credentials"] = tuple(credentials)
    return found
