"""Topics: which words make an article belong to one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from tablewright.model import Put, Transaction, together
from tablewright.model.errors import ConditionFailed, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.preconditions import UNSAID, Precondition
from tablewright.service.problems import FieldError, Problem, conflict, invalid, not_found, stale
from tablewright.service.remembered import Remembered
from tablewright.systems.sentiment import config_reads, reads, writes
from tablewright.systems.sentiment.bodies.watch import RuleIn, TopicEdit, TopicIn
from tablewright.systems.sentiment.config import MAX_WATCHES, Watch
from tablewright.systems.sentiment.rules.matching import Matcher
from tablewright.systems.sentiment.rules.tags import tag_of
from tablewright.systems.sentiment.service.watches.trials import Trial, Trials
from tablewright.systems.sentiment.shapes import hour_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: How long a process matches by rules that may have been edited elsewhere.
_RULES_SECS = 3.0
_HITS_SECS = 60.0
_DAY = timedelta(hours=23)


class Watches:
    """The topics, as editors and matching see them."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        clock = newsroom.runtime.clock
        self._trials = Trials(newsroom)
        self._matchers: Remembered[str, Matcher] = Remembered(
            self._load, clock, secs=_RULES_SECS, stale_secs=300
        )
        self._hits: Remembered[str, int] = Remembered(
            self._count, clock, secs=_HITS_SECS, nothing_secs=_HITS_SECS
        )

    # --- reading ---------------------------------------------------------------------------------

    async def list(self) -> list[Watch]:
        """All topics, by tag."""
        return [each async for each in self._newsroom.db.iterate(config_reads.watches())]

    async def get(self, tag: str) -> Watch:
        """One topic, whatever the case of its tag; a problem 404 if there is none."""
        folded = tag_of(tag)
        found = None if folded is None else await self._newsroom.db.run(config_reads.watch(folded))
        if found is None:
            raise not_found("topic")
        return found

    async def matcher(self) -> Matcher:
        """The rules of all topics that are followed."""
        return await self._matchers.get("")

    async def hits(self, tags: Sequence[str]) -> dict[str, int]:
        """How many articles of the last 24 hours each tag has, from the counts."""
        found = await asyncio.gather(*map(self._hits.get, tags))
        return dict(zip(tags, found, strict=True))

    async def test(self, rule: RuleIn) -> Trial:
        """What a rule would find among the latest 500 articles; nothing is stored."""
        return await self._trials.run(_watch("trial", rule.model_copy(update={"enabled": True})))

    # --- changing --------------------------------------------------------------------------------

    async def create(self, body: TopicIn, by: Principal) -> Watch:
        """One transaction: the topic, if its tag is free in any case; the number of topics, if it
        is below twenty; and the audit entry."""
        await self._newsroom.setup.current()  # the number is kept in the settings
        topic = _watch(body.tag, body)
        entry = self._entry(by, "topic.create", topic, **_shown(topic))
        op = together(writes.create_watch(topic), entry)
        return await self._stored(op, (_exists(), _full()))

    async def save(
        self, tag: str, body: TopicEdit, by: Principal, when: Precondition = UNSAID
    ) -> Watch:
        """One transaction: the topic, if it still has the version that was seen, and the entry."""
        before = await self.get(tag)
        when.check(before.version)
        return await self._change(before, _edited(before, body), by, "topic.change")

    async def pause(
        self, tag: str, paused: bool, by: Principal, when: Precondition = UNSAID
    ) -> Watch:
        """Follow a topic no more for now, or again. As for any change."""
        before = await self.get(tag)
        when.check_if_given(before.version)
        after = before.model_copy(update={"enabled": not paused})
        return await self._change(before, after, by, "topic.pause" if paused else "topic.resume")

    async def delete(self, tag: str, by: Principal, when: Precondition = UNSAID) -> None:
        """One transaction: the topic goes, if it has the version that was seen, one less is
        counted, and the audit entry. Articles keep their tags."""
        before = await self.get(tag)
        when.check_if_given(before.version)
        op = together(writes.delete_watch(before), self._entry(by, "topic.delete", before))
        try:
            await self._newsroom.db.run(op)
        except TransactionCancelled as cancelled:
            _refuse(cancelled, (stale(),))
            raise
        finally:
            self.forget()

    def forget(self) -> None:
        """Read the rules again: this process has changed them."""
        self._matchers.forget("")
        self._newsroom.setup.forget()

    async def _change(self, before: Watch, after: Watch, by: Principal, action: str) -> Watch:
        old, new = _shown(before), _shown(after)
        changed = {name: [old[name], new[name]] for name in new if old[name] != new[name]}
        if not changed:
            return before
        entry = self._entry(by, action, before, **changed)
        return await self._stored(together(writes.save_watch(after), entry), (stale(),))

    async def _stored(
        self, op: Transaction[tuple[object, ...]], refusals: tuple[Problem, ...]
    ) -> Watch:
        """The topic that a transaction stores; else the problem of the member that was refused."""
        try:
            stored = await self._newsroom.db.run(op)
        except TransactionCancelled as cancelled:
            _refuse(cancelled, refusals)
            raise
        finally:
            self.forget()
        return next(each for each in stored if isinstance(each, Watch))

    def _entry(self, by: Principal, action: str, topic: Watch, **detail: object) -> Put[AuditEntry]:
        subject = f"topic/{topic.watch_tag}"
        return audit.record(by, action, subject, at=self._newsroom.now(), detail=detail)

    # --- loading ---------------------------------------------------------------------------------

    async def _load(self, _: str) -> Matcher:
        found = self._newsroom.db.iterate(config_reads.watch_rules())
        return Matcher([each async for each in found])

    async def _count(self, tag: str) -> int:
        now = self._newsroom.now()
        first, last = hour_of(now - _DAY), hour_of(now)
        shards = range((await self._newsroom.setup.current()).shards)
        pages = await asyncio.gather(
            *(
                self._newsroom.db.run(reads.series(f"tag#{tag}", shard, first=first, last=last))
                for shard in shards
            )
        )
        return sum(row.positive + row.neutral + row.negative for page in pages for row in page)


def _watch(label: str, rule: RuleIn) -> Watch:
    return Watch(
        watch_tag=label.casefold(),
        label=label,
        any=rule.any,
        all=rule.all,
        none=rule.none,
        priority=rule.priority,
        enabled=rule.enabled,
    )


def _edited(before: Watch, body: TopicEdit) -> Watch:
    label = before.label if body.tag is None else body.tag
    if label.casefold() != before.watch_tag:
        raise invalid(FieldError("body.tag", "can change its case only; make another topic"))
    return _watch(label, body).model_copy(update={"version": before.version})


def _shown(topic: Watch) -> dict[str, object]:
    return topic.model_dump(exclude={"watch_tag", "version"})


def _refuse(cancelled: TransactionCancelled, refusals: tuple[Problem, ...]) -> None:
    """The problem of the first member whose condition does not hold, if there is one."""
    for failure in sorted(cancelled.failures, key=lambda each: each.position):
        if isinstance(failure.error, ConditionFailed) and failure.position < len(refusals):
            raise refusals[failure.position] from cancelled


def _exists() -> Problem:
    return conflict("TAG_EXISTS", "There is a topic with this tag, in whatever case.")


def _full() -> Problem:
    return conflict("WATCH_FULL", f"There are {MAX_WATCHES} topics, and no more can be followed.")
