"""Help of `tablewright ladders`, and how commands are typed."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from tests.cli.test_pricekeeper import leaves
from tests.cli.up_support import environment

from tablewright.cli.main import build
from tablewright.cli.system_app import system_app
from tablewright.systems.ladders.cli import words
from tablewright.systems.ladders.service.exports import Format

NEEDED = {"tables", "config", "admin", "report", "demo", "sessions"}
HEAVY = {"fastapi", "starlette", "uvicorn", "jinja2", "pydantic", "apsw", "cryptography"}


def test_every_command_has_help_and_an_example_that_can_be_typed() -> None:
    found = dict(leaves(system_app("ladders")))
    assert {path[0] for path in found} == NEEDED
    for path, leaf in found.items():
        assert leaf.default_command is not None
        assert leaf.default_command.__doc__
        typed = (leaf.help_epilogue or "").partition("Example: tablewright ")[2]
        assert typed.startswith(" ".join(("ladders", *path))), path
        build().parse_args(typed, exit_on_error=False, print_error=False)


@pytest.mark.parametrize(("path", "told"), [("config upload", "--shipped"), ("tables", "setup")])
def test_help_comes_without_the_use_cases(path: str, told: str) -> None:
    # Tables are deployed by the model, which needs more; a list of the commands does not.
    heavy = HEAVY if "tables" not in path else HEAVY - {"pydantic"}
    code = (
        "import sys\n"
        "from tablewright.cli.system_app import system_app\n"
        f"try:\n    system_app('ladders')([*{path.split()!r}, '--help'])\n"
        "except SystemExit as ended:\n    assert not ended.code\n"
        f"found = {heavy!r} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert told in done.stdout


def test_the_words_are_those_of_the_use_cases() -> None:
    assert get_args(words.Format) == get_args(Format)
