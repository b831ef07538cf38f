"""Judging the system itself.

Some things are in the table, and one process looks at them each minute. Others each process sees in
its own counters: whichever is in trouble raises the alert, or says each minute that the trouble
goes on; when nobody has said so for two minutes, it is over.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tablewright.model.errors import AlreadyExists, TablewrightError
from tablewright.systems.sentiment import config_reads, reads, writes
from tablewright.systems.sentiment.articles import items
from tablewright.systems.sentiment.config import AlertRule, OpsRule, Source
from tablewright.systems.sentiment.rules.deviation import step
from tablewright.systems.sentiment.rules.ops_rules import (
    CALM_MINUTES,
    SILENCE,
    WATCHED,
    Counted,
    Recent,
    built_in,
)
from tablewright.systems.sentiment.rules.spans import MINUTE, floor
from tablewright.systems.sentiment.service.alerts.evaluating import (
    Evaluation,
    cooldown_of,
    ops_alert,
    standing_of,
)
from tablewright.systems.sentiment.service.alerts.windows import Windows, ending
from tablewright.systems.sentiment.service.sources.quotas import Quotas
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

if TYPE_CHECKING:
    from prometheus_client import Counter

    from tablewright.systems.sentiment.service.newsroom import Newsroom

log = logging.getLogger("tablewright.sentiment")

SAMPLE_SECS = 60.0
_STUCK_AFTER = timedelta(minutes=5)
_BY_PATTERN = ("system", "pattern", "operation")


class Operating:
    """The rules about the system itself."""

    def __init__(self, newsroom: Newsroom, evaluation: Evaluation) -> None:
        self._newsroom = newsroom
        self._evaluation = evaluation
        self._windows = Windows(newsroom, reads.series_to_judge)
        self._quotas = Quotas(newsroom)
        self._recent = Recent(newsroom.options.planned_write_units)
        self._opened = newsroom.now()
        counter = newsroom.runtime.metrics.counter
        self._refused = (
            counter("tablewright_db_throttles", "Attempts refused as too much.", _BY_PATTERN),
            counter("tablewright_db_server_errors", "Attempts answered 5xx.", _BY_PATTERN),
        )
        self._records = counter(
            "sentiment_records", "Records that came in, by what became of them.", ("result",)
        )
        self._written = counter(
            "tablewright_db_write_units",
            "Write units used.",
            ("system", "table", "index", "pattern"),
        )

    # --- in the table ------------------------------------------------------------------

    async def judge(self, rules: list[AlertRule]) -> None:
        """What the table says; and what no process complains of any more is over."""
        watched = [rule for rule in rules if rule.enabled and rule.ops is not None]
        named = {rule.ops for rule in watched if rule.ops is not None}
        values = await self.values(named)
        for rule in watched:
            if rule.ops in values:
                await self._judged(rule, values[rule.ops])
            elif rule.ops is not None and WATCHED[rule.ops].own:
                await self._over(rule)

    async def values(self, named: set[OpsRule]) -> dict[OpsRule, float]:
        """How things stand, of those that are in the table."""
        now = self._newsroom.now()
        found: dict[OpsRule, float] = {}
        if "stuck" in named:
            found["stuck"] = await self._stuck(now)
        if "failed" in named:
            op = reads.number_failed("failed", since=now - ARTICLE_LIFE, until=now)
            found["failed"] = await self._newsroom.db.run(op)
        if named & {"silence", "quota", "breaker"}:
            listed = self._newsroom.db.iterate(config_reads.sources_to_check())
            sources = [source async for source in listed]
            found["breaker"] = sum(_is_open(source, now) for source in sources)
            found["quota"] = max([0.0, *[await self._used(each, now) for each in sources]])
            found["silence"] = await self._silence(sources, now) if "silence" in named else 0.0
        return {ops: value for ops, value in found.items() if ops in named}

    async def _stuck(self, now: datetime) -> int:
        before = now - _STUCK_AFTER
        since = now - ARTICLE_LIFE
        op = reads.number_stuck("pending", since=since, until=before, queued_before=before)
        return await self._newsroom.db.run(op)

    async def _used(self, source: Source, now: datetime) -> float:
        """Percent of today's calls."""
        limit = self._quotas.limit(source)
        if not source.enabled or limit is None:
            return 0.0
        page = await self._newsroom.db.run(config_reads.latest_quota(source.name))
        today = [quota for quota in page if quota.day == now.date()]
        return 100 * today[0].used / limit if today else 0.0

    async def _silence(self, sources: list[Source], now: datetime) -> float:
        """Hours without anything new: 1 or 0. Nobody is blamed for before the start."""
        if now - self._opened < SILENCE or not any(source.enabled for source in sources):
            return 0.0
        since, until = ending(now, SILENCE)
        rows = await self._windows.rows("all", since, until, fine=True)
        return 0.0 if any(figures.ingested for _, figures in rows) else SILENCE / timedelta(hours=1)

    async def _judged(self, rule: AlertRule, value: float) -> None:
        now = self._newsroom.now()
        assert rule.ops is not None
        watched, start = WATCHED[rule.ops], floor(now, MINUTE)
        wrong = watched.breached(value)
        cooldown = cooldown_of(rule)
        taken = step(
            standing_of(rule), start, fires=wrong, calm=not wrong, now=now, cooldown=cooldown
        )
        alert = ops_alert(rule, start, now, value, watched.threshold)
        await self._evaluation.take(rule, taken, start, alert)

    async def _over(self, rule: AlertRule) -> None:
        start = floor(self._newsroom.now(), MINUTE)
        said = rule.judged_window
        if rule.firing and (said is None or said <= start - CALM_MINUTES * MINUTE):
            await self._evaluation.take(rule, "clear", start, None)

    # --- in this process ---------------------------------------------------------------

    async def install(self) -> None:
        """The rules that every newsroom has; those that are there stay as they are."""
        known = {rule.rule_id for rule in await self._evaluation.rules()}
        for rule in built_in():
            if rule.rule_id not in known:
                with suppress(AlreadyExists):
                    await self._newsroom.db.run(writes.install_alert_rule(rule))

    async def watch(self) -> None:
        """Look at the process's own counters each minute, for as long as it runs."""
        while True:
            try:
                await self.look()
            except TablewrightError as error:
                log.warning("what this process saw could not be told: %s", error)
            await asyncio.sleep(SAMPLE_SECS)

    async def look(self) -> None:
        """Tell what is wrong here; the table is only read if something is."""
        self._recent.add(self._newsroom.now(), self._counted())
        wrong = {
            ops: value
            for ops, value in self._recent.values().items()
            if WATCHED[ops].breached(value)
        }
        if not wrong:
            return
        for rule in await self._evaluation.rules():
            if rule.enabled and rule.ops in wrong:
                await self._judged(rule, wrong[rule.ops])

    def _counted(self) -> Counted:
        system = {"system": self._newsroom.runtime.system}
        return Counted(
            throttled=sum(_sum(counter, **system) for counter in self._refused),
            rejected=_sum(self._records, result="rejected"),
            write_units=_sum(self._written, **system, table=items.name),
        )


def _is_open(source: Source, now: datetime) -> bool:
    return source.breaker_open_until is not None and source.breaker_open_until > now


def _sum(counter: Counter, **labels: str) -> float:
    """All of a counter with these labels."""
    return sum(
        sample.value
        for family in counter.collect()
        for sample in family.samples
        if sample.name.endswith("_total") and labels.items() <= sample.labels.items()
    )
