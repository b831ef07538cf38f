"""The text of an article that models judge."""

from __future__ import annotations

from tablewright.systems.sentiment.articles import Article


def text_of(article: Article) -> str:
    """Title and beginning, as they are stored: who asks again gets the same."""
    return f"{article.metadata.title}. {article.text_snippet}"
