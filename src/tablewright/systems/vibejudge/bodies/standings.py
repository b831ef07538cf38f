"""Leaderboards, figures and resemblances, as they are shown."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from tablewright.systems.vibejudge.bodies.common import ScoreOut
from tablewright.systems.vibejudge.entities import Submission, SubmissionStatus
from tablewright.systems.vibejudge.releases import ReleasedRow
from tablewright.systems.vibejudge.rules.figures import Figures
from tablewright.systems.vibejudge.service.standings import Alike, Board, Ranked, Resemblances
from tablewright.systems.vibejudge.table import Agent, Recommendation


class _Out(BaseModel):
    model_config = ConfigDict(frozen=True)


class StandingOut(_Out):
    """A row of a leaderboard. The organiser sees more than everybody else."""

    rank: int = Field(description="Equal scores share one: 1, 2, 2, 4.", examples=[1])
    sub_id: str
    team_name: str
    score: ScoreOut = Field(description="The final score, else the agents'.")
    analysed: bool = Field(
        description="false: the repository could not be analysed, judges alone have scored it."
    )
    repo_url: str | None = Field(default=None, description="For everybody, of released results.")
    status: SubmissionStatus | None = None
    overall_score: ScoreOut | None = Field(default=None, description="The agents'.")
    final_score: ScoreOut | None = Field(
        default=None, description="With what judges and organisers say."
    )
    confidence: ScoreOut | None = None
    partial: bool | None = None
    recommendation: Recommendation | None = None


class LeaderboardOut(_Out):
    """The best first; who has no score is not in it."""

    hack_id: str
    name: str
    released: bool
    items: list[StandingOut]
    next_cursor: str | None = Field(
        default=None, description="Give it as `cursor` for what follows; null at the end."
    )


class SpreadOut(_Out):
    """Where scores lie."""

    count: int
    mean: ScoreOut
    median: ScoreOut
    lowest: ScoreOut
    highest: ScoreOut


class BarOut(_Out):
    """Scores from ``least`` up to, and without, ``below``; the last bar has 100 as well."""

    least: int
    below: int
    count: int


class StatsOut(_Out):
    """Figures of a hackathon, some seconds old at the most."""

    submissions: int
    by_status: dict[SubmissionStatus, int]
    disqualified: int
    ranked: int = Field(description="Those that have a rank: all that follows is about them.")
    partial: int
    scores: SpreadOut | None
    distribution: list[BarOut]
    recommendations: dict[Recommendation, int]
    dimensions: dict[str, SpreadOut] = Field(description="0 to 10.")
    agents: dict[Agent, SpreadOut] = Field(description="0 to 100.")
    flags: dict[str, int] = Field(description="Submissions with a flag of that kind.")


class AlikeOut(_Out):
    """One of two."""

    sub_id: str
    team_name: str
    repo_url: str


class PairOut(_Out):
    """Two submissions whose code resembles each other's."""

    similarity: ScoreOut = Field(description="The share of both that both have, about.")
    first: AlikeOut
    second: AlikeOut


class SimilarityOut(_Out):
    """Pairs from a similarity of .6 on, for people to look into. It takes no points."""

    compared: int
    found: int = Field(description="Pairs in all; the 500 most alike are told.")
    pairs: list[PairOut]


def leaderboard_out(board: Board) -> LeaderboardOut:
    return LeaderboardOut(
        hack_id=board.hackathon.hack_id,
        name=board.hackathon.name,
        released=board.hackathon.released_at is not None,
        items=[standing_out(each) for each in board.page],
        next_cursor=board.page.cursor,
    )


def standing_out(ranked: Ranked | ReleasedRow) -> StandingOut:
    if isinstance(ranked, ReleasedRow):
        return StandingOut(
            rank=ranked.rank,
            sub_id=ranked.sub_id,
            team_name=ranked.team_name,
            score=ranked.score,
            analysed=ranked.overall_score is not None,
            repo_url=ranked.repo_url or None,
        )
    row = ranked.row
    return StandingOut(
        rank=ranked.rank,
        sub_id=row.sub_id,
        team_name=row.team_name,
        score=row.rank_score,
        analysed=row.overall_score is not None,
        status=row.status,
        overall_score=row.overall_score,
        final_score=row.final_score,
        confidence=row.confidence,
        partial=row.partial,
        recommendation=row.recommendation,
    )


def stats_out(figures: Figures) -> StatsOut:
    return StatsOut.model_validate(figures, from_attributes=True)


def similarity_out(found: Resemblances) -> SimilarityOut:
    return SimilarityOut(
        compared=found.compared, found=found.found, pairs=[_pair(each) for each in found.pairs]
    )


def _pair(pair: Alike) -> PairOut:
    return PairOut(similarity=pair.similarity, first=_alike(pair.first), second=_alike(pair.second))


def _alike(one: Submission) -> AlikeOut:
    return AlikeOut(sub_id=one.sub_id, team_name=one.team_name, repo_url=one.repo_url)
