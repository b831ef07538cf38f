"""Files of submissions: ours, Devpost's, and those that are neither."""

from __future__ import annotations

import csv
import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.service.csv_cells import lines, text_cell, text_of
from tablewright.systems.vibejudge.rules.csv_rows import BadFile, Row, rows_of

OWLS = {"team_name": "Night Owls", "repo_url": "https://github.com/night-owls/lantern"}
PLAIN = "Team Name,Repo URL\r\nNight Owls,https://github.com/night-owls/lantern\r\n"


@pytest.mark.parametrize(
    "data",
    [
        PLAIN.encode(),
        b"\xef\xbb\xbf" + PLAIN.encode(),
        PLAIN.encode("utf-16"),
        PLAIN.replace(",", ";").encode(),
        PLAIN.replace(",", "\t").replace("\r\n", "\n").encode(),
        b"sep=;\r\n" + PLAIN.replace(",", ";").encode(),
        b"repo,team\n\n https://github.com/night-owls/lantern , Night Owls \n,\n",
    ],
)
def test_ours_however_a_spreadsheet_writes_it(data: bytes) -> None:
    assert [row.members for row in rows_of(data)] == [OWLS]


def test_rows_know_their_lines() -> None:
    data = b'team,repo,external_id\n"Two\nLines",https://x.example,7\n\nB,https://y.example\n'
    first, second = rows_of(data)
    assert (first.line, first.members) == (
        2,
        {"team_name": "Two\nLines", "repo_url": "https://x.example", "external_id": "7"},
    )
    assert second == Row(5, {"team_name": "B", "repo_url": "https://y.example"})


# The names that Devpost gives to its columns; the last one stands for all further members.
DEVPOST = (
    "Project Title,Submission Url,Project Status,Judging Status,Project Created At,"
    'About The Project,"""Try it out"" Links",Video Demo Link,Opt-In Prizes,Built With,'
    "Submitter First Name,Submitter Last Name,Submitter Email,Additional Team Member Count,"
    "Team Member 1 First Name,..."
)
PAGE = "https://jam.devpost.com/submissions/1-"


def devpost(*rows: tuple[str, ...], head: str = DEVPOST) -> list[Row]:
    written = io.StringIO()
    csv.writer(written).writerows(rows)
    return rows_of(f"{head}\r\n{written.getvalue()}".encode())


def project(
    title: str, slug: str, links: str, status: str = "Submitted (Gallery/Visible)"
) -> tuple[str, ...]:
    about = "We built it,\nin a night."
    started = "09/01/2026 12:00:00"
    before = (title, f"{PAGE}{slug}", status, "", started, about, links, "", "", "python")
    return (*before, "Ann", "Lee", "ann@people.test", "2", "Bo", "Kim", "Cy", "cy@people.test")


def test_what_devpost_exports() -> None:
    live = "https://lantern.example, https://GitHub.com/Night-Owls/Lantern/tree/main/app?tab=code"
    rows = devpost(
        project("Lantern: light, for *everybody*!", "lantern", live),
        project("Second", "second", "http://gitlab.com/a/b/c/-/blob/main/README.md"),
        project("Unfinished", "unfinished", live, status="Draft"),
        project("Only a page", "page", "https://example.org https://github.com/somebody"),
        project("***", "stars", live),
    )
    assert rows[0].members == {
        "team_name": "Lantern: light, for *everybody*!",
        "repo_url": "https://github.com/Night-Owls/Lantern",
        "external_id": "devpost:1-lantern",
    }
    assert rows[1].members is not None
    assert rows[1].members["repo_url"] == "https://gitlab.com/a/b/c"
    assert [row.reason.split()[:3] for row in rows[2:]] == [
        ["is", "a", "draft"],
        ["has", "no", "link"],
        ["has", "no", "title"],
    ]
    # Nothing of a person gets further than this.
    assert "ann" not in str([row.members for row in rows]).lower().split()
    assert "@" not in str(rows)


def test_a_question_of_the_organisers_own_comes_first() -> None:
    head = "Submission Title,Submission Url,Link To Your GitHub Repo,Team Name,Try It Out Links"
    repo = "Code: https://bitbucket.org/owls/src/src/main/"
    row = ("Lantern", "https://devpost.com/software/" + "x" * 80, repo, "Owls", "https://a.example")
    (found,) = devpost(row, head=head)
    assert found.members is not None
    assert found.members["repo_url"] == "https://bitbucket.org/owls/src"
    assert found.members["team_name"] == "Owls"
    assert len(found.members["external_id"]) <= 64


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "is empty"),
        (b"\xff\xfe", "is empty"),
        (b"name,link\na,b\n", "team_name and repo_url is missing"),
        (b"team\na\n", "repo_url is missing"),
        (b"team,repo\n\xe9,b\n", "not UTF-8"),
        (b"team,repo\n" + b"a,b\n" * 501, "more than 500 rows"),
        (b"team,repo\na," + b"b" * 200_000, "line 2 is not a row"),
    ],
)
def test_what_cannot_be_read(data: bytes, why: str) -> None:
    with pytest.raises(BadFile, match=why):
        rows_of(data)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode))
def test_whatever_is_sent_is_rows_or_a_reason(data: bytes) -> None:
    for head in (b"team,repo\n", b"Project Title,Submission Url\n", b""):
        with suppress(BadFile):
            found = rows_of(head + data)
            assert all(row.members is not None or row.reason for row in found)


def test_devpost_row_with_two_repositories_reports_the_second() -> None:
    links = "https://github.com/owls/app https://www.github.com/owls/App.git github.com/owls/api"
    (row,) = devpost(project("Lantern", "lantern", links))
    assert row.members is not None
    assert row.members["repo_url"] == "https://github.com/owls/app"
    assert "2 repositories" in row.note
    assert "https://github.com/owls/api not" in row.note


def test_devpost_row_with_one_repository_has_no_note() -> None:
    (row,) = devpost(project("Lantern", "lantern", "https://github.com/owls/app/tree/main"))
    assert row.note == ""


def test_long_devpost_title_is_shortened_with_a_note() -> None:
    (row,) = devpost(project("Owls " * 20, "lantern", "https://github.com/owls/app"))
    assert row.members is not None
    assert row.members["team_name"] == ("Owls " * 20)[:50].strip()
    assert "shortened to 50" in row.note


@given(st.text(max_size=20))
def test_no_cell_is_a_formula(text: str) -> None:
    cell = text_cell(text)
    assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝"))
    assert text_of(cell) == text or text.startswith("'")


def test_lines_are_csv() -> None:
    rows = [["=1+1", 'say "hi", you', None, 7], ["-owls", "a\nb", True, 0.5]]
    read = list(csv.reader(io.StringIO(lines(rows).decode(), newline="")))
    assert read == [["'=1+1", 'say "hi", you', "", "7"], ["'-owls", "a\nb", "True", "0.5"]]
