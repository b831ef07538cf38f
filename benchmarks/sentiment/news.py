"""Articles to send: the demo's headlines, each time under another address."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import orjson

from tablewright.systems.sentiment.corpus import headlines
from tablewright.systems.sentiment.live_demo.cast import TOPICS


def records() -> Iterator[dict[str, str]]:
    """As a program sends them, without end: each is another article, most of them of two topics."""
    numbers = count()
    for edition in count():
        for headline in headlines():
            told, topic = headline.again(edition), TOPICS[next(numbers) % len(TOPICS)]
            yield {
                "title": told.title,
                "text": f"{told.text} Also: {topic.any[0]}.",
                "url": told.url,
                "source": told.source,
            }


def body(some: list[dict[str, str]]) -> bytes:
    """What `POST /ingest` takes."""
    return orjson.dumps({"source_type": "file", "records": some})
