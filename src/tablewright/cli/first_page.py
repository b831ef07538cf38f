"""The first page of help, without cyclopts: that and rich take longer to import than all else
that is done for it, and this one is asked for most.

It reads as cyclopts would have written it; a test holds the two together. Where that is not
certain (a narrow terminal, one without frames) it is left to cyclopts.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from shutil import get_terminal_size
from textwrap import wrap

from tablewright.cli.terminal import styled

_ASKED: tuple[list[str], ...] = ([], ["--help"], ["-h"])
#: What cyclopts adds to the commands.
_OPTIONS = {
    "--help (-h)": "Display this message and exit.",
    "--version": "Display application version.",
}
#: On fewer columns more than what a command is for would have to be wrapped.
_NARROW = 80


def wanted(words: Sequence[str]) -> bool:
    """Whether this is a call for the first page, and it can be shown."""
    frames = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    return list(words) in _ASKED and frames and get_terminal_size().columns >= _NARROW


def show(about: str, commands: Mapping[str, str]) -> None:
    """Print it: what the product is, and its commands with what each is for."""
    print("\n".join(_page(about, commands, get_terminal_size().columns)))


def _page(about: str, commands: Mapping[str, str], width: int) -> Iterator[str]:
    rows = {**dict(sorted(commands.items())), **_OPTIONS}
    names = max(map(len, rows))
    room = width - names - 6
    yield styled("Usage: tablewright COMMAND", "bold", sys.stdout)
    yield ""
    yield about
    yield ""
    yield f"╭─ Commands {'─' * (width - 13)}╮"
    for name, what in rows.items():
        for number, line in enumerate(wrap(what, room)):
            shown = styled(f"{'' if number else name:{names}}", "cyan", sys.stdout)
            yield f"│ {shown}  {line:{room}} │"
    yield f"╰{'─' * (width - 2)}╯"
