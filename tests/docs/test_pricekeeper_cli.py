"""What the page about pricekeeper's commands has one type, typed, in order, in an empty folder.

Plain commands run in this process, which is quicker; what needs a shell gets one. What the page
says they print is what they print, but for numbers, which are other ones each time.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.up_support import environment
from tests.docs.markdown import ROOT, blocks, names, section, table, typed

import tablewright.cli.main as main
from tablewright.cli.system_app import system_app
from tablewright.systems.pricekeeper.cli.books import STATES

PAGE = ROOT / "docs" / "pricekeeper-cli.md"
BIN = Path(sys.executable).parent
#: Variables are kept from one command to the next.
SHELL = """set -o pipefail
[ -f .variables ] && . ./.variables
{}
ended=$?
declare -p | grep '^declare -- [A-Z]*=' | grep -v BASH > .variables
exit $ended"""


def masked(text: str) -> str:
    return re.sub(r"[\d.,]*\d", "0", text).strip()


def said(block_text: str) -> dict[str, str]:
    """What each command of a block is said to print; not those of which nothing is said."""
    found: dict[str, str] = {}
    command = ""
    for line in block_text.splitlines():
        if line.startswith("$ "):
            command = line
        elif not line.startswith(">") and not command.endswith("\\"):
            found[command] = found.get(command, "") + line + "\n"
        else:
            command = command if not command.endswith("\\") or line.endswith("\\") else line
    return found


def run(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command prints; it ends well."""
    if re.search(r"[|<>$`]", command):
        done = subprocess.run(
            ["bash", "-c", SHELL.format(command)],
            cwd=folder,
            env=environment(PATH=f"{BIN}:{os.environ['PATH']}"),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        return done.stdout
    program, *words = shlex.split(command.replace("\\\n", " "))
    assert program == "tablewright", command
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main.run(words)
    shown = capsys.readouterr()
    assert not ended.value.code, (command, shown)
    return shown.out


@pytest.mark.slow
def test_what_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(("AWS_", "TABLEWRIGHT_"))]:
        monkeypatch.delenv(name)
    shown = 0
    for block in blocks(PAGE, "console"):
        expected = said(block.text)
        for command in typed(block):
            printed = run(command, tmp_path, capsys)
            wanted = expected.get(f"$ {command.splitlines()[0]}")
            if wanted is not None:
                assert masked(printed) == masked(wanted), command
                shown += 1
    assert shown >= 7, "the page shows what comes of it"


# --- lists ---------------------------------------------------------------------------------------


def test_all_commands_are_listed() -> None:
    rows = table(PAGE.read_text(), "Command")
    listed = [name for row in rows for name in names(row[0])]
    app = system_app("pricekeeper")
    there = []
    for name in (each for each in app if not each.startswith("-")):
        below = [each for each in app[name] if not each.startswith("-")]
        there += [f"{name} {each}" for each in below] or [name]
    assert sorted(listed) == sorted(there)


def test_the_states_of_books() -> None:
    rows = table(section("docs/pricekeeper-cli.md", "## Books"), "State")
    assert {row[0] for row in rows} == set(STATES.values()) - {STATES["fixed"]}
