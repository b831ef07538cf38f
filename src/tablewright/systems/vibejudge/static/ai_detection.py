"""The agent that looks at how the work came about. It disqualifies nobody."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from tablewright.systems.vibejudge.rules.scoring import clamped
from tablewright.systems.vibejudge.static.facts import Facts
from tablewright.systems.vibejudge.static.pace import crowded, lines_an_hour, pace_score
from tablewright.systems.vibejudge.static.results import Scored, many
from tablewright.systems.vibejudge.static.signs import signs_of
from tablewright.systems.vibejudge.static.style import hands
from tablewright.systems.vibejudge.static.window import Window

_EACH_SIGN = 3
_TRAITS = {"indent": "indents", "quotes": "quotes", "ends": "ends lines", "names": "names things"}


def ai_detection(facts: Facts, window: Window | None) -> dict[str, Scored]:
    return {
        "commit_authenticity": commit_authenticity(facts, window),
        "development_velocity": development_velocity(facts),
        "authorship_consistency": authorship_consistency(facts),
        "iteration_depth": iteration_depth(facts),
        "ai_generation_indicators": ai_generation_indicators(facts),
    }


def commit_authenticity(facts: Facts, window: Window | None) -> Scored:
    """The share of commits within the dates, and not in one second with two others."""
    commits = facts.base.snapshot.commits
    if not commits:
        return Scored(None)
    outside = {each.sha for each in commits if window and not window.holds(each.at)}
    together = crowded(commits)
    bad = len(outside | together)
    counted = many(len(commits), "commit")
    said = f"{counted}: {len(outside)} outside the dates, {len(together)} in one second."
    return Scored(clamped(10 * Fraction(len(commits) - bad, len(commits))), said=said)


def development_velocity(facts: Facts) -> Scored:
    """10 up to 150 lines an hour of work, 4 at 300, 0 from 600 on."""
    pace = lines_an_hour(facts.base.snapshot.commits, facts.is_code)
    if pace is None:
        return Scored(None)
    return Scored(clamped(pace_score(pace)), said=f"{round(pace)} lines in an hour of work.")


def authorship_consistency(facts: Facts) -> Scored:
    """The share of lines in files that are in their main author's style."""
    found = hands(facts.base.product, facts.base.snapshot.commits)
    whole = sum(each.code.size for each in found)
    if not whole:
        return Scored(None)
    odd = [each for each in found if each.unlike]
    share = Fraction(whole - sum(each.code.size for each in odd), whole)
    odd.sort(key=lambda each: (-each.code.size, each.code.path))
    findings = tuple(
        each.code.finding(
            "other-hand",
            1,
            "info",
            f"This file {_unlike(each.unlike)} unlike what its main author, {each.author}, "
            "usually does: a formatter would make it one hand",
        )
        for each in odd[:3]
    )
    said = f"{len(odd)} of {len(found)} files are not in their author's style."
    return Scored(clamped(10 * share), findings, said)


def _unlike(traits: tuple[str, ...]) -> str:
    return " and ".join(_TRAITS[each] for each in traits)


def iteration_depth(facts: Facts) -> Scored:
    """10 x min(1, 2 x share of files of code that were changed twice)."""
    paths = {each.path for each in [*facts.base.product, *facts.base.tests]}
    if not paths or not facts.base.snapshot.commits:
        return Scored(None)
    times: dict[str, int] = dict.fromkeys(paths, 0)
    for commit in facts.base.snapshot.commits:
        for path in {change.path for change in commit.files_changed} & paths:
            times[path] += 1
    again = sum(count >= 2 for count in times.values())
    said = f"{again} of {len(paths)} files were worked on again."
    return Scored(clamped(10 * min(Fraction(1), Fraction(2 * again, len(paths)))), said=said)


def ai_generation_indicators(facts: Facts) -> Scored:
    """10 without a sign; 3 less for each kind of sign."""
    snapshot, base = facts.base.snapshot, facts.base
    signs = signs_of(snapshot.commits, snapshot.files, base.product, facts.is_code)
    found = tuple(each for each in signs.seen.values() if each is not None)
    said = f"Signs of AI: {', '.join(signs.seen)}." if signs.seen else ""
    return Scored(clamped(Decimal(10 - _EACH_SIGN * len(signs.seen))), found, said)
