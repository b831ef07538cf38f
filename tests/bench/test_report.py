"""The report is made from what is stored, and hides nothing."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.__main__ import main
from benchmarks.findings import at_least, at_most
from benchmarks.outcome import Measured, Unreadable, begun, store, stored, to_json
from benchmarks.report import REPORT, charts_of, markdown, write
from benchmarks.section import Chart, Section, Table
from benchmarks.suites import SUITES
from tests.bench.support import outcome


def lines_with(text: str, word: str) -> list[str]:
    return [line for line in text.splitlines() if word in line]


def test_an_outcome_is_read_as_it_was_stored(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "engine.json"
    store(outcome(), file)
    assert to_json(stored(file)) == to_json(outcome())
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 1}', '{"format": 99}'])
def test_a_file_that_is_no_outcome_says_which(tmp_path: Path, content: str) -> None:
    file = tmp_path / "engine.json"
    file.write_text(content)
    with pytest.raises(Unreadable, match=re.escape(str(file))):
        stored(file)


def test_the_report_tells_what_was_met_and_what_was_missed(tmp_path: Path) -> None:
    store(outcome(), tmp_path / "engine.json")
    text = write(tmp_path).read_text()
    assert "**2 of 3 targets are met, 1 missed.**" in text
    assert "| memory | 180 MB | &lt;= 150 MB | **missed** |  |" in text
    assert "| GetItem, against the best peer | 3 x | >= 2 x | met | peer & co |" in text
    assert "| for information | 7.25 ms |  |  |  |" in text
    missed = text.partition("## What was missed")[2].partition("##")[0]
    assert "| engine | compare | memory | 180 MB | &lt;= 150 MB |" in missed
    assert "| peer & co | 1.2.3 | engine |" in text
    assert "| another | left out: not installed | engine |" in text
    assert "GetItem \\| one" in text
    assert "Machine: 2 cores (Some processor), 8 GB, Linux, Python 3.11.7." in text


def test_suites_that_were_not_measured_are_named(tmp_path: Path) -> None:
    store(outcome("client"), tmp_path / "client.json")
    text = write(tmp_path).read_text()
    absent = lines_with(text, "not measured yet")
    assert len(absent) == len(SUITES) - 1


def test_each_suite_has_its_own_date(tmp_path: Path) -> None:
    store(outcome("engine"), tmp_path / "engine.json")
    store(outcome("client", taken="2026-05-09 08:00 UTC", quick=True), tmp_path / "client.json")
    text = write(tmp_path).read_text()
    assert "2026-05-04 12:00 UTC" in lines_with(text, "[engine]")[0]
    assert "2026-05-09 08:00 UTC" in lines_with(text, "[client]")[0]
    assert "quick" in lines_with(text, "[client]")[0]
    assert "quick" not in lines_with(text, "[engine]")[0]


def test_what_failed_hides_nothing(tmp_path: Path) -> None:
    parts = {**outcome().parts, "growth": Measured(Section(), 1.0, "OSError: no\nspace | left")}
    store(outcome(parts=parts), tmp_path / "engine.json")
    (tmp_path / "client.json").write_text("half a fi")
    text = write(tmp_path).read_text()
    assert "| engine | growth | OSError: no space \\| left |" in text
    assert "**failed**" in lines_with(text, "[engine]")[0]
    assert "client.json" in text
    assert "| memory | 180 MB |" in text


def test_a_busy_machine_is_told_of(tmp_path: Path) -> None:
    calm, busy = (Measured(Section(), 10.0, others=cores) for cores in (0.05, 1.5))
    for part, said in ((calm, False), (busy, True)):
        store(outcome(parts={"one": part}, seconds=10.0), tmp_path / "engine.json")
        assert ("used 1.5 cores" in write(tmp_path).read_text()) is said


def test_every_chart_is_a_picture_that_the_report_shows(tmp_path: Path) -> None:
    (tmp_path / "engine-old.svg").write_text("of an earlier report")
    store(outcome(), tmp_path / "engine.json")
    shown = re.findall(r"!\[.*?\]\((.*?)\)", write(tmp_path).read_text())
    assert sorted(shown) == sorted(each.name for each in tmp_path.glob("*.svg"))
    assert {"engine-rates.svg", "engine-growth.svg", "engine-headroom.svg"} == set(shown)
    for name in shown:
        ElementTree.fromstring((tmp_path / name).read_text())


def test_bars_are_as_long_as_their_figures() -> None:
    drawn = ElementTree.fromstring(charts_of(outcome())["engine-rates.svg"])
    bars = [each.find("{*}rect") for each in drawn.iter("{http://www.w3.org/2000/svg}g")]
    widths = [float(bar.get("width", "0")) for bar in bars if bar is not None]
    assert widths[0] == pytest.approx(3 * widths[1], rel=0.01)
    assert widths[2] < widths[1]


def test_what_is_missed_by_far_still_fits() -> None:
    section = Section([at_most("slow", 90.0, 1.0, "s"), at_least("few", 50.0, 10.0, "/s")])
    found = outcome(parts={"one": Measured(section, 1.0)})
    drawn = ElementTree.fromstring(charts_of(found)["engine-headroom.svg"])
    rects = list(drawn.iter("{http://www.w3.org/2000/svg}rect"))
    assert all(float(each.get("x", 0)) + float(each.get("width", 0)) <= 860 for each in rects)
    assert any("beyond" in each.get("class", "") for each in rects)


def test_a_chart_without_figures_is_left_out() -> None:
    section = Section(charts=[Chart("rates", "Nothing", "/s", [])])
    assert charts_of(outcome(parts={"one": Measured(section, 1.0)})) == {}


def test_figures_stand_to_the_right() -> None:
    table = Table(["what", "rate", "note"], [["a", "1,000", "of 3"], ["b", "none", "words"]])
    assert markdown(table).splitlines()[1] == "| --- | ---: | --- |"


def test_the_report_is_rendered_again_from_its_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store(outcome(), tmp_path / "engine.json")
    assert main(["report", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / REPORT)
    first = (tmp_path / REPORT).read_text()
    assert main(["report", str(tmp_path)]) == 0
    assert (tmp_path / REPORT).read_text() == first


def test_a_folder_that_is_not_there_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path / "nowhere")])
    assert ended.value.code == 2
    assert "make bench" in capsys.readouterr().err


def test_a_new_outcome_knows_its_machine() -> None:
    new = begun("engine", quick=True, arguments=["compare"])
    assert new.machine.cores >= 1
    assert new.quick
    assert new.as_wanted
