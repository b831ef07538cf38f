"""What NewsAPI is asked for a topic."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tablewright.systems.sentiment.config import Source, Watch

#: Characters that NewsAPI takes.
MOST_CHARS = 500


@dataclass(frozen=True)
class Asked:
    """One question."""

    text: str
    #: The place of its cursor.
    key: str = ""
    #: The topic whose articles the answers are, whatever words they use.
    own_tag: str | None = None


def questions(source: Source, watches: Iterable[Watch]) -> list[Asked]:
    """The source's own question, or one for each topic that is followed."""
    if source.query is not None:
        return [Asked(source.query)]
    return [_of(watch) for watch in sorted(watches, key=_order) if watch.enabled]


def _order(watch: Watch) -> tuple[int, str]:
    return watch.priority, watch.watch_tag


def _of(watch: Watch) -> Asked:
    """Any of the words, and all of those that are needed.

    As many as fit. An answer to a question without all the needed words is not yet the topic's.
    """
    needed = [f"AND {_quoted(term)}" for term in watch.all]
    while needed and len(_joined([watch.any[0]], needed)) > MOST_CHARS:
        needed.pop()
    words = list(watch.any)
    while len(words) > 1 and len(_joined(words, needed)) > MOST_CHARS:
        words.pop()
    whole = len(needed) == len(watch.all)
    return Asked(_joined(words, needed), watch.watch_tag, watch.label if whole else None)


def _joined(words: list[str], needed: list[str]) -> str:
    either = " OR ".join(_quoted(word) for word in words)
    return " ".join([f"({either})", *needed]) if needed else either


def _quoted(term: str) -> str:
    """As a phrase: a topic's words are not operators."""
    return '"' + " ".join(term.replace('"', " ").replace("\\", " ").split()) + '"'
