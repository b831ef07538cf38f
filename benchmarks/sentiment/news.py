"""Articles to send: the demo's headlines, each time under another address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import orjson

from tablewright.systems.sentiment.corpus import headlines


def records() -> Iterator[dict[str, str]]:
    """As a program sends them, without end; every one is another article of a topic."""
    for edition in count():
        for headline in headlines():
            told = headline.again(edition)
            yield {
                "title": told.title,
                "text": told.text,
                "url": told.url,
                "source": told.source,
            }


def body(some: list[dict[str, str]]) -> bytes:
    """What `POST /ingest` takes."""
    return orjson.dumps({"source_type": "file", "records": some})
