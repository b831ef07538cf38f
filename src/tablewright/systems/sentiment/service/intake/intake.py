"""Articles on their way in: cleaned, matched with topics, and stored once.

A page of records costs one look at the hashes of all of them, and a transaction for each that is
new. Whoever loses a race for an article is refused by its hash and has met a duplicate.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tablewright.model.errors import TransactionCancelled
from tablewright.service.gathering import at_most
from tablewright.systems.sentiment import changes, reads
from tablewright.systems.sentiment.analysers.analyser import Analyser, languages_of
from tablewright.systems.sentiment.articles import Analysis, Article, Dedup
from tablewright.systems.sentiment.rules.languages import ensure_loaded, is_covered
from tablewright.systems.sentiment.rules.records import Record
from tablewright.systems.sentiment.service.intake.candidates import (
    Candidate,
    Outcome,
    candidates,
)
from tablewright.systems.sentiment.service.intake.commits import commit, is_refusal
from tablewright.systems.sentiment.service.intake.publishers import Publishers
from tablewright.systems.sentiment.service.intake.recall import Recall
from tablewright.systems.sentiment.service.intake.tagging import Tagging
from tablewright.systems.sentiment.service.intake.uploads import Uploads
from tablewright.systems.sentiment.shapes import SourceType

if TYPE_CHECKING:
    from tablewright.systems.sentiment.service.newsroom import Newsroom

#: That a model does not cover the language of an article.
UNJUDGED: Final = "unjudged"
Judged: TypeAlias = Analysis | Literal["unjudged"]
#: Articles of one page at the same time. More would only wait for one another's counts.
_AT_ONCE = 16

_log = logging.getLogger(__name__)


class Intake:
    """Takes what sources give."""

    def __init__(self, newsroom: Newsroom) -> None:
        self._newsroom = newsroom
        self.publishers = Publishers(newsroom)
        self.uploads = Uploads(newsroom)
        self._recall = Recall()
        self._tagging = Tagging(newsroom, self._recall)
        self._results = newsroom.runtime.metrics.counter(
            "sentiment_records", "Records that came in, by what became of them.", ("result",)
        )

    async def take(
        self,
        records: Sequence[Record],
        *,
        source_type: SourceType,
        as_published: bool = False,
        analyser: Analyser | None = None,
    ) -> list[Outcome]:
        """What became of each record, in their order. A bad one spoils no other.

        ``as_published`` counts articles when they were published, up to 30 days back, and judges
        them at once, with ``analyser`` or the model in use.
        """
        found = candidates(
            records,
            await self._newsroom.watches.matcher(),
            source_type,
            now=self._newsroom.now(),
            as_published=as_published,
        )
        settled = await self._settle(found, as_published, analyser)
        outcomes = [each if isinstance(each, Outcome) else settled[id(each)] for each in found]
        for outcome in outcomes:
            self._results.labels(outcome.result).inc()
        return outcomes

    def note_rejected(self, number: int) -> None:
        """Records that could not even be read: they count among those that came in, too."""
        self._results.labels("rejected").inc(number)

    async def _settle(
        self,
        found: Sequence[Candidate | Outcome],
        as_published: bool,
        analyser: Analyser | None,
    ) -> dict[int, Outcome]:
        """The outcome of each candidate, by its identity."""
        groups: dict[str, list[Candidate]] = {}
        for each in found:
            if isinstance(each, Candidate):
                groups.setdefault(each.sha256, []).append(each)
        if not groups:
            return {}
        known = await self._known(list(groups))
        await ensure_loaded()
        judged: Mapping[str, Judged | None] = {}
        if as_published:
            judged = await self._judged(
                [group[0] for sha256, group in groups.items() if sha256 not in known], analyser
            )
        page = _Page(self, known, judged)
        told = await at_most(_AT_ONCE, map(page.take, groups.values()))
        return {place: outcome for group in told for place, outcome in group.items()}

    async def _known(self, hashes: Sequence[str]) -> dict[str, Dedup]:
        rows = await self._newsroom.db.run(reads.known_hashes(hashes))
        return {row.sha256: row for row in rows if row is not None}

    # --- one article -----------------------------------------------------------------------------

    async def store(self, candidate: Candidate, judged: Judged | None = None) -> Dedup | None:
        """Store an article, as a transaction: T1, or T1 with T2 if it is judged already.

        Its condition: nobody has its hash. Gives what has it, if somebody has.
        """
        newsroom = self._newsroom
        key = await self.publishers.key_of(candidate.cleaned.source_name)
        shards = (await newsroom.setup.current()).shards
        change = changes.ingest if judged is None else changes.backfill
        analysis = judged if isinstance(judged, Analysis) else None
        for again in (True, False):
            now = newsroom.now()
            article = candidate.article(key, now, analysis, unjudged=judged == UNJUDGED)
            try:
                await commit(newsroom.db, change(article, candidate.sha256, now=now, shards=shards))
            except TransactionCancelled as refused:
                row = _taken(refused, candidate)
                if row is not None:
                    return row
                # A count of the past has ended just now: the next time it is left out.
                if not again or not is_refusal(refused):
                    raise
            else:
                break
        self._recall.keep_new(candidate.sha256, candidate.folded_tags)
        return None

    async def meet(self, candidate: Candidate, row: Dedup) -> Outcome:
        """An article that is known: a duplicate, unless it belongs to another topic too."""
        return await self._tagging.meet(candidate, row)

    # --- judging ---------------------------------------------------------------------------------

    async def _judged(
        self, new: Sequence[Candidate], analyser: Analyser | None
    ) -> dict[str, Judged | None]:
        """What the model says, by hash; None where it fails."""
        if not new:
            return {}
        model = analyser or await self._newsroom.models.active()
        covered = languages_of(model)
        foreign = {each.sha256 for each in new if not is_covered(each.language, covered)}
        own = [each for each in new if each.sha256 not in foreign]
        judged: dict[str, Judged | None] = dict.fromkeys(foreign, UNJUDGED)
        if own:
            judged |= await asyncio.to_thread(self._judge, own, model)
        return judged

    def _judge(self, new: Sequence[Candidate], model: Analyser) -> dict[str, Analysis | None]:
        now = self._newsroom.now()
        try:
            verdicts = model.judge([each.cleaned.text for each in new])
        except Exception:
            if len(new) == 1:
                _log.warning("the model %s failed on an article", model.version, exc_info=True)
                return {new[0].sha256: None}
            # One text must not spoil the page: each by itself.
            return {key: said for each in new for key, said in self._judge([each], model).items()}
        return {
            each.sha256: verdict.analysis(model.version, now)
            for each, verdict in zip(new, verdicts, strict=True)
        }


class _Page:
    """Records that came together: those of one article are taken one after another."""

    def __init__(
        self, intake: Intake, known: Mapping[str, Dedup], judged: Mapping[str, Judged | None]
    ) -> None:
        self._intake = intake
        self._known = known
        self._judged = judged

    async def take(self, group: Sequence[Candidate]) -> dict[int, Outcome]:
        first = group[0]
        row = self._known.get(first.sha256)
        told: dict[int, Outcome] = {}
        for each in group:
            if row is not None:
                told[id(each)] = await self._intake.meet(each, row)
            else:
                told[id(each)], row = await self._new(each)
        return told

    async def _new(self, candidate: Candidate) -> tuple[Outcome, Dedup | None]:
        """Store it; also what its hash is known by from now on."""
        judged = self._judged.get(candidate.sha256)
        if candidate.sha256 in self._judged and judged is None:
            return Outcome("rejected", reason="the model failed on it"), None
        row = await self._intake.store(candidate, judged)
        if row is not None:
            return await self._intake.meet(candidate, row), row
        return Outcome("ingested", candidate.source_id), _row_of(candidate)


def _row_of(candidate: Candidate) -> Dedup:
    return Dedup(
        sha256=candidate.sha256,
        article_id=candidate.source_id,
        article_ts=candidate.timestamp,
    )


def _taken(refused: TransactionCancelled, candidate: Candidate) -> Dedup | None:
    """What has the hash, or the article's own place; None if it was refused for something else."""
    for failure in refused.failures:
        item = getattr(failure.error, "item", None)
        if isinstance(item, Dedup):
            return item
        if isinstance(item, Article):
            return _row_of(candidate)
    return None
