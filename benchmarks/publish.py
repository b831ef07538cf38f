"""The figures of the documentation: taken from a report, never typed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from benchmarks.outcome import Outcome, store
from benchmarks.progress import say
from benchmarks.report import REPORT, block, outcomes_of, write

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
FOLDER = ROOT / "docs" / "benchmarks"


class Unpublished(Exception):
    """Why nothing was published."""


def publish(folder: Path, page: Path = PAGE, into: Path = FOLDER) -> int:
    """Whatever is complete, into the page and beside it; 1 if something had to stay behind."""
    outcomes, unreadable = outcomes_of(folder)
    if not outcomes and not unreadable:
        raise Unpublished(f"{folder} holds no outcome of a suite; `make bench` makes them")
    kept = dict(unreadable)
    for suite, outcome in outcomes.items():
        if reason := _incomplete(outcome):
            kept[suite] = reason
    fit = {suite: outcome for suite, outcome in outcomes.items() if suite not in kept}
    if fit:
        _write(fit, page, into)
    for suite, reason in kept.items():
        say(f"{suite} is not published: {reason}")
    return 1 if kept else 0


def _incomplete(outcome: Outcome) -> str:
    if outcome.quick:
        return "it is of a quick run, which gives a rough picture only"
    if outcome.failures:
        return "; ".join(f"{part} has failed: {why}" for part, why in outcome.failures.items())
    return ""


def _write(outcomes: Mapping[str, Outcome], page: Path, into: Path) -> None:
    for suite, outcome in outcomes.items():
        store(outcome, into / f"{suite}.json")
    write(into)
    text = page.read_text()
    for outcome in outcomes.values():
        text = filled(text, outcome, f"{into.name}/")
    page.write_text(text)
    say(f"published: {', '.join(outcomes)}")


def filled(text: str, outcome: Outcome, charts: str) -> str:
    """The page with a suite's figures between its marks."""
    begin, end = marks(outcome.suite)
    place = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    source = f"From [the report]({charts}{REPORT}#{outcome.suite}), written by `publish`."
    content = "\n\n".join([source, *block(outcome, charts)])
    new, times = place.subn(lambda _: f"{begin}\n\n{content}\n\n{end}", text)
    if times != 1:
        raise Unpublished(f"the page has {times} places for {outcome.suite}: {begin} ... {end}")
    return new


def marks(suite: str) -> tuple[str, str]:
    """Between them stands what `publish` writes."""
    return f"<!-- figures of {suite} -->", f"<!-- end of figures of {suite} -->"
