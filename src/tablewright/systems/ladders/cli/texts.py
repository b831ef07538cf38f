"""Ladders as files, and what is wrong with them, by line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tablewright.service.commands import Desk, Line
from tablewright.service.problems import Problem
from tablewright.service.typed import STDIN, file_name
from tablewright.service.wording import several

if TYPE_CHECKING:
    from tablewright.systems.ladders.fields import Ladder
    from tablewright.systems.ladders.rules.ladder_lines import LineError


def text_of(desk: Desk, file: Path) -> bytes:
    """What a file says, or what is piped in; not much more of it than a ladder may have."""
    from tablewright.systems.ladders.fields import MAX_CONFIG_BYTES

    most = MAX_CONFIG_BYTES + 1
    if file == STDIN:
        return desk.stdin.read(most)
    with file.open("rb") as opened:
        return opened.read(most)


def ladder_of(desk: Desk, file: Path) -> Ladder:
    """The ladder of a file, or a problem with all that is wrong."""
    from tablewright.systems.ladders.rules.ladder_text import parse

    parsed = parse(text_of(desk, file))
    if parsed.ladder is None:
        raise faulty(file, parsed.errors)
    return parsed.ladder


def faulty(file: Path, errors: Iterable[LineError]) -> Problem:
    found = list(errors)
    told = "\n       ".join(error_line(file, each) for each in found)
    detail = f"The ladder has {several(len(found), 'fault')}. Nothing was stored.\n       {told}"
    lines = [each._asdict() for each in found]
    return Problem(422, "INVALID_LADDER", detail, extra={"lines": lines})


def error_line(file: Path, error: LineError) -> str:
    """As editors know it, so that a click leads there."""
    return f"{file_name(file)}:{error.line}: {error.message} ({error.code})"


def size_of(ladder: Ladder) -> dict[str, int]:
    inside = [each for category in ladder.categories for each in category.competencies]
    return {
        "categories": len(ladder.categories),
        "competencies": len(inside),
        "levels": sum(len(each.levels) for each in inside),
    }


def size_line(ladder: Ladder) -> Line:
    """``4 categories, 16 competencies, 112 levels``"""
    size = size_of(ladder)
    return ", ".join(
        (
            several(size["categories"], "category", "categories"),
            several(size["competencies"], "competency", "competencies"),
            several(size["levels"], "level"),
        )
    )
