"""Five complete systems, each built from a data-model document.

A system is a package of its own, and none imports another: ``model`` reads like the document,
``demo`` has items and calls to try it with.
"""

from __future__ import annotations

#: In the order they were built.
NAMES = ("pricekeeper", "sentiment", "vibejudge", "kurukshetra", "ladders")
