"""Help: quick, because nothing is loaded for it that it does not need, and made to be read."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.cli.up_support import environment

from tablewright.cli.help_pages import flowing
from tablewright.cli.main import COMMANDS

#: What takes longer to import than a page of help may take.
HEAVY = ("fastapi", "starlette", "uvicorn", "pydantic", "cryptography", "apsw", "rich.markdown")

GROUPS = [["tables", "setup"], ["tables", "migrate"], ["ladders", "tables", "setup"]]


@pytest.mark.parametrize(
    "command", [[], *([each.name] for each in COMMANDS), *GROUPS], ids=" ".join
)
def test_it_comes_without_what_it_does_not_need(command: list[str]) -> None:
    words = [*command, "--help"]
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        f"try:\n    run({words!r})\n"
        "except SystemExit as ended:\n    assert not ended.code\n"
        f"print('loaded', *(set({HEAVY!r}) & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(COLUMNS="80"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "loaded"
    assert "[service]" in done.stdout or command != ["up"], "nothing is taken for markup"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("One sentence that\nwas wrapped.", "One sentence that was wrapped."),
        ("First.\n\nSecond\nparagraph.", "First.\n\nSecond paragraph."),
        ("Choose:\n- this\n- that", "Choose:\n- this\n- that"),
        ("Type:\n    a command", "Type:\n    a command"),
    ],
)
def test_paragraphs_flow_and_lists_stay(text: str, read: str) -> None:
    assert flowing(text) == read
