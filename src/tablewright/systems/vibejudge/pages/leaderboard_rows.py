"""What a leaderboard is filtered by, and its rows with what is flagged of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from tablewright.service.paths import with_query
from tablewright.systems.vibejudge.entities import HackathonDetail
from tablewright.systems.vibejudge.pages.paths import scorecard_path, tab_path
from tablewright.systems.vibejudge.rules.figures import Bar
from tablewright.systems.vibejudge.rules.flags import sentences
from tablewright.systems.vibejudge.service.standings import Ranked

if TYPE_CHECKING:
    from tablewright.systems.vibejudge.service.courtroom import Courtroom

#: Rows of a page; those that fit a filter are looked for in so many more pages of the ranking.
LISTED: Final = 50
_SEARCHED: Final = 20
RECOMMENDATIONS: Final[Mapping[str, str]] = {
    "strong_contender": "Strong contender",
    "solid_submission": "Solid submission",
    "needs_improvement": "Needs improvement",
    "concerns_flagged": "Concerns flagged",
}
#: Kinds of flags, as a list has them.
FLAGS: Final[Mapping[str, str]] = {
    "human_review": "Needs a person",
    "all_high": "All sub-scores high",
    "commits_outside_dates": "Commits outside the dates",
    "far_from_static": "Model far from the rules",
    "all_equal": "All sub-scores equal",
    "false_citations": "False citations",
    "injection": "Speaks to the grader",
    "similar": "Similar code",
}


def flag_title(kind: str) -> str:
    return FLAGS.get(kind, kind.replace("_", " ").capitalize())


@dataclass(frozen=True)
class Filters:
    """What an address asks for."""

    hack_id: str
    team: str = ""
    recommendation: str = ""
    #: A kind of flag; ``any`` is whatever has one.
    flag: str = ""
    #: Scores from so many points on, ten of them.
    least: int | None = None

    @property
    def on(self) -> bool:
        return bool(self.team or self.recommendation or self.flag or self.least is not None)

    def path(self, cursor: str | None = None) -> str:
        return with_query(
            tab_path(self.hack_id, "Leaderboard"),
            team=self.team,
            recommendation=self.recommendation,
            flag=self.flag,
            least=self.least,
            cursor=cursor,
        )

    def flagged(self, kind: str) -> str:
        """The same with another kind of flag, or without it where it is chosen."""
        return replace(self, flag="" if kind == self.flag else kind).path()

    def scored(self, bar: Bar) -> str:
        """The same with scores of one bar of the distribution."""
        return replace(self, least=None if bar.least == self.least else bar.least).path()

    def fits(self, row: Ranked, flags: Sequence[str]) -> bool:
        return (
            self.team.casefold() in row.row.team_name.casefold()
            and self.recommendation in ("", row.row.recommendation)
            and (not self.flag or _has(flags, self.flag))
            and (self.least is None or min(int(row.row.rank_score) // 10 * 10, 90) == self.least)
        )


def _has(flags: Sequence[str], kind: str) -> bool:
    return bool(flags) if kind == "any" else any(each.partition(":")[0] == kind for each in flags)


@dataclass(frozen=True)
class Row:
    """A row of the leaderboard."""

    ranked: Ranked
    flags: Sequence[str]

    @property
    def path(self) -> str:
        return scorecard_path(self.ranked.row.hack_id, self.ranked.row.sub_id)

    @property
    def flag_words(self) -> list[str]:
        return sentences(self.flags)


@dataclass(frozen=True)
class Rows:
    """Some rows, and where those are that follow."""

    rows: Sequence[Row]
    more: str


async def rows_of(
    courtroom: Courtroom,
    hackathon: HackathonDetail,
    filters: Filters,
    cursor: str | None,
) -> Rows:
    """Rows that fit, in the ranks that they have among all."""
    found: list[Row] = []
    for _ in range(_SEARCHED):
        page = await courtroom.standings.leaderboard(hackathon, LISTED, cursor)
        flags = await courtroom.standings.flags(page.items)
        rows = [Row(each, flags.get(each.row.sub_id, ())) for each in page]
        found += [each for each in rows if filters.fits(each.ranked, each.flags)]
        cursor = page.cursor
        if cursor is None or len(found) >= LISTED:
            break
    return Rows(found, filters.path(cursor) if cursor else "")
