"""What has happened to an article, and what has changed since somebody saw it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from tablewright.systems.sentiment.bodies.articles import ArticleOut
from tablewright.systems.sentiment.rules.languages import language_name
from tablewright.systems.sentiment.service.overrides import Decision


@dataclass(frozen=True)
class Moment:
    """Something that happened to an article."""

    at: datetime
    text: str
    by: str = ""
    reason: str = ""


def moments_of(article: ArticleOut, decisions: Sequence[Decision]) -> list[Moment]:
    """The latest first."""
    found = [_decided(each) for each in decisions]
    if article.analyzed_at is not None:
        text = f"{article.model_version} found it {article.model_sentiment}"
        found.append(Moment(article.analyzed_at, text))
    elif article.status == "failed":
        text = f"Not analysed after {article.attempts} tries: {article.error_code or 'unknown'}"
        found.append(Moment(article.timestamp, text))
    elif article.status == "unjudged":
        language = language_name(article.language) or "its language"
        found.append(Moment(article.timestamp, f"Not judged: the model does not cover {language}"))
    found.append(Moment(article.timestamp, f"Came in from {article.source_name}"))
    found.append(Moment(article.published_at, "Published"))
    return sorted(found, key=lambda each: each.at, reverse=True)


def _decided(each: Decision) -> Moment:
    if each.action == "article.override":
        text = f"Decided: {each.after} instead of {each.before}"
    elif each.action == "article.clear_override":
        text = f"The model's own tone again: {each.after}"
    else:
        text = {"article.requeue": "Queued again"}.get(each.action, each.action)
    return Moment(each.at, text, each.by, each.reason)


# --- two people at once --------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """Something that is not as it was seen."""

    title: str
    before: str
    now: str


def packed(article: ArticleOut) -> str:
    """What a form shows of the article, for the form to carry."""
    return json.dumps(_seen(article), sort_keys=True, ensure_ascii=False)


def changed_since(text: str, article: ArticleOut) -> list[Difference]:
    """What is not as the form has shown it; everything, if it does not say what that was."""
    before, now = _unpacked(text), _seen(article)
    return [
        Difference(title, before.get(title, "unknown"), now[title])
        for title in now
        if before.get(title) != now[title]
    ]


def _seen(article: ArticleOut) -> dict[str, str]:
    verdict = article.override
    return {
        "Tone": article.sentiment or "none yet",
        "Decided by": verdict.by if verdict else "nobody",
        "Reason": verdict.reason if verdict else "",
        "Model": article.model_version or "none yet",
        "Topics": ", ".join(article.tags),
    }


def _unpacked(text: str) -> dict[str, str]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return (
        {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}
    )
