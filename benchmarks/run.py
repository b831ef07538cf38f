"""All suites, one after the other, each in a process of its own, and the report of them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.outcome import Outcome, Unreadable, begun, store, stored
from benchmarks.progress import say
from benchmarks.report import outcomes_of, write
from benchmarks.suites import estimate

#: A suite that takes longer hangs.
PATIENCE_SECS = 2400.0
_INTERRUPTED = 130


def run(folder: Path, suites: Sequence[str], quick: bool, more: Sequence[str] = ()) -> int:
    """1 if a target was missed or something failed; the report is written in any case."""
    folder.mkdir(parents=True, exist_ok=True)
    before, _ = outcomes_of(folder)
    say(f"benchmarks: {estimate(suites, quick, before)}")
    words = [*(["--quick"] if quick else []), *more]
    found: list[Outcome] = []
    try:
        for number, suite in enumerate(suites):
            rest = estimate(suites[number:], quick, before)
            say(f"\n=== {suite} ({number + 1} of {len(suites)}); {rest}")
            found.append(one(folder, suite, quick, words))
    except KeyboardInterrupt:
        say("stopped; what has been measured is kept")
        _say_report(folder, found)
        return _INTERRUPTED
    _say_report(folder, found)
    return 0 if all(each.as_wanted for each in found) else 1


def one(folder: Path, suite: str, quick: bool, words: Sequence[str]) -> Outcome:
    """A suite, stored when it has ended; however it ends, there is an outcome."""
    file, growing = folder / f"{suite}.json", folder / f"{suite}.json.part"
    growing.unlink(missing_ok=True)
    command = [sys.executable, "-m", f"benchmarks.{suite}", "--into", str(growing), *words]
    failed = _ended(command)
    try:
        outcome = stored(growing)
    except Unreadable:
        outcome = begun(suite, quick=quick)
        failed = failed or "it has ended without a figure"
    outcome = replace(outcome, failed=failed)
    store(outcome, file)
    growing.unlink(missing_ok=True)
    return outcome


def _ended(command: Sequence[str]) -> str:
    """Why it has failed, if so. That a target was missed is not a failure."""
    process = subprocess.Popen(command)
    try:
        code = process.wait(PATIENCE_SECS)
    except subprocess.TimeoutExpired:
        _stopped(process)
        return f"it took longer than {PATIENCE_SECS / 60:.0f} minutes"
    except KeyboardInterrupt:
        # It has been told as well, and takes down what it has started.
        _stopped(process)
        raise
    if code in (0, 1):
        return ""
    return f"it was ended by signal {-code}" if code < 0 else f"it ended with {code}"


def _stopped(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _say_report(folder: Path, found: Sequence[Outcome]) -> None:
    say("")
    for outcome in found:
        missed = len(outcome.missed)
        say(f"{outcome.suite}: {len(outcome.wanted) - missed} targets met, {missed} missed")
        for part, each in outcome.missed:
            say(f"  missed: {part}, {each.what}: {each.shown}, wanted {each.wanted}")
        for part, reason in outcome.failures.items():
            say(f"  failed: {part}: {reason}")
    say(f"report: {write(folder)}")
