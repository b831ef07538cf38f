"""A report as the template takes it: texts that can be printed, and sentences about its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tablewright.service.printed_texts import breakable, day, language, lines, one_line
from tablewright.systems.ladders.press.printed import (
    PrintedAction,
    PrintedCategory,
    PrintedCompetency,
    PrintedRating,
    PrintedReport,
    Status,
)

Said: TypeAlias = "str | int | bool | list[Said] | dict[str, Said] | None"

_MINUS = "\u2212"
_STATES: dict[Status, str] = {
    "generated": "Not released yet",
    "released": "Released",
    "acknowledged": "Acknowledged",
    "stale": "Out of date: an assessment was reopened",
}


def said(report: PrintedReport) -> dict[str, Said]:
    """Everything that the template shows."""
    return {
        "title": f"Career ladder report: {_line(report.name)}, {_line(report.season)}",
        "name": _line(report.name),
        "name_language": language(report.name),
        "season": _line(report.season),
        "facts": [[label, _line(value)] for label, value in _facts(report) if value],
        "status": report.status,
        "state": _STATES[report.status],
        "levels": report.levels,
        "tiles": _tiles(report),
        "sentence": _sentence(report),
        "override": _override(report),
        "override_reason": _prose(report.override_reason),
        "threshold": report.flag_threshold,
        "categories": [_category(each, report.flag_threshold) for each in report.categories],
        "flagged": [_flag(each, one) for each, one in _flagged(report)],
        "unmatched": _unmatched(report),
        "goal": _goal(report),
        "way_forward": _prose(report.way_forward),
        "actions": [_action(each) for each in report.actions],
        "acknowledged": _acknowledged(report),
        "comment": _prose(report.comment),
    }


def _level_name(report: PrintedReport, level: int) -> str:
    names = report.level_names
    return _line(names[level - 1]) if 0 < level <= len(names) else ""


def _line(text: str) -> str:
    return breakable(one_line(text))


def _prose(text: str) -> list[Said]:
    """Its lines, each with the language that it is read in."""
    return [{"text": breakable(each), "language": language(each)} for each in lines(text)]


def _facts(report: PrintedReport) -> Sequence[tuple[str, str]]:
    return (
        ("Team", report.team),
        ("Review", report.plan),
        ("Season", report.season),
        ("Manager", report.manager),
        ("Ladder", f"Version {report.ladder_version}"),
        ("Made on", day(report.generated)),
        ("Released on", day(report.released) if report.released else ""),
    )


def _tiles(report: PrintedReport) -> list[Said]:
    summary = report.summary
    return [
        _level_tile(report, "Final level", report.final_level, "manager"),
        _level_tile(report, "Self-assessed level", report.own_level, "own"),
        _level_tile(report, "Goal level", report.goal_level, "goal"),
        {
            "label": "Worth discussing",
            "value": str(summary.flagged),
            "of": f"of {summary.matched}",
            "note": "competencies rated by both",
            "kind": "flag",
        },
    ]


def _level_tile(report: PrintedReport, label: str, level: int, kind: str) -> dict[str, Said]:
    return {
        "label": label,
        "value": str(level),
        "of": f"of {report.levels}",
        "note": _level_name(report, level),
        "kind": kind,
    }


def _sentence(report: PrintedReport) -> str:
    """The summary in words."""
    summary = report.summary
    if not summary.matched:
        return "No competency was rated by both sides, so there is nothing to compare."
    apart = _levels(report.flag_threshold) + (" or more" if report.flag_threshold < 9 else "")
    differ = "differs" if summary.flagged == 1 else "differ"
    return (
        f"{_count(summary.matched, 'competency', 'competencies')} rated by both sides; "
        f"{summary.flagged or 'none'} {differ} by {apart}. {_leaning(summary.mean)}; "
        f"taken without direction, the ratings are {summary.mean_absolute:.1f} levels apart."
    )


def _override(report: PrintedReport) -> str:
    """Say that the manager has set the overall level; "" if the ratings give it."""
    if report.calculated_level is None:
        return ""
    return (
        f"The manager has set the overall level to {report.final_level}. "
        f"The ratings give level {report.calculated_level}."
    )


def _leaning(mean: float) -> str:
    if f"{abs(mean):.1f}" == "0.0":
        return "On average, the manager's ratings are level with the self-assessment"
    side = "above" if mean > 0 else "below"
    return (
        f"On average, the manager's ratings are {abs(mean):.1f} levels {side} the self-assessment"
    )


def _category(category: PrintedCategory, threshold: int) -> dict[str, Said]:
    return {
        "name": _line(category.name),
        "language": language(category.name),
        "own": category.own_level,
        "manager": category.manager_level,
        "competencies": [_competency(each, threshold) for each in category.competencies],
    }


def _competency(competency: PrintedCompetency, threshold: int) -> dict[str, Said]:
    sides = (competency.own, competency.manager)
    return {
        "name": _line(competency.name),
        "language": language(competency.name),
        "own": _rating(competency.own),
        "manager": _rating(competency.manager),
        "kind": _kind(competency, threshold),
        "verdict": _verdict(competency),
        "has_words": any(each.evidence.strip() or each.next_step.strip() for each in sides),
    }


def _rating(rating: PrintedRating) -> dict[str, Said]:
    return {
        "level": rating.level,
        "description": _line(rating.description),
        "evidence": _prose(rating.evidence),
        "next_step": _prose(rating.next_step),
    }


def _kind(competency: PrintedCompetency, threshold: int) -> str:
    """``agree``, ``mention`` or ``flag``; ``single`` or ``none`` without a pair to compare."""
    difference = competency.difference
    if difference is None:
        rated = competency.own.level is not None or competency.manager.level is not None
        return "single" if rated else "none"
    if abs(difference) >= threshold:
        return "flag"
    return "mention" if difference else "agree"


def _verdict(competency: PrintedCompetency) -> str:
    difference = competency.difference
    if difference is not None:
        return _signed(difference) if difference else "Agree"
    if competency.own.level is not None:
        return "Self only"
    return "Not rated" if competency.manager.level is None else "Manager only"


def _flagged(report: PrintedReport) -> list[tuple[PrintedCategory, PrintedCompetency]]:
    """The furthest apart first."""
    found = [
        (each, one)
        for each in report.categories
        for one in each.competencies
        if _kind(one, report.flag_threshold) == "flag"
    ]
    return sorted(found, key=lambda pair: -abs(pair[1].difference or 0))


def _flag(category: PrintedCategory, competency: PrintedCompetency) -> dict[str, Said]:
    return {
        "competency": _line(competency.name),
        "category": _line(category.name),
        "own": competency.own.level,
        "manager": competency.manager.level,
        "difference": _signed(competency.difference or 0),
    }


def _unmatched(report: PrintedReport) -> list[Said]:
    return [
        {
            "competency": _line(one.name),
            "category": _line(each.name),
            "side": "self-assessment" if one.manager.level is None else "manager",
            "level": one.own.level if one.manager.level is None else one.manager.level,
        }
        for each in report.categories
        for one in each.competencies
        if _kind(one, report.flag_threshold) == "single"
    ]


def _goal(report: PrintedReport) -> dict[str, Said]:
    steps = report.goal_level - report.final_level
    if steps > 0:
        way = f"{_levels(steps).capitalize()} up from the final level."
    elif steps:
        way = f"{_levels(-steps).capitalize()} below the final level."
    else:
        way = "The final level itself: to hold it is the goal."
    return {
        "current": report.final_level,
        "level": report.goal_level,
        "name": _level_name(report, report.goal_level),
        "way": way,
    }


def _action(action: PrintedAction) -> dict[str, Said]:
    return {
        "title": _prose(action.title),
        "note": _prose(action.note),
        "due": day(action.due),
        "status": action.status,
    }


def _acknowledged(report: PrintedReport) -> str:
    if report.acknowledged is None:
        return "Not acknowledged yet."
    return f"{_line(report.name)} acknowledged this report on {day(report.acknowledged)}."


def _signed(difference: int) -> str:
    return f"+{difference}" if difference > 0 else f"{_MINUS}{-difference}"


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def _levels(number: int) -> str:
    return f"{_NUMBERS[number]} level{'' if number == 1 else 's'}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one} was" if number == 1 else f"{number} {many} were"
