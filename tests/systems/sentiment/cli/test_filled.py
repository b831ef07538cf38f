"""A place with the demo in it: sources, queues, comparisons, exports."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import Typed

from tablewright.systems.sentiment.live_demo.cast import POISON, SOURCES, TOPICS


@pytest.fixture
def filled(empty: Typed) -> Typed:
    """The demo, once for all tests here."""
    if not empty.folder.exists():
        told = empty.json("demo")
        assert {each["tag"] for each in told} == {each.tag for each in TOPICS}
        assert all(each["hits_24h"] for each in told)
    return empty


def test_the_demo_can_be_had_again(filled: Typed) -> None:
    before = sum(each["hits_24h"] for each in filled.json("watch", "list"))
    again = filled("demo", "--fill-only")
    assert (again.code, again.err) == (0, "")
    assert "tablewright up" in again.out
    assert sum(each["hits_24h"] for each in filled.json("watch", "list")) == before


def test_the_stand_in_needs_a_system_that_runs(filled: Typed) -> None:
    assert "--with-newsapi" in filled.fails("demo", "--with-newsapi", "--fill-only")


def test_sources(filled: Typed) -> None:
    due = filled.json("ingest")
    assert {each["source"] for each in due["runs"]} == {
        each.name for each in SOURCES if each.enabled
    }
    assert all(each["state"] == "ok" and each["ingested"] for each in due["runs"])
    assert due["analysis"]["analysed"] == sum(each["ingested"] for each in due["runs"])
    nothing = filled("ingest")
    assert (nothing.code, nothing.out.splitlines()[0]) == (0, "No source is due.")
    (again,) = filled.json("ingest", "wire")["runs"]
    assert (again["state"], again["ingested"]) == ("ok", 0)
    told = filled.fails("ingest", "nobody")
    assert all(each.name in told for each in SOURCES)
    assert "switched off" in filled.fails("ingest", "newsapi")


def test_failures_and_another_chance(filled: Typed) -> None:
    found = filled.json("stuck", code=1)
    assert found["stuck"]["count"] == 0
    assert {each["title"] for each in found["failed"]["items"]} == {each.title for each in POISON}
    assert "2 articles failed." in filled("stuck").out
    first, second = (each["id"] for each in found["failed"]["items"])
    mixed = filled.json("requeue", first, "file:0000000000000000", code=1)
    assert {each["id"]: each["result"] for each in mixed["results"]} == {
        first: "requeued",
        "file:0000000000000000": "gone",
    }
    assert mixed["analysis"]["analysed"] == 1
    assert "neither" not in filled("requeue", second.replace(":", "#")).out
    assert filled.json("stuck")["failed"] == {"count": 0, "items": []}
    assert filled.json("requeue", "--all")["requeued"] == 0
    assert "failed, or is stuck" in filled.fails("requeue", first)
    assert "no article's id" in filled.fails("requeue", "agg#all#1", second)
    assert "--all" in filled.fails("requeue")


def test_comparisons(filled: Typed) -> None:
    (job,) = filled.json("compare", "--all")
    shown = filled.json("compare")
    assert (shown["job_id"], shown["state"]) == (job["job_id"], "compared")
    assert sum(sum(row.values()) for row in shown["report"]["matrix"].values()) == shown["done"]
    text = filled("compare", job["job_id"].lower()).out
    assert f"promote {job['job_id']}" in text
    assert "kappa" in text
    assert "compare --all" in filled.fails("compare", "nothing")
    models = {each["model_version"]: each for each in filled.json("models", "list")}
    assert [name for name, each in models.items() if each["active"]] == [shown["old_version"]]
    assert "active" in filled.fails("reanalyse", shown["old_version"])
    assert "models list" in filled.fails("reanalyse", "v9.9.9+nobody")
    assert "--from" in filled.fails("reanalyse", shown["model_version"], "--from", "yesterday")


def test_a_model_that_is_none(filled: Typed) -> None:
    said = filled.fails("models", "register", "v1.0.0+x", "--kind", "onnx", "--path", "nothing")
    assert f"{filled.folder}/models" in said
    outside = ("models", "register", "v1.0.0+x", "--kind", "onnx", "--path", "/etc")
    assert "has to lie in" in filled.fails(*outside)
    assert "model_version" in filled.fails(
        "models", "register", "latest", "--kind", "onnx", "--path", "x"
    )


def test_exports(filled: Typed, tmp_path: Path) -> None:
    told = filled.json("export", "--from", "30d", "--out", "all.csv")
    assert told["format"] == "csv"
    rows = list(csv.DictReader((tmp_path / "all.csv").read_text().splitlines()))
    assert len(rows) > 500
    assert "author" not in rows[0]
    assert [path.name for path in tmp_path.glob("all.csv*")] == ["all.csv"]
    some = ("--from", "30d", "--tag", "SPACE", "--sentiment", "negative", "--authors")
    lines = filled("export", *some, "--format", "jsonl").out.splitlines()
    found = [json.loads(line) for line in lines]
    assert found
    assert all("Space" in each["tags"] and each["sentiment"] == "negative" for each in found)
    assert all("author" in each for each in found)
    by_hand = [
        each for each in rows if "Space" in each["tags"].split() and each["sentiment"] == "negative"
    ]
    assert {each["id"] for each in found} == {each["id"] for each in by_hand}
    assert filled("export", "--json").code == 2
    assert "from has to be before to" in filled.fails("export", "--from", "1d", "--to", "2d")
    assert "--tag" in filled.fails("export", "--tag", "a#b")
    assert "nowhere/all.json" in filled.fails("export", "--out", "nowhere/all.json")
