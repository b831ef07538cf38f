"""`sources ...` and `alert-rules ...`."""

from __future__ import annotations

import json

import pytest
from tests.systems.sentiment.cli.typing_support import Typed
from tests.systems.sentiment.sources.support import rss

from tablewright.service.kit import audit
from tablewright.systems.sentiment.service.newsroom import Newsroom


@pytest.fixture
def feed(typed: Typed, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a feed with two articles about AI, in the folder of the settings."""
    folder = typed.folder.parent / "feeds"
    folder.mkdir(exist_ok=True)
    (folder / "wire.xml").write_bytes(rss("AI wins a prize", "AI opens an office"))
    monkeypatch.setenv("TABLEWRIGHT_SENTIMENT_FEED_FOLDER", str(folder))
    return "file:wire.xml"


def test_source_is_added_read_edited_and_deleted(typed: Typed, feed: str) -> None:
    made = typed.json("sources", "add", "wire", "--url", feed, "--interval-seconds", "900")
    assert (made["name"], made["source_type"], made["url"]) == ("wire", "rss", feed)
    assert (made["interval_seconds"], made["enabled"]) == (900, True)
    assert [each["name"] for each in typed.json("sources", "list")] == ["wire"]
    assert "wire" in typed("sources", "list").out

    runs = typed.json("sources", "run", "wire")["runs"]
    assert [(each["state"], each["ingested"]) for each in runs] == [("ok", 2)]

    edited = typed.json("sources", "edit", "wire", "--daily-limit", "50", "--state", "off")
    assert (edited["daily_limit"], edited["enabled"]) == (50, False)
    assert edited["interval_seconds"] == 900
    assert "switched off" in typed("sources", "show", "wire").out
    cleared = typed.json("sources", "edit", "wire", "--clear", "daily-limit", "--state", "on")
    assert (cleared["daily_limit"], cleared["enabled"]) == (None, True)

    assert typed("sources", "delete", "wire").code == 0
    assert typed.json("sources", "list") == []
    assert "sources list" in typed.fails("sources", "show", "wire")
    assert typed.newsroom(audited) >= {"source.create", "source.change", "source.delete"}


async def audited(newsroom: Newsroom) -> set[str]:
    until = newsroom.now().timestamp() + 10
    page = await audit.entries(newsroom.db, until=until, limit=100)
    return {each.action for each in page}


def test_wrong_source_is_explained_at_its_option(typed: Typed, feed: str) -> None:
    named = typed.fails("sources", "add", "BBC World", "--url", feed)
    assert "lowercase letters" in named
    assert "pattern" not in named
    assert "--url" in typed.fails("sources", "add", "one")
    assert "--url" in typed.fails("sources", "add", "one", "--url", "http://127.0.0.1/feed")
    assert "--query" in typed.fails("sources", "add", "one", "--url", feed, "--query", "AI")
    wrong = typed.fails("sources", "add", "one", "--url", feed, "--interval-seconds", "1")
    assert "--interval-seconds" in wrong
    typed.json("sources", "add", "one", "--url", feed)
    assert "of that name" in typed.fails("sources", "add", "one", "--url", feed)
    assert "--clear" in typed.fails("sources", "edit", "one", "--clear", "url")
    said = typed("sources", "delete", "nothing", "--json")
    assert (said.code, json.loads(said.out)["code"]) == (2, "NOT_FOUND")
    typed.json("sources", "delete", "one")


def test_alert_rule_is_added_edited_and_deleted(typed: Typed) -> None:
    built_in = {each["id"] for each in typed.json("alert-rules", "list")}
    assert "ops-stuck" in built_in

    words = ("--metric", "negative_share", "--tag", "AI", "--channel", "desk@news.example")
    made = typed.json("alert-rules", "add", "Bad news about AI", *words, "--threshold", "2,5")
    assert (made["name"], made["tag"], made["threshold"]) == ("Bad news about AI", "ai", 2.5)
    assert (made["window"], made["direction"], made["enabled"]) == ("1h", "up", True)
    assert "Bad news about AI" in typed("alert-rules", "list").out

    rule = made["id"]
    edited = typed.json("alert-rules", "edit", rule, "--window", "6h", "--state", "off")
    assert (edited["window"], edited["enabled"], edited["threshold"]) == ("6h", False, 2.5)
    assert (edited["tag"], edited["channel"]) == ("ai", "desk@news.example")
    cleared = typed.json("alert-rules", "edit", rule, "--clear", "tag", "--clear", "channel")
    assert (cleared["tag"], cleared["channel"]) == (None, None)
    assert typed.json("alert-rules", "edit", "ops-stuck", "--state", "off")["enabled"] is False

    assert typed("alert-rules", "delete", rule).code == 0
    assert {each["id"] for each in typed.json("alert-rules", "list")} == built_in
    assert "alert-rules list" in typed.fails("alert-rules", "delete", rule)


def test_rule_about_the_system_is_added(typed: Typed) -> None:
    made = typed.json("alert-rules", "add", "Quota", "--ops", "quota", "--delivery", "daily")
    assert (made["metric"], made["ops"], made["delivery"]) == ("ops", "quota", "daily")
    typed.json("alert-rules", "delete", made["id"])


def test_wrong_alert_rule_is_explained_at_its_option(typed: Typed) -> None:
    add = ("alert-rules", "add", "Some")
    assert "--metric" in typed.fails(*add)
    assert "--metric" in typed.fails(*add, "--metric", "volume", "--ops", "stuck")
    assert "--tag" in typed.fails(*add, "--metric", "volume", "--tag", "nothing")
    assert "--threshold" in typed.fails(*add, "--metric", "volume", "--threshold", "much")
    assert "--channel" in typed.fails(*add, "--metric", "volume", "--channel", "the desk")
    assert "comes with the system" in typed.fails("alert-rules", "delete", "ops-stuck")
    kept = typed.fails("alert-rules", "edit", "ops-stuck", "--metric", "volume")
    assert "what it watches stays" in kept
