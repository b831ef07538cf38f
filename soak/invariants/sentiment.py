"""Articles, what was said of them, and how they are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from soak.image import Image, Item
from soak.invariants.finding import invariant, unless
from soak.journal import Journal

TABLE = "sentiment-items"
TONES = ("positive", "neutral", "negative")


def _articles(image: Image) -> list[Item]:
    return [item for item in image.items(TABLE) if "matched_tags" in item and "status" in item]


@invariant("sentiment: acknowledged articles are there once")
def articles(image: Image, journal: Journal) -> Iterator[str | None]:
    found = Counter(str(each.get("source_url")) for each in _articles(image))
    for key in {deed.key for deed in journal.sure("sentiment", "article")}:
        yield unless(found[key] == 1, f"{key} is there {found[key]} times")


@invariant("sentiment: no article is there twice, nor one that nobody sent")
def once(image: Image, journal: Journal) -> Iterator[str | None]:
    known = {deed.key for deed in journal.of("sentiment", "article")}
    for key, times in Counter(str(each.get("source_url")) for each in _articles(image)).items():
        yield unless(times == 1, f"{key} is there {times} times")
        yield unless(key in known, f"{key} was never sent")


@invariant("sentiment: every article is analysed")
def analysed(image: Image) -> Iterator[str | None]:
    for each in _articles(image):
        yield unless(each["status"] == "analyzed", f"{each['source_id']} is {each['status']}")


@invariant("sentiment: counts are the numbers of articles, by hour and tone")
def counts(image: Image) -> Iterator[str | None]:
    wanted: Counter[tuple[str, str]] = Counter()
    for each in _articles(image):
        hour = f"h#{str(each['timestamp'])[:13]}Z"
        wanted[hour, "ingested"] += 1
        wanted[hour, str(each.get("sentiment", "pending"))] += 1
    found: Counter[tuple[str, str]] = Counter()
    for item in image.items(TABLE):
        if item.get("subject") == "all" and str(item.get("bucket", "")).startswith("h#"):
            for name in ("ingested", *TONES):
                found[str(item["bucket"]), name] += int(item.get(name, 0))
    for place in wanted.keys() | found.keys():
        told, there = found[place], wanted[place]
        yield unless(told == there, f"{place}: {told} counted, {there} there")
