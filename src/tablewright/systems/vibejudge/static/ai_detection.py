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
#: Fewer show no history, and fewer files no style.
_FEWEST_COMMITS, _FEWEST_FILES = 3, 3
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
    """Rate the share of commits within the dates, and not in one second with two others.

    Without dates there is nothing to compare commits with; one or two commits show no history.
    """
    commits = facts.base.snapshot.commits
    if window is None:
        return Scored(None, said="Not assessed: there are no dates to compare the commits with.")
    if len(commits) < _FEWEST_COMMITS:
        said = f"Not assessed: {many(len(commits), 'commit')} cannot show how the work went on."
        return Scored(None, said=said)
    outside = {each.sha for each in commits if not window.holds(each.at)}
    together = crowded(commits)
    bad = len(outside | together)
    counted = many(len(commits), "commit")
    said = (
        f"{counted}: {len(outside)} outside the hackathon's dates, {len(together)} within one "
        "second of others."
    )
    return Scored(clamped(10 * Fraction(len(commits) - bad, len(commits))), said=said)


def development_velocity(facts: Facts) -> Scored:
    """10 up to 150 lines an hour of work, 4 at 300, 0 from 600 on."""
    commits = facts.base.snapshot.commits
    if len(commits) < 2:
        return Scored(None, said="Not assessed: one commit does not show how long the work took.")
    pace = lines_an_hour(commits, facts.is_code)
    if pace is None:
        return Scored(None, said="Not assessed: the commits that were read add no code.")
    return Scored(clamped(pace_score(pace)), said=f"{round(pace)} lines per hour of work.")


def authorship_consistency(facts: Facts) -> Scored:
    """The share of lines in files that are in their main author's style."""
    found = hands(facts.base.product, facts.base.snapshot.commits)
    whole = sum(each.code.size for each in found)
    if len(found) < _FEWEST_FILES:
        said = "Not assessed: there are too few files to compare their style."
        return Scored(None, said=said)
    odd = [each for each in found if each.unlike]
    share = Fraction(whole - sum(each.code.size for each in odd), whole)
    odd.sort(key=lambda each: (-each.code.size, each.code.path))
    findings = tuple(
        each.code.finding(
            "other-hand",
            1,
            "info",
            f"This file {_unlike(each.unlike)} differently from other files of its main author "
            f"({each.author}): use a formatter",
        )
        for each in odd[:3]
    )
    said = f"{len(odd)} of {len(found)} files differ from their author's usual style."
    return Scored(clamped(10 * share), findings, said)


def _unlike(traits: tuple[str, ...]) -> str:
    return " and ".join(_TRAITS[each] for each in traits)


def iteration_depth(facts: Facts) -> Scored:
    """10 x min(1, 2 x share of files of code that were changed twice)."""
    paths = {each.path for each in [*facts.base.product, *facts.base.tests]}
    if not paths or not facts.base.snapshot.commits:
        return Scored(None, said="Not assessed: there are no commits to look at.")
    times: dict[str, int] = dict.fromkeys(paths, 0)
    for commit in facts.base.snapshot.commits:
        for path in {change.path for change in commit.files_changed} & paths:
            times[path] += 1
    again = sum(count >= 2 for count in times.values())
    said = f"{again} of {len(paths)} files were changed again after their first commit."
    return Scored(clamped(10 * min(Fraction(1), Fraction(2 * again, len(paths)))), said=said)


def ai_generation_indicators(facts: Facts) -> Scored:
    """10 without a sign; 3 less for each kind of sign."""
    snapshot, base = facts.base.snapshot, facts.base
    signs = signs_of(snapshot.commits, snapshot.files, base.product, facts.is_code)
    found = tuple(each for each in signs.seen.values() if each is not None)
    said = f"Signs of AI: {', '.join(signs.seen)}." if signs.seen else "No signs of AI tools."
    return Scored(clamped(Decimal(10 - _EACH_SIGN * len(signs.seen))), found, said)
