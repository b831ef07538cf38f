"""What every flow needs to know beside its op: the settings of one ``Db``."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tablewright.client.events import RequestEvent
from tablewright.client.tokens import Tokens
from tablewright.clock import Clock, SystemClock

Names: TypeAlias = Mapping[str, str] | Callable[[str], str]
Hook: TypeAlias = Callable[[RequestEvent], object]


@dataclass(frozen=True)
class Retries:
    """How long to go on after throttling, and after failures that are safe to repeat.

    Waits are random between 0 and ``base`` doubled with each attempt (up to ``cap``), so that many
    clients do not come back in step. Neither ``attempts`` nor ``budget`` seconds are exceeded.
    Without ``conflicts``, a write that another one was in the way of fails at once: for who makes
    it anew then, and counts the tries.
    """

    attempts: int = 8
    budget: float = 15.0
    base: float = 0.05
    cap: float = 2.0
    conflicts: bool = True


@dataclass(frozen=True)
class Context:
    """The settings of a ``Db`` or ``AsyncDb``."""

    #: Logical table name to physical one: a mapping, or a function.
    names: Names | None = None
    clock: Clock = field(default_factory=SystemClock)
    retries: Retries = field(default_factory=Retries)
    #: Called once per request with what it was and what it cost.
    hook: Hook | None = None
    #: Signs cursors. The default is random: cursors then end with the process.
    cursor_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    #: Results in a page, where neither the call nor the pattern says.
    page_limit: int = 100
    #: Requests that one paged read may make.
    max_pages: int = 1000
    chance: random.Random = field(default_factory=random.SystemRandom, repr=False)
    #: What transactions under the caller's own tokens were made from.
    tokens: Tokens = field(default_factory=Tokens, repr=False, compare=False)

    def physical(self, table: str) -> str:
        """The name of a table in the account."""
        if self.names is None:
            return table
        if callable(self.names):
            return self.names(table)
        return self.names.get(table, table)
