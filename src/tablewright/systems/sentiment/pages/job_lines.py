"""Comparisons of models, as pages show them: progress, the matrix, and what would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.service.gathering import at_most
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.config import Comparison, Job
from tablewright.systems.sentiment.pages.paths import BASE, item_path
from tablewright.systems.sentiment.rules.comparison import LABELS
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.service.articles import KnownArticle
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

_AT_ONCE = 8
#: Steps of shading; how dark a cell is says no more than its number.
_SHADES = 5


def job_path(job_id: str) -> str:
    return f"{BASE}/models/jobs/{job_id}"


@dataclass(frozen=True)
class JobLine:
    """A comparison, and how far it is."""

    job: Job
    progress: float

    @property
    def path(self) -> str:
        return job_path(self.job.job_id)

    @property
    def at_work(self) -> bool:
        return self.job.state in ("running", "promoting")


def job_line(job: Job, slack_secs: float = 0.0) -> JobLine:
    return JobLine(job, _progress(job, slack_secs))


def _progress(job: Job, slack_secs: float) -> float:
    """In percent of the time that it goes through; promoting goes through all articles."""
    if job.state in ("compared", "promoted"):
        return 100.0
    since, until = job.since, job.until
    if job.flipped_at is not None:
        since, until = job.flipped_at - ARTICLE_LIFE, job.flipped_at + timedelta(seconds=slack_secs)
    return _share(since, job.cursor or since, until)


def _share(since: datetime, at: datetime, until: datetime) -> float:
    whole = (until - since).total_seconds()
    return 100.0 * min(max((at - since).total_seconds() / whole, 0.0), 1.0) if whole > 0 else 100.0


# --- the report ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """How many articles had one label, and have another one."""

    old: str
    new: str
    articles: int
    #: Of the row, in percent.
    share: float
    #: 0 to 4.
    shade: int

    @property
    def same(self) -> bool:
        return self.old == self.new


@dataclass(frozen=True)
class Row:
    """The articles of one label by the old model."""

    label: str
    cells: Sequence[Cell]
    articles: int


def matrix_of(report: Comparison) -> list[Row]:
    """Old labels as rows, new ones as columns."""
    rows = []
    for old in LABELS:
        numbers = [report.matrix.get(old, {}).get(new, 0) for new in LABELS]
        rows.append(Row(old, _cells(old, numbers), sum(numbers)))
    return rows


def _cells(old: str, numbers: Sequence[int]) -> list[Cell]:
    whole = sum(numbers)
    cells = []
    for new, number in zip(LABELS, numbers, strict=True):
        share = 100.0 * number / whole if whole else 0.0
        shade = min(int(share * _SHADES / 100), _SHADES - 1)
        cells.append(Cell(old, new, number, share, shade))
    return cells


#: How much kappa says, as Landis and Koch have it.
_KAPPA = ((0.8, "almost perfect"), (0.6, "substantial"), (0.4, "moderate"), (0.2, "fair"))


def kappa_words(report: Comparison) -> str:
    """How far two models agree beyond chance, in words."""
    found = float(report.kappa)
    return next((words for least, words in _KAPPA if found > least), "slight, if any")


# --- what would change ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ChangedLine:
    """An article whose label is another one by the new model."""

    source_id: str
    title: str
    old: str | None
    new: str | None
    #: What a person has said, which stays.
    verdict: str | None
    #: It has ended since.
    gone: bool = False

    @property
    def path(self) -> str:
        return item_path(self.source_id)


async def changed_lines(newsroom: Newsroom, job: Job, ids: Sequence[str]) -> list[ChangedLine]:
    """These articles with both labels, as far as they are known."""
    return await at_most(_AT_ONCE, (_changed(newsroom, job, each) for each in ids))


async def _changed(newsroom: Newsroom, job: Job, source_id: str) -> ChangedLine:
    try:
        page = await newsroom.articles.item(source_id)
    except Problem as problem:
        if problem.status != 404:
            raise
        return ChangedLine(source_id, shown_id(source_id), None, None, None, gone=True)
    article = page.article
    verdict = None if article.override is None else article.override.to
    old, new = _label(page, job.old_version), _label(page, job.model_version)
    return ChangedLine(source_id, article.metadata.title, old, new, verdict)


def _label(page: KnownArticle, version: str) -> str | None:
    """What a model says about an article, if that is known."""
    if page.article.model_version == version:
        return page.article.model_sentiment
    return next((each.result_label for each in page.results if each.model_version == version), None)
