"""The articles of the stand-in, and the language in which they are asked for.

As NewsAPI has it: words, ``"exact phrases"``, ``+must``, ``-not``, AND, OR, NOT and brackets; words
side by side are all wanted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from tablewright.systems.sentiment.rules.records import Record

Article: TypeAlias = dict[str, Any]
Test: TypeAlias = Callable[[str], bool]

_TOKENS = re.compile(r'\s*(?:"([^"]*)"|([()])|([^\s()"]+))')


class BadQuery(Exception):
    """What is asked for cannot be understood."""


def article_of(record: Record) -> Article:
    """A record, as NewsAPI would list it."""
    published = record.published_at
    return {
        "source": {"id": None, "name": record.source},
        "author": record.author,
        "title": record.title,
        "description": record.text,
        "url": record.url,
        "urlToImage": None,
        "publishedAt": None if published is None else f"{published:%Y-%m-%dT%H:%M:%SZ}",
        "content": record.text[:200],
    }


def published(article: Mapping[str, Any]) -> datetime | None:
    try:
        return datetime.fromisoformat(str(article.get("publishedAt")))
    except ValueError:
        return None


def words_of(article: Mapping[str, Any]) -> str:
    """What is searched."""
    parts = (article.get(name) for name in ("title", "description", "content"))
    return " ".join(part for part in parts if isinstance(part, str))


def query(text: str) -> Test:
    """Whether a text is what is asked for."""
    reader = _Reader(_tokens(text))
    test = reader.either()
    if reader.rest:
        raise BadQuery(f"nothing is expected after {text!r}")
    return test


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Words and brackets, and whether each was a quoted phrase."""
    found, at = [], 0
    while text[at:].strip():
        match = _TOKENS.match(text, at)
        if match is None:
            raise BadQuery(f"cannot be read at {text[at:]!r}")
        phrase, bracket, word = match.groups()
        found.append((phrase if phrase is not None else bracket or word, phrase is not None))
        at = match.end()
    return found


class _Reader:
    """Reads tokens from the first to the last; OR binds less than AND."""

    def __init__(self, tokens: list[tuple[str, bool]]) -> None:
        self.rest = tokens

    def either(self) -> Test:
        tests = [self.every()]
        while self._next("OR"):
            tests.append(self.every())
        return lambda text: any(test(text) for test in tests)

    def every(self) -> Test:
        tests = [self.one()]
        while self.rest and self.rest[0] not in ((")", False), ("OR", False)):
            self._next("AND")
            tests.append(self.one())
        return lambda text: all(test(text) for test in tests)

    def one(self) -> Test:
        if self._next("NOT"):
            refused = self.one()
            return lambda text: not refused(text)
        if self._next("("):
            inner = self.either()
            if not self._next(")"):
                raise BadQuery("a bracket does not end")
            return inner
        if not self.rest or self.rest[0] in ((")", False), ("AND", False), ("OR", False)):
            raise BadQuery("a word is expected")
        word, quoted = self.rest.pop(0)
        return _has(word) if quoted else _marked(word)

    def _next(self, token: str) -> bool:
        if self.rest and self.rest[0] == (token, False):
            self.rest.pop(0)
            return True
        return False


def _marked(word: str) -> Test:
    """``+word`` must be there, as any word must; ``-word`` must not."""
    if word.startswith("-") and len(word) > 1:
        refused = _has(word[1:])
        return lambda text: not refused(text)
    return _has(word.removeprefix("+"))


def _has(phrase: str) -> Test:
    wanted = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
    return lambda text: wanted.search(text) is not None
