"""Text for people: colour only on a terminal, errors that say what to do next.

Deliberately without rich, whose import would delay the first answer by a tenth of a second.
"""

from __future__ import annotations

import os
import sys
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


#: The console's pages cannot be shown: what to do about it.
NO_ASSETS = (
    "The console's assets are missing, so its pages answer 503; all else works. Run `make assets` "
    "in the source checkout, and install it again if it was installed with pip."
)


class Failure(Exception):
    """A command could not do its work. The text says why; `hint` says what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def not_installed(what: str, error: ModuleNotFoundError) -> Exception:
    """What to raise instead: ``what`` needs an extra that is not there. A module of our own that
    is missing is a mistake, and stays one."""
    if (error.name or "").startswith("tablewright"):
        return error
    return Failure(
        f"{what} more than is installed: {error.name} is missing.",
        "pip install 'tablewright[systems]'",
    )


def coloured(stream: TextIO) -> bool:
    """Whether `stream` is a terminal whose user has not asked for plain text."""
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def styled(text: str, style: str, stream: TextIO) -> str:
    """`text` in a style, where the stream can show it."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if coloured(stream) else text


def report(failure: Failure) -> None:
    """Print a failure on standard error."""
    print(f"{styled('error:', 'red', sys.stderr)} {failure}", file=sys.stderr)
    if failure.hint:
        print(f"       {failure.hint}", file=sys.stderr)
