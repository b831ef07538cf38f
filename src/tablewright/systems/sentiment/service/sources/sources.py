"""What people see and change of sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tablewright.client import Page
from tablewright.model import Put, Transaction, together
from tablewright.model.errors import AlreadyExists, ConditionFailed, TransactionCancelled
from tablewright.service.auth import Principal
from tablewright.service.kit import audit
from tablewright.service.kit.entities import AuditEntry
from tablewright.service.outbound import UnsafeAddress
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import (
    FieldError,
    Problem,
    conflict,
    invalid,
    not_found,
    stale,
)
from tablewright.service.web_urls import UrlError, clean_url
from tablewright.systems.sentiment import config_reads, writes
from tablewright.systems.sentiment.bodies.sources import SourceChange, SourceIn
from tablewright.systems.sentiment.config import Run, Source
from tablewright.systems.sentiment.fetching import files
from tablewright.systems.sentiment.service.sources.fetchers import Fetchers
from tablewright.systems.sentiment.service.sources.quotas import Allowance, Quotas
from tablewright.systems.sentiment.service.sources.runs import Runs, breaker_of

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: An address that says how it is asked, or the name of a file.
_HAS_SCHEME = re.compile(
    r"\s*(?:[A-Za-z][A-Za-z0-9+.-]*://|file:|[^/\s]+\.(?:jsonl|ndjson|csv)\s*$)"
)
#: Beyond them, something other than a person creates sources.
MOST_SOURCES = 100


@dataclass(frozen=True)
class Standing:
    """A source, and how it does."""

    source: Source
    #: ``closed``, ``open`` or ``trial``.
    breaker: str
    quota: Allowance
    #: Seconds between runs, so that the quota lasts.
    interval_secs: float


class Sources:
    """Where articles come from: settings, runs, quotas, breakers."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self._quotas = Quotas(newsroom)
        self.fetchers = Fetchers(newsroom)
        self.runs = Runs(newsroom, self.fetchers)

    async def close(self) -> None:
        """Break off the runs, and hang up."""
        await self.runs.close()
        await self.fetchers.close()

    # --- looking ---------------------------------------------------------------------------------

    async def standings(self) -> list[Standing]:
        """All sources, by name."""
        found = [each async for each in self._newsroom.db.iterate(config_reads.sources())]
        topics = await self._topics()
        return [await self._standing(each, topics) for each in found]

    async def get(self, name: str) -> Standing:
        """One source; a problem 404 if there is none."""
        return await self._standing(await self._stored(name), await self._topics())

    async def runs_of(
        self, name: str, limit: int | None = None, cursor: str | None = None
    ) -> Page[Run]:
        """The runs of a source, the latest first."""
        await self._stored(name)
        return await self._newsroom.db.run(config_reads.runs(name), limit=limit, cursor=cursor)

    async def quota(self, name: str) -> Allowance:
        """The calls of today."""
        return await self._quotas.today(await self._stored(name))

    async def _standing(self, source: Source, topics: int) -> Standing:
        return Standing(
            source,
            breaker_of(source).state(self._newsroom.now()),
            await self._quotas.today(source),
            self.runs.interval(source, topics),
        )

    async def _topics(self) -> int:
        watches = self._newsroom.db.iterate(config_reads.watches())
        return len([each async for each in watches if each.enabled])

    async def _stored(self, name: str) -> Source:
        found = await self._newsroom.db.run(config_reads.source_to_edit(name))
        if found is None:
            raise not_found("source")
        return found

    # --- changing --------------------------------------------------------------------------------

    async def create(self, body: SourceIn, by: Principal) -> Standing:
        """A new source, which is read from now on."""
        source = Source(**_cleaned(body))
        await self._check(source)
        if (
            len([each async for each in self._newsroom.db.iterate(config_reads.sources())])
            >= MOST_SOURCES
        ):
            raise conflict("SOURCES_FULL", f"There are {MOST_SOURCES} sources, which is the most.")
        noted = self._noted(by, "source.create", source)
        try:
            await self._newsroom.db.run(together(writes.create_source(source), noted))
        except TransactionCancelled as cancelled:
            if any(isinstance(each.error, AlreadyExists) for each in cancelled.failures):
                raise conflict("ALREADY_EXISTS", "There is a source of that name.") from cancelled
            raise
        return await self.get(source.name)

    async def save(
        self, name: str, body: SourceChange, by: Principal, said: Precondition
    ) -> Standing:
        """Other settings for a source, from those that somebody has seen."""
        before = await self._stored(name)
        said.check(before.revision)
        after = before.model_copy(update=_cleaned(body))
        await self._check(after)
        return await self._saved(before, after, by, "source.change")

    async def delete(self, name: str, by: Principal, said: Precondition) -> None:
        """Delete a source; its articles and runs stay until they end.

        One transaction with its audit entry; its condition: nobody has changed the settings since
        they were seen. A run under way stores what it has read and ends.
        """
        before = await self._stored(name)
        said.check_if_given(before.revision)
        noted = self._noted(by, "source.delete", before)
        try:
            await self._newsroom.db.run(together(writes.delete_source(before), noted))
        except TransactionCancelled as cancelled:
            if any(isinstance(each.error, ConditionFailed) for each in cancelled.failures):
                raise stale() from cancelled
            raise

    async def pause(self, name: str, by: Principal) -> Standing:
        """It is not read any more, until it is resumed."""
        return await self._switched(name, by, enabled=False)

    async def resume(self, name: str, by: Principal) -> Standing:
        """It is read again, from where it was, and as if it had never failed."""
        return await self._switched(name, by, enabled=True)

    async def _switched(self, name: str, by: Principal, *, enabled: bool) -> Standing:
        before = await self._stored(name)
        after = before.model_copy(update={"enabled": enabled})
        return await self._saved(before, after, by, "source.resume" if enabled else "source.pause")

    async def _saved(self, before: Source, after: Source, by: Principal, action: str) -> Standing:
        afresh = (before.url, before.query) != (after.url, after.query)
        saved = writes.save_source(
            after, afresh=afresh, trusted=after.enabled and not before.enabled
        )
        op: Transaction[tuple[object, ...]] = together(saved, self._noted(by, action, after))
        try:
            await self._newsroom.db.run(op)
        except TransactionCancelled as cancelled:
            if any(isinstance(each.error, ConditionFailed) for each in cancelled.failures):
                raise stale() from cancelled
            raise
        return await self.get(after.name)

    def _noted(self, by: Principal, action: str, source: Source) -> Put[AuditEntry]:
        # Not its address, which may have a key in it.
        detail = source.model_dump(
            mode="json", include={"source_type", "query", "interval_seconds", "enabled"}
        )
        now = self._newsroom.now()
        return audit.record(by, action, f"source/{source.name}", at=now, detail=detail)

    async def _check(self, source: Source) -> None:
        """Whether its kind has what it needs, and its address may be asked."""
        if source.source_type == "newsapi":
            if source.url is not None:
                raise invalid(FieldError("body.url", "NewsAPI's address is in the settings"))
            return
        if source.url is None:
            raise invalid(FieldError("body.url", "is needed"))
        if source.query is not None:
            raise invalid(FieldError("body.query", "is for NewsAPI alone"))
        try:
            await self._check_url(source.url, feed=source.source_type == "rss")
        except UnsafeAddress as unsafe:
            told = FieldError("body.url", str(unsafe))
            detail = f"The address {unsafe}."
            raise Problem(422, "UNSAFE_URL", detail, errors=[told]) from None

    async def _check_url(self, url: str, *, feed: bool) -> None:
        if files.is_file(url) or not feed:
            files.path_of(url, self._newsroom.options.feed_folder, feed=feed)
        else:
            await self.fetchers.outbound.check(url)

    # --- reading ---------------------------------------------------------------------------------

    async def run_now(self, name: str, by: Principal) -> Run:
        """Begin a run in the background; 409 if there is one, or if it would come to nothing."""
        run = await self.runs.start(name)
        now = self._newsroom.now()
        noted = audit.record(by, "source.run", f"source/{name}", at=now, detail={})
        await self._newsroom.db.run(noted)
        return run


def _cleaned(body: SourceChange) -> dict[str, Any]:
    """The settings with the address that was pasted: ``www.example.org`` is one, too."""
    given = body.model_dump()
    url = given["url"]
    if url is not None and not _HAS_SCHEME.match(url):
        try:
            given["url"] = clean_url(url)
        except UrlError as error:
            raise invalid(FieldError("body.url", str(error))) from None
    return given
