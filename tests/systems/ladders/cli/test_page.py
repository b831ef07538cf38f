"""What the page about the commands has one type, typed, in order, in an empty folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_pricekeeper import leaves
from tests.docs.markdown import ROOT, blocks, names, section, table, typed
from tests.docs.test_pricekeeper_cli import masked, run, said

from tablewright.cli.system_app import system_app
from tablewright.deploy.problems import REMEDIES
from tablewright.systems.ladders.demo_people import DEMO_PEOPLE

PAGE = ROOT / "docs" / "ladders-cli.md"
NAME = "docs/ladders-cli.md"


def test_what_is_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = 0
    for block in blocks(PAGE, "console"):
        expected = said(block.text)
        for command in typed(block):
            printed = run(command, tmp_path, capsys)
            wanted = expected.get(f"$ {command.splitlines()[0]}")
            if wanted is not None:
                assert masked(printed) == masked(wanted), command
                shown += 1
    assert shown >= 6, "the page shows what comes of it"


def test_all_commands_are_listed() -> None:
    rows = table(PAGE.read_text(), "Command")
    listed = [name for row in rows for name in names(row[0])]
    assert sorted(listed) == sorted(" ".join(path) for path, _ in leaves(system_app("ladders")))


def test_who_is_there_and_what_can_go_wrong() -> None:
    people = [row[0] for row in table(section(NAME, "## A first look"), "Demo user")]
    assert people == [each.name.split()[0] for each in DEMO_PEOPLE]
    codes = [row[0].strip("`") for row in table(section(NAME, "## Tables"), "Code")]
    assert codes == list(REMEDIES)
