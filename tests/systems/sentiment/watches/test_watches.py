"""Topics: made, changed from the version that was seen, tried, and removed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from tests.systems.sentiment.support import (
    ADMIN,
    ANALYST,
    NOW,
    check_books,
    newsroom_on,
    record,
    refused,
    stored,
    topic,
)

from tablewright.client import RequestEvent
from tablewright.clock import ManualClock
from tablewright.service.kit import audit
from tablewright.service.preconditions import Precondition
from tablewright.service.problems import Problem
from tablewright.systems.sentiment.bodies.watch import RuleIn, TopicEdit, TopicIn
from tablewright.systems.sentiment.config import MAX_WATCHES, Watch
from tablewright.systems.sentiment.service.newsroom import Newsroom
from tablewright.testing.backends import Backend

ACTIONS = ("create", "change", "pause", "resume", "delete")
Test = Callable[[Newsroom], Awaitable[None]]


def run(backend: Backend, clock: ManualClock, test: Test, *topics: Any, **options: Any) -> None:
    async def go() -> None:
        async with newsroom_on(backend, clock, *topics, **options) as newsroom:
            await test(newsroom)

    asyncio.run(go())


def seen(found: Watch) -> Precondition:
    return Precondition.seen(found.version)


async def audited(newsroom: Newsroom) -> list[tuple[str, str, object]]:
    page = await audit.entries(newsroom.db, until=newsroom.now() + timedelta(hours=1))
    return [(each.action, each.subject, each.detail) for each in reversed(page)]


def test_the_life_of_a_topic(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        watches = newsroom.watches
        made = await watches.create(TopicIn(tag="Robots", any=["robot"]), ANALYST)
        assert (await watches.get("rObOtS")) == made
        assert (made.watch_tag, made.label, made.version) == ("robots", "Robots", 1)
        edit = TopicEdit(tag="ROBOTS", any=["robot", "android"], priority=5)
        changed = await watches.save("robots", edit, ANALYST, seen(made))
        assert (changed.label, changed.any, changed.version) == (
            "ROBOTS",
            ["robot", "android"],
            2,
        )
        # Whoever has seen another version is told so; whoever says none, too.
        for said, status in ((seen(made), 412), (Precondition(), 428)):
            problem = await refused(watches.save("robots", edit, ANALYST, said))
            assert problem.status == status
        other = TopicEdit(tag="Androids", any=["x"])
        assert (await refused(watches.save("robots", other, ANALYST, seen(changed)))).status == 422
        paused = await watches.pause("robots", True, ANALYST)
        assert (await watches.matcher()).tags("A robot") == []
        assert (await watches.pause("robots", True, ANALYST)) == paused
        await watches.pause("robots", False, ANALYST)
        assert (await watches.matcher()).tags("A robot") == ["ROBOTS"]
        assert (await refused(watches.delete("robots", ANALYST, seen(made)))).status == 412
        await watches.delete("robots", ANALYST)
        for gone in ("robots", "#", "no such"):
            assert (await refused(watches.get(gone))).status == 404
        assert (await watches.matcher()).tags("A robot") == []
        told = {action: (subject, detail) for action, subject, detail in await audited(newsroom)}
        assert told.keys() == {f"topic.{each}" for each in ACTIONS}
        assert {subject for subject, _ in told.values()} == {"topic/robots"}
        assert told["topic.pause"][1] == {"enabled": [True, False]}
        assert len(await audited(newsroom)) == len(ACTIONS)

    run(tablewright_backend, clock, test)


def test_a_tag_is_one_in_any_case(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        problem = await refused(newsroom.watches.create(TopicIn(tag="aI", any=["x"]), ANALYST))
        assert (problem.status, problem.code) == (409, "TAG_EXISTS")
        assert await audited(newsroom) == []

    run(tablewright_backend, clock, test)


def test_there_are_twenty_at_most(tablewright_backend: Backend, clock: ManualClock) -> None:
    """However many ask at once, and after one has gone there is room for one."""

    async def create(newsroom: Newsroom, tag: str) -> str:
        try:
            await newsroom.watches.create(TopicIn(tag=tag, any=["x"]), ANALYST)
        except Problem as problem:
            return problem.code
        return "made"

    async def test(newsroom: Newsroom) -> None:
        async with newsroom_on(tablewright_backend, clock) as other:
            rooms = (newsroom, other)
            told = await asyncio.gather(*(create(rooms[n % 2], f"T{n}") for n in range(20)))
        assert sorted(told) == ["WATCH_FULL"] * 3 + ["made"] * 17
        assert len(await newsroom.watches.list()) == MAX_WATCHES
        assert (await newsroom.setup.current()).watch_count == MAX_WATCHES
        await newsroom.watches.delete("AI", ANALYST)
        assert await create(newsroom, "New") == "made"
        assert await create(newsroom, "Newer") == "WATCH_FULL"

    run(tablewright_backend, clock, test)


def test_two_editors(tablewright_backend: Backend, clock: ManualClock) -> None:
    """Both have seen the same version: one is told to look again, and the log has one change."""

    async def test(newsroom: Newsroom) -> None:
        before = await newsroom.watches.get("AI")

        async def save(word: str) -> str:
            edit = TopicEdit(any=[word])
            try:
                saved = await newsroom.watches.save("AI", edit, ANALYST, seen(before))
            except Problem as problem:
                return problem.code
            return saved.any[0]

        told = await asyncio.gather(save("one"), save("two"))
        assert sorted(told)[0] == "STALE_VERSION" or "STALE_VERSION" in told
        (kept,) = set(told) - {"STALE_VERSION"}
        assert (await newsroom.watches.get("AI")).any == [kept]
        assert len(await audited(newsroom)) == 1

    run(tablewright_backend, clock, test)


def test_edits_reach_other_processes(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        async with newsroom_on(tablewright_backend, clock) as other:
            assert (await other.watches.matcher()).tags("A robot") == []
            await newsroom.watches.create(TopicIn(tag="Robots", any=["robot"]), ANALYST)
            assert (await newsroom.watches.matcher()).tags("A robot") == ["Robots"]
            clock.advance(5)
            assert (await other.watches.matcher()).tags("A robot") == ["Robots"]

    run(tablewright_backend, clock, test)


def test_a_rule_is_tried(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        tones = ("positive", "neutral", "negative")
        for number in range(12):
            slug = "robots-win" if number % 4 == 0 else "ai-wins"
            at = NOW - timedelta(minutes=number)
            await stored(newsroom, f"{slug}-{number}", timestamp=at, said=tones[number % 3])
        await stored(newsroom, "robots-wait")
        rule = RuleIn(any=["Robots", "androids"], none=["8"], enabled=False)
        trial = await newsroom.watches.test(rule)
        assert trial.looked_at == 12
        assert [hit.article.metadata.title for hit in trial.hits] == [
            "Robots win 0",
            "Robots win 4",
        ]
        assert {hit.terms for hit in trial.hits} == {("Robots",)}
        assert await audited(newsroom) == []

    run(tablewright_backend, clock, test)


def test_a_trial_reads_few_articles(
    engine_backend: Backend, clock: ManualClock, monkeypatch: Any
) -> None:
    """Only of the tone that is behind is more read."""
    from tablewright.systems.sentiment.service.watches import trials

    monkeypatch.setattr(trials, "LATEST", 20)
    monkeypatch.setattr(trials, "_PAGE", 5)
    heard: list[RequestEvent] = []

    async def test(newsroom: Newsroom) -> None:
        for number in range(30):
            at = NOW - timedelta(minutes=number)
            said = "negative" if number % 10 == 0 else "positive"
            await stored(newsroom, f"ai-{number}", timestamp=at, said=said)
        heard.clear()
        trial = await newsroom.watches.test(RuleIn(any=["ai"]))
        found = [hit.article.metadata.title for hit in trial.hits]
        assert found == [f"Ai {number}" for number in range(20)]
        assert len(heard) <= 7

    run(engine_backend, clock, test, heard=heard)


def test_hits_of_a_day(tablewright_backend: Backend, clock: ManualClock) -> None:
    async def test(newsroom: Newsroom) -> None:
        for number, hours in enumerate((0, 3, 22, 30)):
            at = NOW - timedelta(hours=hours)
            await stored(newsroom, f"ai-{number}", ["AI", "Climate"], said="neutral", timestamp=at)
        await stored(newsroom, "ai-waits")
        assert await newsroom.watches.hits(["ai", "climate", "energy"]) == {
            "ai": 3,
            "climate": 3,
            "energy": 0,
        }

    run(tablewright_backend, clock, test)


def test_articles_keep_the_tag_of_a_topic_that_is_gone(
    tablewright_backend: Backend, clock: ManualClock
) -> None:
    async def test(newsroom: Newsroom) -> None:
        await newsroom.intake.take([record("ai-wins")], source_type="rss")
        await newsroom.watches.delete("ai", ANALYST)
        (article,) = await check_books(newsroom)
        assert article.matched_tags == {"AI"}
        (told,) = await newsroom.intake.take([record("ai-wins-more")], source_type="rss")
        assert told.result == "unmatched"

    run(tablewright_backend, clock, test)


def test_a_full_watch_matches(engine_backend: Backend, clock: ManualClock) -> None:
    topics = [topic(f"T{number}", "word") for number in range(20)]

    async def test(newsroom: Newsroom) -> None:
        assert len((await newsroom.watches.matcher()).tags("A word")) == 5

    run(engine_backend, clock, test, *topics)


@pytest.mark.parametrize(
    ("typed", "tag"),
    [
        ("Robots", "robots"),
        ("\u6c17\u5019", "\u6c17\u5019"),
        ("Climate  policy", "climate-policy"),
        ("  \u041a\u043b\u0438\u043c\u0430\u0442 ", "\u043a\u043b\u0438\u043c\u0430\u0442"),
        ("Stra\u00dfe", "strasse"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940", "\u0939\u093f\u0928\u094d\u0926\u0940"),
    ],
)
def test_names_of_topics_are_of_any_script(
    engine_backend: Backend, clock: ManualClock, typed: str, tag: str
) -> None:
    async def go() -> None:
        async with newsroom_on(engine_backend, clock) as newsroom:
            made = await newsroom.watches.create(TopicIn(tag=typed, any=["x"]), ADMIN)
            assert made.watch_tag == tag
            assert (await newsroom.watches.get(made.label)).watch_tag == tag

    asyncio.run(go())


@pytest.mark.parametrize("typed", ["", "-a", "a#b", "C++", "x" * 51, "a/b"])
def test_wrong_name_of_a_topic_is_explained_without_a_pattern(typed: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TopicIn(tag=typed, any=["x"])
    (error,) = caught.value.errors()
    assert "Use letters, digits, hyphens and underscores" in error["msg"]
