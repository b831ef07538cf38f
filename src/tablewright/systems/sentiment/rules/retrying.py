"""When something is tried again: soon if others were in the way, later if a model failed."""

from __future__ import annotations

from datetime import datetime, timedelta

#: Seconds; a wait is a random part of the first, doubled with each try up to the second.
BASE_SECS, MOST_SECS = 0.02, 2.0
#: An article waits longer after its second failure.
_GROWTH = 4.0


def pause(tries: int, chance: float) -> float:
    """Seconds before another try after ``tries`` of them; ``chance`` is random, from 0 to 1.

    The whole wait is random: those who met each other do not meet again.
    """
    return chance * min(MOST_SECS, BASE_SECS * 2.0 ** min(tries, 20))


def wait_of(queued_at: datetime, attempts: int, secs: float, now: datetime) -> float:
    """Seconds until an article is judged again.

    At most the whole pause: one that was queued in the future, by a clock that has been set back
    since, does not wait for that clock.
    """
    due = retry_at(queued_at, attempts, secs)
    return min((due - now).total_seconds(), (due - queued_at).total_seconds())


def retry_at(queued_at: datetime, attempts: int, secs: float) -> datetime:
    """When an article that has failed ``attempts`` times is judged again."""
    if attempts < 1:
        return queued_at
    return queued_at + timedelta(seconds=secs * _GROWTH ** (attempts - 1))
