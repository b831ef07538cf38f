"""The figures of the documentation are those of the stored report."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.outcome import store
from benchmarks.publish import FOLDER, PAGE, Unpublished, filled, marks, publish
from benchmarks.report import REPORT, outcomes_of, report
from benchmarks.suites import SUITES
from tests.bench.support import outcome


@pytest.fixture
def page(tmp_path: Path) -> Path:
    places = "\n\n".join(f"# {suite}\n\n{'old '.join(marks(suite))}" for suite in SUITES)
    file = tmp_path / "docs" / "performance.md"
    file.parent.mkdir()
    file.write_text(f"before\n\n{places}\n\nafter\n")
    return file


def test_figures_go_between_their_marks(tmp_path: Path, page: Path) -> None:
    folder, into = tmp_path / "bench", page.parent / "benchmarks"
    store(outcome(), folder / "engine.json")
    assert publish(folder, page, into) == 0
    text = page.read_text()
    begin, end = marks("engine")
    inside = text.partition(begin)[2].partition(end)[0]
    assert "| memory | 180 MB |" in inside
    assert "(benchmarks/engine-rates.svg)" in inside
    assert (into / "engine-rates.svg").exists()
    assert (into / REPORT).exists()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert f"{'old '.join(marks('client'))}" in text


def test_publishing_twice_changes_nothing(tmp_path: Path, page: Path) -> None:
    folder, into = tmp_path / "bench", page.parent / "benchmarks"
    store(outcome(), folder / "engine.json")
    publish(folder, page, into)
    once = page.read_text()
    publish(into, page, into)
    assert page.read_text() == once


@pytest.mark.parametrize("change", [{"quick": True}, {"failed": "it ended with 2"}])
def test_what_is_not_whole_is_not_published(
    tmp_path: Path, page: Path, change: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    before = page.read_text()
    store(outcome(**change), tmp_path / "bench" / "engine.json")
    assert publish(tmp_path / "bench", page, page.parent / "benchmarks") == 1
    assert page.read_text() == before
    assert "engine is not published" in capsys.readouterr().err


def test_an_empty_folder_is_told(tmp_path: Path, page: Path) -> None:
    with pytest.raises(Unpublished, match="make bench"):
        publish(tmp_path, page, page.parent / "benchmarks")


def test_a_page_without_a_place_is_told() -> None:
    with pytest.raises(Unpublished, match="0 places for engine"):
        filled("no marks", outcome(), "")


def test_the_page_has_a_place_for_each_suite() -> None:
    text = PAGE.read_text()
    for suite in SUITES:
        assert [text.count(mark) for mark in marks(suite)] == [1, 1], suite


def test_what_is_published_is_what_is_stored() -> None:
    outcomes, unreadable = outcomes_of(FOLDER)
    assert not unreadable
    text = PAGE.read_text()
    for each in outcomes.values():
        assert filled(text, each, f"{FOLDER.name}/") == text, f"publish {each.suite} again"
    if outcomes:
        assert (FOLDER / REPORT).read_text() == report(outcomes, {})
