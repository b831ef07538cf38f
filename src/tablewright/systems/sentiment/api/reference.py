"""What the OpenAPI document of sentiment says beyond its routes."""

from __future__ import annotations

from typing import Final

from tablewright.service.system import Reference

_ABOUT = """\
What the news say about your topics, in which tone, and how that changes.

**People** look at figures (`overview`, `timeseries`, `share`), read `items` and give verdicts on
them, and say what to follow (`watch`) and when to be told (`alert-rules`). They come with the
session of their browser, an access token of the issuer, or an API key. The roles are `viewer`
(reads and exports), `analyst` (also verdicts, topics, alerts), `operator` (a viewer who also looks
after what is stuck, uploads and runs) and `admin` (everything).

**Programs** send articles to `ingest` with an API key of the role `ingest`, which may do nothing
else. An article counts once, however often it is sent: after a timeout or a 503, send it again.

Times are those of UTC, unless they have another zone; a time without a zone is refused. A span goes
from `from`, included, to `to`, excluded. The `#` in an article's id is written `:`. Errors are
problem documents with a `code` that never changes; lists are paged by `limit` and `cursor`. What is
changed with PUT is named by its `ETag` in `If-Match`.
"""

_SUBJECTS: Final = {
    "figures": "How many articles there are, in which tone: totals, series, shares of voice.",
    "articles": "Articles, where their tone comes from, and verdicts on it.",
    "export": "Articles as CSV or JSON.",
    "live": "What arrives, as it arrives.",
    "topics": "What is followed, by which words.",
    "alerts": "When to tell somebody, and what was told.",
    "ingest": "Articles that programs and people send.",
    "operations": "What is stuck, what has failed, and another chance for it.",
    "sources": "Where articles come from, and when they are read.",
    "models": "What judges the tone.",
    "re-analyses": "One model compared with another, and put in its place.",
}

REFERENCE: Final = Reference(about=_ABOUT, subjects=_SUBJECTS)
