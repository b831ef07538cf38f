"""Where in a TOML text a value stands, for error messages; ``tomllib`` does not keep that."""

from __future__ import annotations

import re

_HEADER = re.compile(r"^\s*\[\[?([^\]]+)\]\]?\s*(#.*)?$")
_NAME = re.compile(
    r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """The line, from 1, of a value, or of the nearest table that it is in; None if there is none.

    An inline table is one line: its members are there too.
    """
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            found.setdefault(table, number)
        elif name := _NAME.match(line):
            found.setdefault((*table, *_parts(name[1])), number)
    lengths = range(len(path), 0, -1)
    return next((found[path[:size]] for size in lengths if path[:size] in found), None)


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
