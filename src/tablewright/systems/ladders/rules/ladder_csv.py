"""A ladder from a spreadsheet, saved as CSV: turned into the Markdown that ladders are kept in.

Either one row for each level, or one row for each competency with a column for each level::

    category,competency,level,description        category,competency,Junior,Senior
    Craft,Code,1,Writes code.                    Craft,Code,Writes code.,Shapes a service.

An empty category or competency is that of the row above, as merged cells are saved.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tablewright.service.names import clean_text, comparison_key
from tablewright.systems.ladders.rules.markdown import escaped

_DELIMITERS: Final = ",;\t"
_MOST_FAULTS: Final = 20


class CsvError(ValueError):
    """A file that is no ladder, with all that is wrong by row."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = tuple(faults)


#: A description and its detail, by level.
_Levels = dict[int, tuple[str, str]]


@dataclass
class _Sheet:
    level_names: list[str] = field(default_factory=list)
    #: By category and competency, in the order of the file.
    competencies: dict[tuple[str, str], _Levels] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)


def markdown_of_csv(content: bytes) -> str:
    """Return the Markdown of a ladder in a CSV file; its own rules are checked later.

    Raises:
        CsvError: Says for each row what is wrong and what to do.
    """
    header, rows = _table(content)
    columns = {comparison_key(name): place for place, name in enumerate(header)}
    for name in ("category", "competency"):
        if name not in columns:
            raise CsvError([f"The first row needs a column named {name}."])
    long = "level" in columns and "description" in columns
    sheet = _read_long(columns, rows) if long else _read_wide(header, columns, rows)
    if not sheet.faults and not sheet.competencies:
        sheet.faults.append("There is no row below the first one.")
    if sheet.faults:
        raise CsvError(sheet.faults[:_MOST_FAULTS])
    return _written(sheet)


def _table(content: bytes) -> tuple[list[str], list[list[str]]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise CsvError(["The file is not UTF-8. Save it as CSV UTF-8."]) from None
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise CsvError([f"The file is not CSV: {error}."]) from None
    if not rows:
        raise CsvError(["The file is empty."])
    return rows[0], rows[1:]


def _placed(
    columns: dict[str, int], rows: Sequence[Sequence[str]], sheet: _Sheet
) -> Iterator[tuple[int, Sequence[str], tuple[str, str]]]:
    """Give each row with its number and its competency; empty rows are left out."""
    category = competency = ""
    for number, row in enumerate(rows, 2):
        if not any(cell.strip() for cell in row):
            continue
        given = clean_text(_cell(row, columns["category"]))
        named = clean_text(_cell(row, columns["competency"]))
        if given and comparison_key(given) != comparison_key(category):
            category, competency = given, ""
        competency = named or competency
        if not category or not competency:
            missing = "competency" if category else "category"
            sheet.faults.append(f"Row {number}: enter a {missing}.")
            continue
        yield number, row, (category, competency)


def _read_long(columns: dict[str, int], rows: Sequence[Sequence[str]]) -> _Sheet:
    sheet = _Sheet()
    detail = columns.get("detail")
    for number, row, place in _placed(columns, rows, sheet):
        text = _cell(row, columns["level"]).strip()
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 10):
            sheet.faults.append(f"Row {number}: level has to be a number from 1 to 10.")
            continue
        levels = sheet.competencies.setdefault(place, {})
        if int(text) in levels:
            sheet.faults.append(f"Row {number}: level {text} of {place[1]} is there already.")
            continue
        more = "" if detail is None else _cell(row, detail)
        levels[int(text)] = (_cell(row, columns["description"]), more)
    return sheet


def _read_wide(
    header: Sequence[str], columns: dict[str, int], rows: Sequence[Sequence[str]]
) -> _Sheet:
    sheet = _Sheet()
    taken = {columns["category"], columns["competency"]}
    places = [place for place, name in enumerate(header) if place not in taken and name.strip()]
    if not places:
        raise CsvError(["The first row needs a column for each level."])
    names = [clean_text(header[place]) for place in places]
    if not all(name.isdigit() for name in names):
        sheet.level_names = names
    for number, row, place in _placed(columns, rows, sheet):
        if place in sheet.competencies:
            sheet.faults.append(f"Row {number}: {place[1]} is there already.")
            continue
        sheet.competencies[place] = {
            level: (_cell(row, at), "") for level, at in enumerate(places, 1)
        }
    return sheet


def _cell(row: Sequence[str], place: int) -> str:
    return row[place].replace("\r\n", "\n").replace("\r", "\n") if place < len(row) else ""


def _written(sheet: _Sheet) -> str:
    parts: list[str] = []
    if sheet.level_names:
        named = enumerate(map(escaped, sheet.level_names), 1)
        parts.append("\n".join(f"{number}. {name}" for number, name in named))
    current = ""
    for (category, competency), levels in _grouped(sheet):
        if category != current:
            parts.append(f"# {escaped(category)}")
            current = category
        parts.append(f"## {escaped(competency)}")
        parts.append("\n".join(_level(number, *levels[number]) for number in sorted(levels)))
    return "\n\n".join(parts) + "\n"


def _grouped(sheet: _Sheet) -> list[tuple[tuple[str, str], _Levels]]:
    """Put the competencies of a category together, where the file has them apart."""
    order = {category: at for at, (category, _) in reversed(list(enumerate(sheet.competencies)))}
    return sorted(sheet.competencies.items(), key=lambda item: order[item[0][0]])


def _level(number: int, description: str, detail: str) -> str:
    """Write a level: the first line of its cell is the description, the others are the detail."""
    lines = [line.strip() for line in f"{description}\n{detail}".split("\n") if line.strip()]
    first, *others = lines or [""]
    text = f"{number}. {escaped(first)}".rstrip()
    if not others:
        return text
    indent = " " * (len(str(number)) + 2)
    bullets = (line.lstrip("-*\u2022 ").strip() for line in others)
    return "\n".join((text, "", *(f"{indent}- {escaped(each)}" for each in bullets if each), ""))
