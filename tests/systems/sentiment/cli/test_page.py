"""What the page about sentiment's commands has one type, typed, in order, in an empty folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

import pytest
from tests.docs.markdown import ROOT, blocks, names, section, table, typed
from tests.docs.test_pricekeeper_cli import masked, run, said

from tablewright.cli.system_app import system_app
from tablewright.systems.sentiment.cli.books import FINDINGS
from tablewright.systems.sentiment.cli.replaying import RESULTS
from tablewright.systems.sentiment.service.intake import Result

PAGE = ROOT / "docs" / "sentiment-cli.md"


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


def test_all_commands_are_listed() -> None:
    rows = table(PAGE.read_text(), "Command")
    listed = [name for row in rows for name in names(row[0])]
    app = system_app("sentiment")
    there = []
    for name in (each for each in app if not each.startswith("-")):
        below = [each for each in app[name] if not each.startswith("-")]
        there += [f"{name} {each}" for each in below] or [name]
    assert sorted(listed) == sorted(there)


def test_what_becomes_of_records_and_rows() -> None:
    page = "docs/sentiment-cli.md"
    results = {row[0] for row in table(section(page, "## Articles"), "Result")}
    assert results == set(RESULTS)
    assert len(RESULTS) == len(get_args(Result))
    findings = {row[0].strip("`") for row in table(section(page, "## Books"), "Finding")}
    assert findings == set(FINDINGS)
