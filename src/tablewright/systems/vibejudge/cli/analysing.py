"""``analyze-repo``: a scorecard of any repository, with nothing set up before."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from tablewright.service.commands import Answer, Desk, Needs, needs
from tablewright.service.problems import FieldError, Problem, invalid
from tablewright.service.wording import plain

if TYPE_CHECKING:
    from datetime import datetime

    from tablewright.systems.vibejudge.analysing import Analysis
    from tablewright.systems.vibejudge.cli.asked import Asked
    from tablewright.systems.vibejudge.cli.cards import Card
    from tablewright.systems.vibejudge.repos.uncommitted import Uncommitted
    from tablewright.systems.vibejudge.rules.verdicts import Verdict, Yardstick
    from tablewright.systems.vibejudge.static.window import Window

_SECS = 600.0
#: On a terminal: narrower is not read, wider neither.
_NARROW, _WIDE = 60, 110


@needs(Needs.NOWHERE)
async def analyze_repo(
    desk: Desk,
    /,
    repo: str = ".",
    *,
    policy: Literal["full_vibe", "ai_assisted", "traditional", "custom"] = "ai_assisted",
    authenticity: Annotated[float | None, Parameter(validator=Number(gte=0, lte=0.5))] = None,
    rubric: str | None = None,
    sha: str | None = None,
    start: str | None = None,
    end: str | None = None,
    html: Path | None = None,
    fail_under: Annotated[float | None, Parameter(validator=Number(gte=0, lte=100))] = None,
) -> Answer:
    """Score a repository, with evidence: what a hackathon's judges would be shown.

    Needs nothing but git. Code is read, never run, and only what is committed counts. What the
    scores look at is written in docs/vibejudge-scores.md.

    Parameters
    ----------
    repo
        A folder with a git repository, or one below it; or an address, as
        https://github.com/OWNER/NAME (also GitLab, Bitbucket, Codeberg).
    policy
        What is thought of AI: full_vibe, ai_assisted, traditional, or custom.
    authenticity
        What authenticity weighs under a custom policy, from 0 to 0.5.
    rubric
        A JSON or TOML file (dimensions with name, weight and agent), or the name of a template:
        all-round, vibe-coding, classic and so on.
    sha
        Another commit than the latest; of a folder also a branch or a tag.
    start
        When the hackathon began, as 2026-11-13 or 2026-11-13T18:00:00Z; commits before it count
        as not authentic.
    end
        When it ended.
    html
        Write the scorecard to this file as well, as a page for a browser.
    fail_under
        Exit with 1 if the score is lower, for checks of every change.
    """
    import asyncio

    from tablewright.systems.vibejudge.cli.asked import asked

    window = _window(start, end)
    by = _measure(policy, authenticity, rubric)
    wanted = await asyncio.to_thread(asked, repo, sha)
    card = await _card(desk, wanted, by, window, sha is None, fail_under)
    if html is not None:
        from tablewright.systems.vibejudge.cli.card_page import card_page

        html.write_text(card_page(card), encoding="utf-8")
    return _answer(desk, card, html)


def _answer(desk: Desk, card: Card, html: Path | None) -> Answer:
    if desk.json:
        return Answer([], card.data(), ok=card.passed)
    from tablewright.systems.vibejudge.cli.card_text import card_text

    text = card_text(card, width=width(), colour=coloured(desk))
    written = [] if html is None else [f" Written to {html}."]
    return Answer([text, *written], ok=card.passed)


def coloured(desk: Desk) -> bool:
    """Whether colours are seen there."""
    import os

    shown = desk.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return shown and "NO_COLOR" not in os.environ


def width() -> int:
    """Of what is shown on a terminal."""
    import shutil

    return max(_NARROW, min(_WIDE, shutil.get_terminal_size((100, 24)).columns))


# --- the analysis --------------------------------------------------------------------------------


async def _card(
    desk: Desk,
    wanted: Asked,
    by: Yardstick,
    window: Window | None,
    latest: bool,
    fail_under: float | None,
) -> Card:
    import time
    from decimal import Decimal

    from tablewright.systems.vibejudge.cli.cards import Card

    began = time.perf_counter()
    analysis, pending = await _looked(desk, wanted, window, latest)
    return Card(
        asked=wanted,
        analysis=analysis,
        verdict=_verdict(by, analysis, began),
        by=by,
        seconds=time.perf_counter() - began,
        window=window,
        uncommitted=pending,
        fail_under=None if fail_under is None else Decimal(str(fail_under)),
    )


def _verdict(by: Yardstick, analysis: Analysis, began: float) -> Verdict:
    import time

    from tablewright.systems.vibejudge.rules.verdicts import Totals, outside_dates, verdict

    if not analysis.code_lines:
        detail = "Not assessed: the repository has no source code in a programming language."
        raise Problem(422, "NO_CODE", detail)
    took = Totals(duration_ms=int(1000 * (time.perf_counter() - began)))
    flags = (*outside_dates(analysis.outside_window), *analysis.talks)
    found = verdict(by, analysis.results, flags=flags, totals=took)
    if found is None:
        detail = "There is nothing here that the dimensions of this rubric look at."
        raise Problem(422, "NOTHING_TO_SCORE", detail)
    return found


async def _looked(
    desk: Desk, wanted: Asked, window: Window | None, latest: bool
) -> tuple[Analysis, Uncommitted | None]:
    """In a process of its own, with the time that has passed before whoever waits."""
    import asyncio

    from tablewright.systems.vibejudge.cli.asked import EVERYWHERE
    from tablewright.systems.vibejudge.repos.uncommitted import uncommitted

    ticking = asyncio.create_task(_tick(desk, wanted))
    try:
        analysis = await _analysed(wanted, window)
        folder = wanted.folder
        if folder is None or not latest:
            return analysis, None
        return analysis, await asyncio.to_thread(uncommitted, folder, root=EVERYWHERE)
    finally:
        ticking.cancel()


async def _analysed(wanted: Asked, window: Window | None) -> Analysis:
    from tablewright.systems.vibejudge.analysing import AnalysisFailed, Order, run
    from tablewright.systems.vibejudge.cli.asked import EVERYWHERE, refused
    from tablewright.systems.vibejudge.repos.errors import RepoError
    from tablewright.systems.vibejudge.repos.fetching import Access
    from tablewright.systems.vibejudge.repos.limits import Limits

    # The limits of a hackathon, so that what passes here passes there.
    limits, local = Limits(diffs=0), wanted.folder is not None
    access = Access(local_root=EVERYWHERE) if local else Access()
    order = Order(wanted.source, wanted.sha, window, access, limits)
    try:
        return await run(order, timeout=_SECS)
    except RepoError as error:
        raise refused(error, wanted.source) from None
    except AnalysisFailed as error:
        hint = "It may be too large for the memory or the time that an analysis has."
        detail = f"{wanted.source}: {error}."
        raise Problem(422, error.code, detail, extra={"hint": hint}) from None


async def _tick(desk: Desk, wanted: Asked) -> None:
    import asyncio
    import itertools

    what = f"{'Reading' if wanted.folder else 'Fetching and reading'} {plain(wanted.title)}"
    for count, turn in enumerate(itertools.cycle("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")):
        desk.tick(f"{turn} {what} ... {count // 8} s")
        await asyncio.sleep(1 / 8)


# --- what is typed -------------------------------------------------------------------------------


def _measure(
    policy: Literal["full_vibe", "ai_assisted", "traditional", "custom"],
    authenticity: float | None,
    file: str | None,
) -> Yardstick:
    from decimal import Decimal

    from tablewright.systems.vibejudge.cli.rubric_files import read_rubric
    from tablewright.systems.vibejudge.entities import PolicyConfig
    from tablewright.systems.vibejudge.rules.templates import TEMPLATES
    from tablewright.systems.vibejudge.rules.verdicts import Yardstick

    if (policy == "custom") != (authenticity is not None):
        raise invalid(FieldError("--authenticity", "goes with --policy custom, and only with it"))
    rubric = TEMPLATES[0].rubric if file is None else read_rubric(file)
    if authenticity is None:
        return Yardstick(rubric, policy)
    weight = PolicyConfig(authenticity_weight=Decimal(str(authenticity)))
    return Yardstick(rubric, policy, weight)


def _window(start: str | None, end: str | None) -> Window | None:
    from datetime import UTC, datetime, timedelta

    from tablewright.systems.vibejudge.static.window import Window

    if start is None and end is None:
        return None
    began = _moment("--start", start) or datetime(1970, 1, 1, tzinfo=UTC)
    ended = _moment("--end", end) or datetime(9999, 1, 1, tzinfo=UTC)
    if end is not None and len(end.strip()) == len("2026-11-15"):
        ended += timedelta(days=1, seconds=-1)
    if ended <= began:
        raise invalid(FieldError("--end", "a hackathon ends after it has started"))
    return Window(began, ended)


def _moment(option: str, text: str | None) -> datetime | None:
    from datetime import UTC, datetime

    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        message = f"{text!r} is no date: 2026-11-13, or 2026-11-13T18:00:00Z"
        raise invalid(FieldError(option, message)) from None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
