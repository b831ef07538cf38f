"""The headlines that ship: as many, as varied and as mixed as they are meant to be."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from datetime import timedelta
from functools import cache
from itertools import combinations
from urllib.parse import urlsplit

import pytest
from tests.systems.sentiment.support import NOW

from tablewright.systems.sentiment.analysers.vader import Vader
from tablewright.systems.sentiment.bodies.ingest import RecordIn
from tablewright.systems.sentiment.config import Watch
from tablewright.systems.sentiment.corpus import FOLDER, Headline, headlines, later
from tablewright.systems.sentiment.fetching.feeds import parsed
from tablewright.systems.sentiment.live_demo.cast import POISON, SOURCES, TOPICS
from tablewright.systems.sentiment.rules.cleaning import cleaned
from tablewright.systems.sentiment.rules.identity import hash_of
from tablewright.systems.sentiment.rules.matching import Matcher
from tablewright.systems.sentiment.shapes import ARTICLE_LIFE

EVERYTHING = [*headlines(), *later()]


@cache
def matcher() -> Matcher:
    return Matcher(
        [
            Watch(watch_tag=each.tag.casefold(), label=each.tag, **each.model_dump(exclude={"tag"}))
            for each in TOPICS
        ]
    )


@cache
def tags_of(headline: Headline) -> list[str]:
    return matcher().tags(cleaned(headline.record(NOW), NOW).text)


def words_of(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def test_there_are_six_hundred_over_thirty_days() -> None:
    assert len(headlines()) == 600
    minutes = [each.minutes_ago for each in headlines()]
    assert minutes == sorted(minutes, reverse=True)
    days = Counter(each // 1440 for each in minutes)
    assert set(days) == set(range(30)), "every day has some"
    assert min(days.values()) >= 10
    assert timedelta(minutes=max(minutes)) < ARTICLE_LIFE - timedelta(hours=1)
    assert len(later()) >= 50


def test_no_two_titles_are_alike() -> None:
    """At most 60 % of the words of two titles are shared."""
    words = [(each.title, words_of(each.title)) for each in EVERYTHING]
    for (first, ours), (second, theirs) in combinations(words, 2):
        shared = 2 * len(ours & theirs) / (len(ours) + len(theirs))
        assert shared <= 0.6, (first, second)


def test_texts_differ_and_say_more_than_titles() -> None:
    texts = [each.text for each in EVERYTHING]
    assert len(set(texts)) == len(texts)
    for each in EVERYTHING:
        assert len(words_of(each.text) - words_of(each.title)) >= 3, each.title
        assert each.text.endswith("."), each.text


@pytest.mark.parametrize(("words", "most"), [(1, 12), (2, 6), (3, 3)])
def test_they_do_not_all_begin_alike(words: int, most: int) -> None:
    begun = Counter(tuple(each.title.lower().split()[:words]) for each in EVERYTHING)
    start, count = begun.most_common(1)[0]
    assert count <= most, start


def test_addresses_are_invented_and_each_is_one_article() -> None:
    hosts: dict[str, str] = {}
    hashes = set()
    for each in EVERYTHING:
        parts = urlsplit(each.url)
        assert parts.scheme == "https"
        assert parts.hostname is not None
        assert parts.hostname.endswith(".example"), each.url
        assert hosts.setdefault(each.source, parts.hostname) == parts.hostname
        hashes.add(hash_of(each.title, each.url, None))
    assert len(hashes) == len(EVERYTHING)
    assert 12 <= len(hosts) <= 15
    assert 0.3 <= sum(each.author is not None for each in EVERYTHING) / len(EVERYTHING) <= 0.7


def test_topics_share_them_some_are_in_two_and_twenty_in_none() -> None:
    found = [tags_of(each) for each in headlines()]
    assert sum(not tags for tags in found) == 20
    assert sum(len(tags) > 1 for tags in found) >= 20
    counts = Counter(tag for tags in found for tag in tags)
    assert set(counts) == {"AI", "Climate", "Energy", "Space", "Markets"}
    assert all(100 <= count <= 150 for count in counts.values()), counts
    assert all(tags_of(each) for each in later()), "what follows is always of a topic"


def test_tones_are_mixed_and_waves_come_and_go() -> None:
    counts = Counter(each.tone for each in EVERYTHING)
    assert all(count >= 0.25 * len(EVERYTHING) for count in counts.values()), counts
    assert _index("Climate", 16, 19) < -0.4, "the fire"
    assert _index("Climate", 2, 4) > 0.15, "the agreement"
    assert _index("Space", 16, 20) < -0.4, "the explosion"
    assert _index("Space", 6, 9) > 0.4, "the landing"
    assert _index("AI", 11, 15) < -0.4, "the leak"
    assert _index("AI", 20, 23) > 0.3, "the launch"
    assert _index("Energy", 20, 23) < -0.4, "the blackout"
    assert _index("Markets", 14, 17) < -0.4, "the crash"


def _index(tag: str, first: int, last: int) -> float:
    """(positive - negative) / all, of a topic from one day ago to another."""
    found = [
        each.tone
        for each in headlines()
        if first <= each.minutes_ago / 1440 < last and tag in tags_of(each)
    ]
    assert len(found) >= 8
    return (found.count("positive") - found.count("negative")) / len(found)


def test_the_lexicon_is_right_more_often_than_not_and_not_always() -> None:
    """The tones are a person's, not the model's own."""
    texts = [cleaned(each.record(NOW), NOW).text for each in headlines()]
    said = Vader().judge(texts)
    pairs = zip(said, headlines(), strict=True)
    right = sum(verdict.label == each.tone for verdict, each in pairs)
    assert 0.6 <= right / len(texts) <= 0.95


def test_what_ships_as_a_feed_and_as_a_file_is_read() -> None:
    known = {each.title for each in EVERYTHING}
    feed = (FOLDER / "saltmarsh-gazette.xml").read_bytes()
    told = asyncio.run(parsed(feed, "saltmarsh-gazette")).records
    lines = (FOLDER / "wire.jsonl").read_text().splitlines()
    wired = [RecordIn.model_validate(json.loads(line)).record() for line in lines]
    assert len(told) >= 8
    assert len(wired) >= 5
    for record in (*told, *wired, *POISON):
        assert record.title not in known
        assert matcher().tags(cleaned(record, NOW).text), record.title
    named = {each.url.removeprefix("file:") for each in SOURCES if each.url is not None}
    assert named == {path.name for path in FOLDER.iterdir()}
