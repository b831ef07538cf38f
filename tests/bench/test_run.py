"""Suites are run one by one; one that fails does not keep the others from being reported."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks import run as running
from benchmarks.__main__ import main
from benchmarks.findings import Finding, at_most
from benchmarks.outcome import Outcome, store, stored
from benchmarks.report import REPORT
from benchmarks.suite import main as suite_main
from benchmarks.suites import SUITES, estimate
from tests.bench.support import outcome


def well(**_: object) -> list[Finding]:
    return [at_most("time", 1.0, 2.0, "s")]


def missing(**_: object) -> list[Finding]:
    return [at_most("time", 3.0, 2.0, "s")]


def failing(**_: object) -> list[Finding]:
    raise RuntimeError("no service there")


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """A suite has handlers of its own, in what is otherwise its own process."""
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


# --- a suite ------------------------------------------------------------------------------


@pytest.mark.parametrize(("part", "code"), [(well, 0), (missing, 1), (failing, 1)])
def test_a_suite_ends_with_what_came_out(tmp_path: Path, part: object, code: int) -> None:
    into = tmp_path / "one.json"
    assert suite_main("one", {"part": part}, words=["--into", str(into), "--quick"]) == code  # type: ignore[dict-item]
    found = stored(into)
    assert found.quick
    assert found.as_wanted is (code == 0)


def test_a_part_that_fails_does_not_end_the_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "one.json"
    suite_main("one", {"bad": failing, "good": well}, words=["--into", str(into)])
    found = stored(into)
    assert found.failures == {"bad": "RuntimeError: no service there"}
    assert [part for part, _ in found.wanted] == ["good"]
    assert "bad has failed: RuntimeError: no service there" in capsys.readouterr().out


# --- all of them --------------------------------------------------------------------------


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> dict[str, str | Outcome]:
    """What becomes of each suite: an outcome, or the reason why there is none."""
    planned: dict[str, str | Outcome] = {}

    def ended(command: list[str]) -> str:
        suite = command[2].removeprefix("benchmarks.")
        became = planned[suite]
        if isinstance(became, str):
            return became
        store(became, Path(command[command.index("--into") + 1]))
        return ""

    monkeypatch.setattr(running, "_ended", ended)
    return planned


def fine(suite: str) -> Outcome:
    return outcome(suite, parts={})


def test_all_that_is_wanted_ends_with_zero(tmp_path: Path, ends: dict[str, str | Outcome]) -> None:
    ends |= {"engine": fine("engine"), "client": fine("client")}
    assert main(["run", str(tmp_path), "client", "engine"]) == 0
    assert {each.name for each in tmp_path.iterdir()} == {"engine.json", "client.json", REPORT}


def test_a_missed_target_ends_with_one_and_a_report(
    tmp_path: Path, ends: dict[str, str | Outcome]
) -> None:
    ends |= {"engine": outcome(), "client": fine("client")}
    assert main(["run", str(tmp_path), "engine", "client"]) == 1
    assert "**missed**" in (tmp_path / REPORT).read_text()


def test_a_suite_that_dies_is_reported_and_the_others_go_on(
    tmp_path: Path, ends: dict[str, str | Outcome]
) -> None:
    ends |= {"engine": "it was ended by signal 9", "client": fine("client")}
    assert main(["run", str(tmp_path), "engine", "client"]) == 1
    assert stored(tmp_path / "engine.json").failures == {"the suite": "it was ended by signal 9"}
    assert stored(tmp_path / "client.json").as_wanted
    assert "it was ended by signal 9" in (tmp_path / REPORT).read_text()


def test_suites_that_are_not_run_stay_in_the_report(
    tmp_path: Path, ends: dict[str, str | Outcome]
) -> None:
    store(outcome("ladders", taken="2026-01-01 00:00 UTC"), tmp_path / "ladders.json")
    ends["client"] = fine("client")
    assert main(["run", str(tmp_path), "client"]) == 0
    assert "2026-01-01 00:00 UTC" in (tmp_path / REPORT).read_text()


def test_resuming_runs_what_is_not_there(tmp_path: Path, ends: dict[str, str | Outcome]) -> None:
    store(fine("engine"), tmp_path / "engine.json")
    store(outcome("client", failed="it ended with 2", parts={}), tmp_path / "client.json")
    ends["client"] = fine("client")
    assert main(["run", str(tmp_path), "engine", "client", "--resume"]) == 0
    assert stored(tmp_path / "client.json").failed == ""


def test_an_unknown_suite_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", str(tmp_path), "engines"])
    said = capsys.readouterr().err
    assert "engines" in said
    assert "kurukshetra" in said


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise SystemExit(0)", ""),
        ("raise SystemExit(1)", ""),
        ("raise SystemExit(7)", "it ended with 7"),
        ("import os; os.kill(os.getpid(), 9)", "it was ended by signal 9"),
    ],
)
def test_how_a_process_ends_is_told(program: str, reason: str) -> None:
    assert running._ended([sys.executable, "-S", "-c", program]) == reason


def test_a_suite_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "PATIENCE_SECS", 0.2)
    program = "import time; time.sleep(60)"
    assert "longer than" in running._ended([sys.executable, "-S", "-c", program])


def test_the_estimate_is_that_of_the_last_run() -> None:
    before = {"engine": outcome(seconds=600.0, parts={})}
    assert "engine 10.0" in estimate(["engine"], False, before)
    assert "engine 10.0" not in estimate(["engine"], True, before)


def test_the_whole_run_is_short() -> None:
    full, quick = (sum(each[way] for each in SUITES.values()) for way in (0, 1))
    assert full <= 25 * 60
    assert quick <= 7 * 60
