"""A ladder as people write it, in Markdown::

    1. Junior
    2. Senior

    # Craft

    ## Code

    1. Writes code that others can read.
    2. Shapes the code of a whole service.

       - splits it where it changes for different reasons

The list at the top names the levels and may be missing. Headings with one # are categories, those
with two are competencies; each has the same levels, numbered from 1. The first paragraph of a
level is its description, everything else up to the next level or heading its detail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tablewright.systems.ladders.fields import (
    MAX_ITEM_BYTES,
    Competency,
    Ladder,
    LadderLevel,
)
from tablewright.systems.ladders.rules.ladder_blocks import TooDeep, blocks_of
from tablewright.systems.ladders.rules.ladder_lines import MOST_ERRORS, LineError, lines_of
from tablewright.systems.ladders.rules.ladder_reader import Reader
from tablewright.systems.ladders.rules.ladder_size import stored_size
from tablewright.systems.ladders.rules.markdown import escaped

__all__ = ["LineError", "Parsed", "parse", "written"]


@dataclass(frozen=True)
class Parsed:
    """What was read: a ladder, or all that is wrong with it, by line."""

    ladder: Ladder | None
    errors: tuple[LineError, ...] = ()
    #: Lines that are left out of the ladder; the text keeps them.
    notes: tuple[LineError, ...] = ()


def parse(text: bytes | str) -> Parsed:
    """Read a ladder. It never raises; a large text can take a second."""
    lines, unreadable = lines_of(text)
    if not lines:
        return Parsed(None, tuple(unreadable))
    blocks = blocks_of(lines)
    if isinstance(blocks, TooDeep):
        deep = "Lists and quotes are too deep inside of each other."
        return Parsed(None, (*unreadable, LineError(blocks.line, "too_large", deep)))
    reader = Reader()
    reader.read(blocks)
    errors = sorted((*unreadable, *_further(reader.errors, unreadable)), key=lambda each: each.line)
    if errors:
        return Parsed(None, tuple(errors[:MOST_ERRORS]))
    ladder = reader.ladder()
    large = _too_large(text, ladder)
    return Parsed(ladder, notes=reader.notes) if large is None else Parsed(None, (large,))


def _further(found: Sequence[LineError], unreadable: Sequence[LineError]) -> Iterator[LineError]:
    """A line of which nothing can be read may say something: that is one fault, and not two."""
    lines = {each.line for each in unreadable}
    return (each for each in found if each.code != "empty" or each.line not in lines)


def _too_large(text: bytes | str, ladder: Ladder) -> LineError | None:
    size = stored_size(text.decode() if isinstance(text, bytes) else text, ladder)
    if size <= MAX_ITEM_BYTES:
        return None
    told = f"As it is read, the ladder takes {-(-size // 1024)} KB; a tab counts as its spaces."
    return LineError(1, "too_large", f"{told} At most it is {MAX_ITEM_BYTES // 1024} KB.")


def written(ladder: Ladder) -> str:
    """The text of a ladder; who reads it gets the same ladder."""
    parts = []
    if ladder.level_names:
        named = enumerate(map(escaped, ladder.level_names), 1)
        parts.append("\n".join(f"{number}. {name}" for number, name in named))
    for category in ladder.categories:
        parts.append(f"# {escaped(category.name)}")
        for competency in category.competencies:
            parts += [f"## {escaped(competency.name)}", _levels(competency)]
    return "\n\n".join(parts) + "\n"


def _levels(competency: Competency) -> str:
    """An empty line where there is a detail, none elsewhere."""
    text = ""
    for each in competency.levels:
        text += _level(each) + ("\n" if each.detail is None else "\n\n")
    return text.rstrip("\n")


def _level(level: LadderLevel) -> str:
    marker = f"{level.level}. "
    if level.detail is None:
        return marker + level.description
    lines = level.detail.split("\n")
    detail = "\n".join(" " * len(marker) + each if each else "" for each in lines)
    return f"{marker}{level.description}\n\n{detail}"
