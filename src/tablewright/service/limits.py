"""Rate limits: how often somebody may ask, per process or for all processes together.

``check`` takes a token from a bucket or raises a problem 429 that says when to come back. Its
headers go into the response: those of the IETF's RateLimit draft, and the older names beside them::

    RateLimit-Policy: "selections";q=600;w=60;scope="process"
    RateLimit: "selections";r=599;t=1
    RateLimit-Limit: 600
    RateLimit-Remaining: 599
    RateLimit-Reset: 1

``check_caller`` limits a user, and generously the address that many users may share. ``attempt`` is
for guessing, where only failures count.

With ``rate_limits = "store"`` the buckets are in the kit table: one conditional write a check. When
the store cannot be asked in time, this process counts alone until it can: a limit must not be the
reason that nothing works.
"""

from __future__ import annotations

import ipaddress
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from tablewright.clock import Clock, SystemClock
from tablewright.service.attempts import Attempt, Attempts
from tablewright.service.buckets import Buckets, Forward, Level, Rate, short
from tablewright.service.problems import Problem

if TYPE_CHECKING:
    from tablewright.client import AsyncDb
    from tablewright.service.shared_buckets import SharedBuckets

__all__ = ["Attempt", "Headers", "Rate", "RateLimits", "RatePolicy", "network_of"]

#: To be put into the response.
Headers: TypeAlias = dict[str, str]

#: Of each name; more subjects than this within one window push out the oldest.
MOST_SUBJECTS = 100_000
#: Texts of policies that are kept; rates may come from what callers have set.
_MOST_POLICIES = 1000


@dataclass(frozen=True)
class RatePolicy:
    """How often one user may do something, and how often one address.

    A hall of residence, an office or a lecture theatre shares one address. A user who has signed in
    is therefore limited alone, and the address only against floods: give it a few hundred times as
    much. Without a user only the address is known; ``anonymous`` is its limit then.
    """

    user: Rate
    address: Rate
    #: Of an address whose users have not signed in; as ``address`` if None.
    anonymous: Rate | None = None


@lru_cache(maxsize=10_000)
def network_of(address: str) -> str:
    """Return what one customer of a provider has: an IPv4 address, or a /64 of IPv6."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return address
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip, 64), strict=False))


class RateLimits:
    """All buckets of one system in one process."""

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        mode: Literal["process", "store"] = "process",
        db: AsyncDb | None = None,
        most_subjects: int = MOST_SUBJECTS,
    ) -> None:
        """``db`` knows the kit table, for the mode ``store``."""
        self._clock = clock or SystemClock()
        self._time = Forward(self._clock)
        self._most = most_subjects
        self._local: dict[str, Buckets] = {}
        self._policies: dict[tuple[str, Rate], tuple[str, str]] = {}
        self._attempts = Attempts()
        self._shared = _shared(mode, db, self._clock)

    async def check(self, bucket: str, subject: str, rate: Rate, *, amount: float = 1) -> Headers:
        """Take ``amount`` tokens of a subject, or raise the problem 429 RATE_LIMITED."""
        subject = short(subject)
        if self._shared is None:
            level = self._buckets(bucket).take(subject, rate, amount)
        else:
            taken = await self._shared.take(bucket, subject, rate, amount)
            level = taken or self._buckets(bucket).take(subject, rate, amount)
        if level.wait:
            raise self._refusal(bucket, rate, level)
        return self._headers(bucket, rate, level)

    async def check_caller(
        self, bucket: str, policy: RatePolicy, *, user: str | None, address: str
    ) -> Headers:
        """Take one token of the user and one of the address, or raise the problem 429.

        The headers are those of the limit that the caller is nearest to: the user's own. A user who
        is over their own limit costs the others at the same address nothing.
        """
        if user is None:
            return await self.check(
                f"{bucket}-anonymous", network_of(address), policy.anonymous or policy.address
            )
        headers = await self.check(bucket, user, policy.user)
        await self.check(f"{bucket}-address", network_of(address), policy.address)
        return headers

    @asynccontextmanager
    async def attempt(self, bucket: str, subject: str, rate: Rate) -> AsyncIterator[Attempt]:
        """Something that may fail only so often::

            async with limits.attempt("login", f"{address} {client_id}", rate) as attempt:
                ...
                attempt.failed()

        Right answers cost nothing. While there are as many attempts under way as may still fail,
        the next one waits for their outcome: neither do many guesses at once slip through, nor are
        many good logins at once refused.
        """
        subject = short(subject)

        async def room() -> int:
            level = await self._peek(bucket, subject, rate)
            if level.wait and not self._attempts.pending(bucket, subject):
                raise self._refusal(bucket, rate, level)
            return level.remaining(rate)

        if not await self._attempts.enter(bucket, subject, room):
            raise self._refusal(bucket, rate, Level(rate.interval, rate.window))
        attempt = Attempt()
        try:
            yield attempt
        finally:
            try:
                if attempt.has_failed:
                    await self._charge(bucket, subject, rate)
            finally:
                self._attempts.leave(bucket, subject)

    # --- inside ----------------------------------------------------------------------

    def _buckets(self, bucket: str) -> Buckets:
        found = self._local.get(bucket)
        if found is None:
            found = self._local[bucket] = Buckets(self._time, self._most)
        return found

    async def _peek(self, bucket: str, subject: str, rate: Rate) -> Level:
        here = self._buckets(bucket).peek(subject, rate)
        there = await self._shared.peek(bucket, subject, rate) if self._shared else None
        return here if there is None or here.fills_in > there.fills_in else there

    async def _charge(self, bucket: str, subject: str, rate: Rate) -> None:
        self._buckets(bucket).charge(subject, rate)
        if self._shared is not None:
            await self._shared.charge(bucket, subject, rate)

    def _headers(self, bucket: str, rate: Rate, level: Level) -> Headers:
        policy, limit = self._policy(bucket, rate)
        remaining, reset = level.remaining(rate), math.ceil(level.fills_in)
        return {
            "RateLimit-Policy": policy,
            "RateLimit": f'"{bucket}";r={remaining};t={reset}',
            "RateLimit-Limit": limit,
            "RateLimit-Remaining": str(remaining),
            "RateLimit-Reset": str(reset),
        }

    def _policy(self, bucket: str, rate: Rate) -> tuple[str, str]:
        found = self._policies.get((bucket, rate))
        if found is None:
            scope = "process" if self._shared is None else "store"
            window = max(1, round(rate.window))
            policy = f'"{bucket}";q={rate.burst};w={window};scope="{scope}"'
            if len(self._policies) >= _MOST_POLICIES:
                self._policies.clear()
            found = self._policies[bucket, rate] = (policy, str(rate.burst))
        return found

    def _refusal(self, bucket: str, rate: Rate, level: Level) -> Problem:
        wait = max(1, math.ceil(level.wait))
        headers = {**self._headers(bucket, rate, level), "Retry-After": str(wait)}
        detail = f"Too many requests of this kind ({bucket}). Try again in {wait} s."
        return Problem(429, "RATE_LIMITED", detail, headers=headers, extra={"retry_after": wait})


def _shared(mode: str, db: AsyncDb | None, clock: Clock) -> SharedBuckets | None:
    if mode == "process":
        return None
    if db is None:
        raise ValueError("rate limits in the store need the system's database")
    from tablewright.service.shared_buckets import SharedBuckets

    return SharedBuckets(db, clock)
