"""Help of `tablewright vibejudge`, and how commands are typed."""

from __future__ import annotations

import subprocess
import sys
from typing import get_args

import pytest
from tests.cli.test_pricekeeper import leaves
from tests.cli.up_support import environment
from tests.systems.vibejudge.cli.placed import Placed

from tablewright.cli.main import build
from tablewright.cli.system_app import system_app
from tablewright.systems.vibejudge import entities, table
from tablewright.systems.vibejudge.cli import words

#: Those that are typed in the pages of the specification; hackathon and organizer have more below.
NEEDED = {
    *("demo", "analyze-repo", "hackathon", "organizer", "submit", "run", "cancel", "resume"),
    *("watch", "leaderboard", "scorecard", "export", "audit"),
}


def test_every_command_has_help_and_an_example_that_can_be_typed() -> None:
    found = dict(leaves(system_app("vibejudge")))
    assert {path[0] for path in found} >= NEEDED
    for path, leaf in found.items():
        assert leaf.default_command is not None
        assert leaf.default_command.__doc__
        typed = (leaf.help_epilogue or "").partition("Example: tablewright ")[2]
        assert typed.startswith(" ".join(("vibejudge", *path))), path
        build().parse_args(typed, exit_on_error=False, print_error=False)


@pytest.mark.parametrize(
    ("typing", "heavy"),
    [
        (["run", "--help"], {"fastapi", "starlette", "uvicorn", "jinja2", "pydantic", "apsw"}),
        (["hackathon", "list"], {"fastapi", "starlette", "uvicorn", "jinja2"}),
    ],
)
def test_commands_come_without_the_web(placed: Placed, typing: list[str], heavy: set[str]) -> None:
    typing = typing if "--help" in typing else [*typing, "--data", str(placed.folder)]
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        f"try:\n    run(['vibejudge', *{typing!r}])\n"
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
    assert done.stdout


def test_the_words_are_those_of_the_model() -> None:
    assert get_args(words.Tier) == get_args(entities.Tier)
    assert get_args(words.Policy) == get_args(entities.PolicyMode)
    assert get_args(words.Provider) == get_args(table.Provider)
