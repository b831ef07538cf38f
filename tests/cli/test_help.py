"""Help: quick, because nothing is loaded for it that it does not need, and made to be read."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress

import pytest
from tests.cli.up_support import environment

from tablewright.cli.help_pages import flowing
from tablewright.cli.main import COMMANDS, build, run

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


@pytest.mark.parametrize("columns", [40, 79, 80, 81, 100, 133, 200])
@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]], ids=" ".join)
def test_the_first_page_reads_as_any_other(
    words: list[str],
    columns: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    with suppress(SystemExit):
        run(words)
    shown = capsys.readouterr().out
    with suppress(SystemExit):
        build()(words)
    assert shown == capsys.readouterr().out


def test_the_first_page_needs_no_parser_of_commands() -> None:
    code = (
        "import sys\n"
        "from tablewright.cli.main import run\n"
        "run(['--help'])\n"
        "print('loaded', *({'cyclopts', 'rich'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(COLUMNS="80", PYTHONUTF8="1"),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "loaded"


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
