"""What this process remembers of articles that it has met, so that it need not read them again."""

from __future__ import annotations

from collections import OrderedDict

#: More than all sources show at a time.
_MOST = 50_000


class Recall:
    """The tags that articles have, by hash. Tags are never taken away, so this is never wrong."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        #: None: the article has ended, and its hash has not.
        self._tags: OrderedDict[str, frozenset[str] | None] = OrderedDict()

    def has(self, sha256: str, tags: frozenset[str]) -> bool:
        """Whether all these tags need no looking at."""
        known = self._tags.get(sha256, frozenset())
        return known is not None and tags <= known

    def is_gone(self, sha256: str) -> bool:
        return self._tags.get(sha256, frozenset()) is None

    def keep(self, sha256: str, tags: frozenset[str]) -> None:
        """It has these tags, besides what is known."""
        self.keep_new(sha256, tags | (self._tags.get(sha256) or frozenset()))

    def keep_new(self, sha256: str, tags: frozenset[str]) -> None:
        """It has these tags and no others."""
        self._tags.pop(sha256, None)
        self._tags[sha256] = tags
        self._shorten()

    def keep_gone(self, sha256: str) -> None:
        self._tags[sha256] = None
        self._shorten()

    def _shorten(self) -> None:
        while len(self._tags) > self._most:
            self._tags.popitem(last=False)
