"""Counts as a series of windows, rules, and what they have sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from tests.systems.sentiment.support import NOW

from tablewright.model import put
from tablewright.service.kit.entities import OUTBOX_SLOTS, OutboxEntry
from tablewright.service.kit.outbox.dispatch import worker as outbox_worker
from tablewright.service.kit.patterns import messages_in
from tablewright.service.settings import Settings
from tablewright.service.workers import run_once
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.articles import Tally
from tablewright.systems.sentiment.config import Alert, AlertRule
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.systems.sentiment.shapes import HOUR_LIFE, MINUTE_LIFE, hour_of, minute_of

#: Positive, neutral, negative.
Tones = tuple[int, int, int]
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
USUAL: Tones = (8, 8, 4)


async def counted(newsroom: Newsroom, subject: str, at: datetime, tones: Tones) -> None:
    """Count so many articles in the minute and the hour of a moment, in some shards."""
    for name, life in ((minute_of, MINUTE_LIFE), (hour_of, HOUR_LIFE)):
        rows = [
            Tally(
                subject=subject,
                shard=(at.minute + place) % 16,
                bucket=name(at),
                ttl_timestamp=at + life,
                **{tone: amount},
            )
            for place, (tone, amount) in enumerate(
                zip(("positive", "neutral", "negative"), tones, strict=True)
            )
            if amount
        ]
        if rows:
            await newsroom.db.batch([put(row) for row in rows])


async def history(
    newsroom: Newsroom,
    subject: str,
    until: datetime,
    length: timedelta,
    tones: Sequence[Tones],
) -> None:
    """Windows one after the other, the last of which ends at ``until``."""
    for back, each in enumerate(reversed(tones), 1):
        await counted(newsroom, subject, until - back * length, each)


async def rule_of(newsroom: Newsroom, rule_id: str = "bad-news", **given: Any) -> AlertRule:
    made = AlertRule(
        **{
            "rule_id": rule_id,
            "name": "Bad news about AI",
            "watch_tag": "ai",
            "metric": "negative_share",
            **given,
        }
    )
    await newsroom.db.run(writes.create_alert_rule(made))
    return made


async def now_of(newsroom: Newsroom, rule_id: str = "bad-news") -> AlertRule:
    return await newsroom.db.require(config_reads.alert_rule(rule_id))


async def fired(newsroom: Newsroom) -> list[Alert]:
    return list(await newsroom.db.run(config_reads.alerts()))


async def waiting(newsroom: Newsroom) -> list[OutboxEntry]:
    """Messages that have not been sent."""
    found: list[OutboxEntry] = []
    for slot in range(OUTBOX_SLOTS):
        found += await newsroom.db.run(messages_in(f"PENDING#{slot:02d}"))
    return found


async def send(newsroom: Newsroom) -> None:
    """What the outbox does, where webhooks of this machine are allowed."""
    settings = Settings(allow_local_webhooks=True)
    await run_once(outbox_worker(replace(newsroom.runtime, settings=settings)))


__all__ = ["HOUR", "MINUTE", "NOW"]
