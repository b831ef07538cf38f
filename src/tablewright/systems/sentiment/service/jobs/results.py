"""What a model says about articles: what it has said already, else what it says now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from tablewright.systems.sentiment.analysers.analyser import Analyser, Verdict
from tablewright.systems.sentiment.articles import Analysis, Article, ModelResult
from tablewright.systems.sentiment.reads import stored_result
from tablewright.systems.sentiment.rules.text import text_of
from tablewright.systems.sentiment.service.analyst import Unjudged

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom


async def results(
    newsroom: Newsroom, analyser: Analyser, articles: Sequence[Article]
) -> tuple[list[Analysis | None], list[bool]]:
    """One for each article, None where the model fails; and which of them are new.

    What is stored is never made anew: a model that was active before is restored to the letter.
    """
    reads = (
        newsroom.db.run(stored_result(each.source_id, each.timestamp, analyser.version))
        for each in articles
    )
    stored = await asyncio.gather(*reads)
    missing = [each for each, result in zip(articles, stored, strict=True) if result is None]
    texts = [text_of(each) for each in missing]
    said = iter(await newsroom.analyst.judging.verdicts(analyser, texts))
    found: list[Analysis | None] = []
    for result in stored:
        if result is not None:
            found.append(_analysis(result))
            continue
        found.append(_new(next(said), analyser.version, newsroom.now()))
    return found, [result is None for result in stored]


def _new(verdict: Verdict | Unjudged, version: str, now: datetime) -> Analysis | None:
    return None if isinstance(verdict, Unjudged) else verdict.analysis(version, now)


def _analysis(result: ModelResult) -> Analysis:
    return Analysis(
        label=result.result_label,
        score=result.result_score,
        polarity=result.result_polarity,
        model_version=result.model_version,
        analyzed_at=result.analyzed_at,
    )
