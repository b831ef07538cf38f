"""Tokens that were checked a moment ago.

That a token was not revoked is believed for 30 seconds, so that a busy client costs no reads. What
this process revokes itself it knows at once: :meth:`KnownTokens.drop` forgets the tokens, and a
check that was under way meanwhile does not count (``generation``).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from tablewright.systems.pricekeeper.service.tokens.callers import Caller

#: Seconds for which a token is believed not to be revoked.
BELIEVED_SECS = 30.0
#: Tokens that are remembered; the one that was used longest ago goes.
REMEMBERED = 10_000


class _Known(NamedTuple):
    caller: Caller
    checked: float
    until: float


class KnownTokens:
    """The last tokens that were found to be good, by their text."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._known: OrderedDict[str, _Known] = OrderedDict()
        #: Rises whenever tokens are dropped.
        self.generation = 0

    def __len__(self) -> int:
        return len(self._known)

    def get(self, token: str, now: float) -> Caller | None:
        """Who calls, if that is known."""
        known = self._known.get(token)
        if known is None:
            return None
        # A clock that was set back makes nothing young again.
        if not known.checked <= now < known.until:
            del self._known[token]
            return None
        self._known.move_to_end(token)
        return known.caller

    def add(self, token: str, caller: Caller, now: float) -> None:
        """Remember a token that was checked at ``now``."""
        until = min(now + BELIEVED_SECS, caller.expires_epoch)
        self._known[token] = _Known(caller, now, until)
        if len(self._known) > self._most:
            self._known.popitem(last=False)

    def drop(self, which: Callable[[Caller], bool]) -> None:
        """Forget some; what is being checked just now has to be checked again."""
        self.generation += 1
        for token in [token for token, known in self._known.items() if which(known.caller)]:
            del self._known[token]
