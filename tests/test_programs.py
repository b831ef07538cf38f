"""The programs that tests need and pip cannot bring: installed where that is possible."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "requirements" / "programs.py"
root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may install packages")


def machine(folder: Path, **programs: str) -> Path:
    """A folder with these programs, which is all that there is; each is a shell script."""
    for name, text in programs.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    return folder


def said(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


def test_nothing_is_done_where_all_is_there(tmp_path: Path) -> None:
    assert said(machine(tmp_path, google_chrome="", java="", apt_get="exit 1")) == ""


@root
def test_only_what_is_missing_is_installed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    answer = said(machine(tmp_path, java="", apt_get=f'echo "$@" >>{log}'))
    assert answer == "installed: chromium\n"
    first, second = log.read_text().splitlines()
    assert first.split()[-1] == "update"
    assert second.split()[-1] == "chromium"
    assert "default-jre-headless" not in second


@root
def test_a_failure_is_told_and_holds_nothing_up(tmp_path: Path) -> None:
    answer = said(machine(tmp_path, java="", apt_get="echo no such mirror; exit 100"))
    assert "chromium" in answer
    assert "no such mirror" in answer
    assert "skipped" in answer


def test_a_machine_without_apt_is_left_alone(tmp_path: Path) -> None:
    answer = said(tmp_path)
    assert "chromium" in answer
    assert "default-jre-headless" in answer
    assert "no apt-get" in answer
