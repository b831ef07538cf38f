"""What streams of events bring; the reference shows it, streams write it themselves."""

from __future__ import annotations

from typing import Any, Final

#: An answer of ``/stream``.
STREAM: Final[dict[str, Any]] = {
    "description": (
        "Events: `snapshot` (the latest 20 articles and the totals of a day), then `item` (an "
        "article was analysed or changed), `metrics` (whose figures have changed: fetch them), "
        "`alert` (a rule has fired or is calm again, or somebody has seen it). `resync` comes "
        "before a snapshot that replaces all that was told. Comments keep the connection open."
    ),
    "content": {
        "text/event-stream": {
            "schema": {"type": "string"},
            "example": (
                "id: 5f0c1b7e.0.01KAH0P2M00000000000000001\nevent: metrics\n"
                'data: {"minutes":["2026-11-20T12:07Z"],"tags":["ai"],"sources":["bbc-news"]}\n\n'
            ),
        }
    },
}
