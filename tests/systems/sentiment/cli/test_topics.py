"""`watch ...` and `tail`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import BAD, GOOD, Typed, news, write

from tablewright.service.kit import audit
from tablewright.systems.sentiment.service.newsroom import Newsroom


@pytest.fixture
def read_in(typed: Typed, tmp_path: Path) -> Typed:
    """Five articles, however often it is asked for."""
    records = [*news("solar", 3, GOOD), *news("wind", 2, BAD)]
    assert typed("replay", write(tmp_path / "some.jsonl", records)).code == 0
    return typed


def test_a_topic_from_its_beginning_to_its_end(typed: Typed) -> None:
    made = typed.json("watch", "add", "Energy", "--any", "grid", "--none", "grid of", "--all", "km")
    assert (made["any"], made["all"], made["none"]) == (["grid"], ["km"], ["grid of"])
    assert (made["priority"], made["enabled"], made["version"]) == (100, True, 1)
    changed = typed.json("watch", "edit", "energy", "--any", "a", "--any", "b", "--priority", "5")
    assert (changed["any"], changed["all"], changed["priority"]) == (["a", "b"], ["km"], 5)
    cleared = typed.json("watch", "edit", "energy", "--clear", "all", "--clear", "none")
    assert (cleared["any"], cleared["all"], cleared["none"]) == (["a", "b"], [], [])
    assert "is as it was" in typed("watch", "edit", "ENERGY", "--priority", "5").out
    assert typed.json("watch", "edit", "energy", "--write", "ENERGY")["tag"] == "ENERGY"
    assert typed.json("watch", "pause", "energy")["enabled"] is False
    assert "paused already" in typed("watch", "pause", "energy").out
    assert "paused" in typed("watch", "list").out
    assert typed.json("watch", "resume", "energy")["enabled"] is True
    assert [each["tag"] for each in typed.json("watch", "list")] == ["AI", "ENERGY"]
    assert typed("watch", "delete", "energy").code == 0
    assert "watch list" in typed.fails("watch", "show", "energy")
    actions = typed.newsroom(_audited)
    assert actions >= {"topic.create", "topic.change", "topic.pause", "topic.delete"}


async def _audited(newsroom: Newsroom) -> set[str]:
    until = newsroom.now().timestamp() + 10
    page = await audit.entries(newsroom.db, until=until, limit=100)
    assert {each.actor_kind for each in page} == {"system"}
    return {each.action for each in page}


def test_what_is_wrong_with_a_topic(typed: Typed) -> None:
    assert "in whatever case" in typed.fails("watch", "add", "ai")
    assert "tag" in typed.fails("watch", "add", "C++")
    assert "--clear" in typed.fails("watch", "edit", "AI", "--clear", "any")
    assert "only" in typed.fails("watch", "edit", "AI", "--write", "Other")
    said = typed("watch", "show", "nothing", "--json")
    assert (said.code, json.loads(said.out)["code"]) == (2, "NOT_FOUND")


def test_a_topic_without_words_is_its_own(typed: Typed) -> None:
    assert typed.json("watch", "add", "Fusion", "--paused")["any"] == ["Fusion"]
    assert typed.json("watch", "show", "fusion")["enabled"] is False
    typed.json("watch", "delete", "fusion")


def test_trying_a_rule(read_in: Typed) -> None:
    found = read_in.json("watch", "test", "--any", "solar", "--any", "tidal")
    assert (found["looked_at"], found["found"]) == (5, 3)
    assert {term for hit in found["hits"] for term in hit["terms"]} == {"solar"}
    assert read_in.json("watch", "test", "ai", "--none", "solar")["found"] == 2
    assert "2 of the latest 5 articles" in read_in("watch", "test", "--any", "wind").out
    assert "--any" in read_in.fails("watch", "test")


def test_the_latest_articles(read_in: Typed) -> None:
    rows = read_in.json("tail")
    assert len(rows) == 5
    assert {each["sentiment"] for each in rows} == {"positive", "negative"}
    bad = read_in.json("tail", "--tag", "ai", "--sentiment", "negative", "--lines", "1")
    assert [each["sentiment"] for each in bad] == ["negative"]
    assert len(read_in("tail", "-n", "3").out.splitlines()) == 3
    assert read_in("tail", "--follow", "--json").code == 2


def test_how_many_a_topic_has_found(read_in: Typed) -> None:
    assert read_in.json("watch", "show", "ai")["hits_24h"] == 5
