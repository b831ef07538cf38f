"""Releases: the ranking as it was when the organiser released it. Nothing changes it afterwards.

A release has a header and pages of rows. All of it is written in the one transaction that sets
``released_at``, so that there is a whole release or none. Pages hold many rows, so that the largest
hackathon fits into that transaction and a visitor's page is one read.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel

from tablewright.model import Field, Key, Ulid
from tablewright.systems.vibejudge.entities import HackathonDetail, Submission
from tablewright.systems.vibejudge.table import Count, Lasting, Score, vibejudge

#: Rows of a page: about 25 KB.
ROWS_OF_A_PAGE: Final = 100


class ReleasedRow(BaseModel):
    """A team in a released ranking."""

    rank: Annotated[int, Field(ge=1)]
    sub_id: Ulid
    team_name: str
    repo_url: str
    score: Score
    #: None if the repository could not be analysed: judges alone have scored it.
    overall_score: Score | None = None


class Release(
    Lasting,
    table=vibejudge,
    type="RELEASE",
    keys={"primary": Key("HACK#{hack_id}", "RELEASE#{release_id}")},
):
    """A released ranking: how many teams it has, and where their scores lie."""

    hack_id: Ulid
    release_id: Ulid
    teams: Count
    #: The lowest score on each page, to find a team's page by its score.
    lowest_scores: list[Score]


class ReleasePage(
    Lasting,
    table=vibejudge,
    type="RELEASE_PAGE",
    keys={"primary": Key("HACK#{hack_id}", "RELEASE#{release_id}#{page:03d}")},
):
    """Some rows of a released ranking, the best first."""

    hack_id: Ulid
    release_id: Ulid
    page: Annotated[int, Field(ge=0, le=999)]
    rows: Annotated[list[ReleasedRow], Field(min_length=1, max_length=ROWS_OF_A_PAGE)]


def rank_submissions(submissions: list[Submission]) -> list[ReleasedRow]:
    """Rank submissions that have a score, the best first; equal scores share a rank: 1, 2, 2, 4."""
    scored = [(each.rank_score, each) for each in submissions if each.rank_score is not None]
    # As the index has them: within a score, the latest submission first.
    scored.sort(key=lambda pair: (pair[0], pair[1].sub_id), reverse=True)
    rows: list[ReleasedRow] = []
    for position, (score, each) in enumerate(scored, 1):
        shares = bool(rows) and rows[-1].score == score
        rows.append(
            ReleasedRow(
                rank=rows[-1].rank if shares else position,
                sub_id=each.sub_id,
                team_name=each.team_name,
                repo_url=each.repo_url,
                score=score,
                overall_score=each.overall_score,
            )
        )
    return rows


def split_into_pages(
    hackathon: HackathonDetail, rows: list[ReleasedRow], now: datetime
) -> tuple[Release, list[ReleasePage]]:
    """Make the items of a release."""
    own = {"hack_id": hackathon.hack_id, "release_id": hackathon.release_id, "created_at": now}
    pages = [
        ReleasePage.model_validate({**own, "page": number, "rows": rows[at : at + ROWS_OF_A_PAGE]})
        for number, at in enumerate(range(0, len(rows), ROWS_OF_A_PAGE))
    ]
    lowest = [each.rows[-1].score for each in pages]
    header = Release.model_validate({**own, "teams": len(rows), "lowest_scores": lowest})
    return header, pages
