"""Articles as bodies."""

from __future__ import annotations

from decimal import Decimal

from tablewright.systems.sentiment.articles import Article, ModelResult, Override
from tablewright.systems.sentiment.bodies.articles import (
    ArticleOut,
    ArticleRowOut,
    ResultOut,
    VerdictOut,
)
from tablewright.systems.sentiment.rules.filters import ArticleRow
from tablewright.systems.sentiment.rules.ids import shown_id
from tablewright.systems.sentiment.service.articles import KnownArticle
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE


def row_out(row: ArticleRow) -> ArticleRowOut:
    """An article of a list."""
    return ArticleRowOut(
        id=shown_id(row.source_id),
        timestamp=row.timestamp,
        title=row.title,
        url=row.source_url,
        source=row.source_key,
        source_name=row.source_name,
        sentiment=row.sentiment,
        score=_number(row.score),
        status=row.status,
        language=row.language,
        tags=None if row.tags is None else list(row.tags),
        snippet=row.snippet,
        overridden=row.overridden,
    )


def article_out(page: KnownArticle) -> ArticleOut:
    """Everything about an article."""
    article = page.article
    return ArticleOut(
        id=shown_id(article.source_id),
        timestamp=article.timestamp,
        published_at=article.metadata.published_at,
        title=article.metadata.title,
        snippet=article.text_snippet,
        url=article.source_url,
        author=article.metadata.author,
        source_type=article.source_type,
        source=article.source_key,
        source_name=article.metadata.source_name,
        tags=sorted(article.matched_tags),
        language=article.language,
        status=article.status,
        attempts=article.attempts,
        error_code=article.error_code,
        sentiment=article.sentiment,
        score=_number(article.score),
        polarity=_number(article.polarity),
        model_sentiment=article.model_sentiment,
        model_version=article.model_version,
        analyzed_at=article.analyzed_at,
        override=None if article.override is None else _verdict_out(article.override),
        results=_results(page),
        version=article.version,
        ends_at=article.timestamp + ARTICLE_LIFE,
    )


def _verdict_out(verdict: Override) -> VerdictOut:
    return VerdictOut(
        from_=verdict.from_,
        to=verdict.to,
        by=verdict.by,
        at=verdict.at,
        reason=verdict.reason,
    )


def _results(page: KnownArticle) -> list[ResultOut]:
    """The one in use first. What it said before it was promoted is not told twice."""
    article = page.article
    others = [_result_out(each) for each in page.results]
    own = [] if article.model_version is None else [_own_result(article)]
    return own + [each for each in others if each.model_version != article.model_version]


def _own_result(article: Article) -> ResultOut:
    said = article.analysis
    return ResultOut(
        model_version=said.model_version,
        label=said.label,
        score=float(said.score),
        polarity=float(said.polarity),
        analyzed_at=said.analyzed_at,
        in_use=True,
    )


def _result_out(result: ModelResult) -> ResultOut:
    return ResultOut(
        model_version=result.model_version,
        label=result.result_label,
        score=float(result.result_score),
        polarity=float(result.result_polarity),
        analyzed_at=result.analyzed_at,
        in_use=False,
    )


def _number(value: Decimal | None) -> float | None:
    return None if value is None else float(value)
