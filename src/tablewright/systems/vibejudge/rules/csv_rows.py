"""Files of submissions: ours, and what Devpost exports.

Ours have the columns ``team_name`` and ``repo_url``, and ``external_id`` if another system sends
them. Devpost's have a project on each row: its title stands for the team where no column names
one, the repository is the first link of the row that is one, and the page of the project is its id,
so that the file of tomorrow brings only what is new.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Final

from tablewright.service.csv_cells import text_of
from tablewright.service.repo_urls import HOSTS, BadRepoUrl, RepoUrl, parse
from tablewright.systems.vibejudge.rules.team_names import (
    LONGEST_NAME,
    clean_team_name,
    is_team_name,
)

#: Of one file.
MOST_ROWS: Final = 500
_MOST_COLUMNS: Final = 1000
_LONGEST_ID: Final = 64

_TEAM: Final = ("team_name", "team")
_REPO: Final = ("repo_url", "repo", "repository", "repository_url", "github_url", "git_url")
_EXTERNAL: Final = ("external_id",)
_TITLE: Final = ("project_title", "submission_title")
_PAGE: Final = "submission_url"
_LINKS: Final = "try_it_out_links"
_STATUS: Final = "project_status"
#: What organisers call their own question for it.
_ASKED_FOR: Final = ("repo", "github", "gitlab", "source_code", "link_to_code")
_BETWEEN: Final = re.compile(r"[\s,;|<>\"']+")


class BadFile(Exception):
    """Nothing of the file can be understood; says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """A submission as it stands in a file, or why there is none."""

    line: int
    members: Mapping[str, str] | None = None
    reason: str = ""
    #: What was left out of the row, for the organiser to check.
    note: str = ""


def rows_of(data: bytes) -> list[Row]:
    """All rows of a file, empty ones left out; :class:`BadFile` if it is none of both kinds."""
    lines = _lines(_text(data))
    first = next(lines, None)
    if first is None:
        raise BadFile("The file is empty: its first line has to name the columns.")
    if len(first[1]) > _MOST_COLUMNS:
        raise BadFile(f"The file has more than {_MOST_COLUMNS} columns.")
    names = [_name(cell) for cell in first[1]]
    read = _reader(names)
    # How many more there are does not matter, and would take long to find out.
    some = list(islice(lines, MOST_ROWS + 1))
    if len(some) > MOST_ROWS:
        raise BadFile(f"The file has more than {MOST_ROWS} rows; so many are taken at once.")
    return [read(line, _members(names, cells)) for line, cells in some]


# --- the file ------------------------------------------------------------------------------------


def _text(data: bytes) -> str:
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise BadFile("The file is not UTF-8: save it as CSV UTF-8.") from None


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row that is not empty, and the number of its first line."""
    head = next((line for line in io.StringIO(text) if line.strip()), "")
    # Spreadsheets say so where it is not the comma.
    told = re.fullmatch(r"(?i)sep=([,;\t|])", head.strip("\r\n"))
    delimiter = told[1] if told else max(",;\t|", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) and not (told and before == 0):
                yield before + 1, cells
            before = reader.line_num
    except csv.Error:
        raise BadFile(f"The row at line {before + 1} is not a row of CSV.") from None


def _name(cell: str) -> str:
    """``"Try it out" Links`` and ``Team Name`` as ``try_it_out_links`` and ``team_name``."""
    return "_".join(re.findall(r"\w+", cell.casefold()))


def _members(names: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    # Rows of Devpost have more cells than names: one for each further member of a team.
    told = zip(names, (text_of(cell.strip()) for cell in cells), strict=False)
    return {name: cell for name, cell in told if cell}


def _reader(names: Sequence[str]) -> Callable[[int, Mapping[str, str]], Row]:
    if _PAGE in names and any(each in names for each in _TITLE):
        return _of_devpost
    missing = [
        said
        for said, known in (("team_name", _TEAM), ("repo_url", _REPO))
        if not any(each in names for each in known)
    ]
    if missing:
        told = " and ".join(missing)
        raise BadFile(
            f"The first line has to name the columns; {told} is missing. Files that Devpost "
            "exports are read too: they have Project Title and Submission Url."
        )
    return _of_ours


# --- the rows ------------------------------------------------------------------------------------


def _of_ours(line: int, cells: Mapping[str, str]) -> Row:
    wanted = {"team_name": _TEAM, "repo_url": _REPO, "external_id": _EXTERNAL}
    found = {name: _first(cells, known) for name, known in wanted.items()}
    return Row(line, {name: cell for name, cell in found.items() if cell})


def _of_devpost(line: int, cells: Mapping[str, str]) -> Row:
    if cells.get(_STATUS, "").casefold().startswith("draft"):
        return Row(line, reason="is a draft that was not submitted")
    title = clean_team_name(_first(cells, _TEAM) or _first(cells, _TITLE) or "")
    team = title[:LONGEST_NAME].strip()
    if not is_team_name(team):
        return Row(line, reason="has no title that a team could be called by")
    repos = _repositories(cells)
    if not repos:
        return Row(line, reason=f"has no link to a repository at {', '.join(sorted(HOSTS))}")
    page = cells.get(_PAGE, "")
    members = {"team_name": team, "repo_url": repos[0].page} | _identity(page)
    return Row(line, members, note=_note(repos, team, title))


def _repositories(cells: Mapping[str, str]) -> list[RepoUrl]:
    """List the repositories of a row, those of a column that asks for one first, each once."""
    columns = [cell for name, cell in cells.items() if any(each in name for each in _ASKED_FOR)]
    found: dict[str, RepoUrl] = {}
    for cell in (*columns, cells.get(_LINKS, "")):
        for word in _BETWEEN.split(cell):
            with suppress(BadRepoUrl):
                repo = parse(word.rstrip(".)"))
                found.setdefault(repo.key, repo)
    return list(found.values())


def _note(repos: Sequence[RepoUrl], team: str, title: str) -> str:
    """Say what of a row was not taken over."""
    notes = []
    if len(repos) > 1:
        others = ", ".join(each.page for each in repos[1:])
        notes.append(
            f"The row has {len(repos)} repositories. {repos[0].page} was submitted, {others} not."
        )
    if team != title:
        notes.append(f"The name was shortened to {LONGEST_NAME} characters.")
    return " ".join(notes)


def _identity(page: str) -> dict[str, str]:
    """``devpost:`` and the name of the project in its address."""
    if not page:
        return {}
    name = page.rstrip("/").rpartition("/")[2]
    told = f"devpost:{name}"
    if len(told) > _LONGEST_ID or not re.fullmatch(r"[\w.-]+", name, re.ASCII):
        told = f"devpost:{sha256(page.encode()).hexdigest()[:32]}"
    return {"external_id": told}


def _first(cells: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((cells[name] for name in names if name in cells), None)
