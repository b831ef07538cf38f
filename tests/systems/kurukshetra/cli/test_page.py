"""What the page about the commands has one type, typed, in order, in an empty folder."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest
from tests.docs.markdown import ROOT, blocks, names, section, table, typed
from tests.docs.test_pricekeeper_cli import masked, run, said
from tests.systems.kurukshetra.cli.conftest import OUTSIDE

from tablewright.cli.system_app import system_app
from tablewright.systems.kurukshetra.live_demo.cast import ASHA, DIYA, KABIR, MEERA, RAVI
from tablewright.systems.kurukshetra.sandbox import Misbehaviour
from tablewright.systems.kurukshetra.service.verifying import KINDS

PAGE = ROOT / "docs" / "kurukshetra-cli.md"
NAME = "docs/kurukshetra-cli.md"


def test_what_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith(OUTSIDE)]:
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
    assert shown >= 6, "the page shows what comes of it"


def test_all_commands_are_listed() -> None:
    rows = table(PAGE.read_text(), "Command")
    listed = [name for row in rows for name in names(row[0])]
    app = system_app("kurukshetra")
    there = []
    for name in (each for each in app if not each.startswith("-")):
        below = [each for each in app[name] if not each.startswith("-")]
        there += [f"{name} {each}" for each in below] or [name]
    assert sorted(listed) == sorted(there)


def test_what_can_be_found_what_can_go_wrong_and_who_is_there() -> None:
    findings = [row[0].strip("`") for row in table(section(NAME, "## Books"), "Finding")]
    assert findings == list(KINDS)
    faults = {row[0].strip("`") for row in table(section(NAME, "## The sandbox"), "Fault")}
    assert faults == {each.name for each in fields(Misbehaviour)}
    people = [row[0] for row in table(section(NAME, "## A first look"), "Demo user")]
    assert people == [each.first_name for each in (ASHA, RAVI, MEERA, KABIR, DIYA)]
