"""Demo data comes once, into tables that were made for it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tablewright.cli.first_start import FirstStart


class Demo:
    """Counts how often it is called; may fail."""

    def __init__(self) -> None:
        self.times = 0
        self.fails = False

    async def __call__(self) -> None:
        self.times += 1
        if self.fails:
            raise RuntimeError("killed in between")


def start(folder: Path | None, demo: Demo | None, *, fresh: bool, wanted: bool = True) -> None:
    first = FirstStart(folder, wanted=wanted)
    first.found("gallery", fresh=fresh)
    asyncio.run(first.fill("gallery", demo))


@pytest.mark.parametrize("kept", [True, False])
def test_new_tables_are_filled_once(tmp_path: Path, kept: bool) -> None:
    demo = Demo()
    folder = tmp_path if kept else None
    start(folder, demo, fresh=True)
    start(folder, demo, fresh=False)
    assert demo.times == 1


def test_tables_that_were_there_are_left_alone(tmp_path: Path) -> None:
    demo = Demo()
    start(tmp_path, demo, fresh=True, wanted=False)
    start(tmp_path, demo, fresh=False, wanted=True)
    assert demo.times == 0


def test_filling_that_broke_off_is_begun_again(tmp_path: Path) -> None:
    demo = Demo()
    demo.fails = True
    with pytest.raises(RuntimeError):
        start(tmp_path, demo, fresh=True)
    demo.fails = False
    start(tmp_path, demo, fresh=False)
    start(tmp_path, demo, fresh=False)
    assert demo.times == 2


def test_a_system_without_demo_data_needs_none(tmp_path: Path) -> None:
    start(tmp_path, None, fresh=True)


@pytest.mark.parametrize("text", ["", "{", "[]", "null"])
def test_a_damaged_file_is_no_reason_to_fail(tmp_path: Path, text: str) -> None:
    (tmp_path / "demo.json").write_text(text)
    demo = Demo()
    start(tmp_path, demo, fresh=False)
    assert demo.times == 0
