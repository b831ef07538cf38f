"""`iam`, `cost` and `bench`: what needs no place, or makes one of its own."""

from __future__ import annotations

import json
from pathlib import Path

from tests.systems.sentiment.cli.typing_support import Typed


def test_policies_are_those_of_the_templates(empty: Typed, tmp_path: Path) -> None:
    where = ("--region", "eu-north-1", "--env", "prod", "--prefix", "press")
    account = ("--account", "123456789012")
    template = ("template", "sentiment", "--format", "iam")
    wanted = json.loads(empty.bare(*template, *where, *account).out)
    found = json.loads(empty.bare("sentiment", "iam", *where, *account).out)
    assert found == wanted
    assert "press-prod-sentiment-items" in json.dumps(found)
    one = json.loads(empty.bare("sentiment", "iam", "ingest", *where, *account, "--json").out)
    assert one == wanted["ingest"]
    assert list(tmp_path.iterdir()) == [], "no place is made"


def test_what_is_wrong_with_a_policy(empty: Typed) -> None:
    said = empty.bare("sentiment", "iam", "nobody")
    assert said.code == 2
    assert "ingest" in said.err
    said = empty.bare("sentiment", "iam", "--account", "12")
    assert (said.code, said.out) == (2, "")
    assert "--account" in said.err


def test_costs_are_those_of_the_planner(empty: Typed, tmp_path: Path) -> None:
    found = json.loads(empty.bare("sentiment", "cost", "--json").out)
    demo, production = found["bills"]
    ours = found["designs"][-1]
    assert demo["total"][ours]["dollars"] < production["total"][ours]["dollars"]
    text = empty.bare("sentiment", "cost").out
    assert f"${demo['total'][ours]['dollars']:.2f}" in text
    assert "--region" in empty.bare("sentiment", "cost", "--region", "moon-1").err
    assert list(tmp_path.iterdir()) == []


def test_a_burst(empty: Typed, tmp_path: Path) -> None:
    said = empty.bare(
        "sentiment", "bench", "burst", "--articles", "60", "--seconds", "0.3", "--json"
    )
    assert said.code == 0, said
    found = json.loads(said.out)
    assert {name: found[name] for name in ("sent", "lost", "doubled", "waiting", "drift")} == {
        "sent": 60,
        "lost": 0,
        "doubled": 0,
        "waiting": 0,
        "drift": 0,
    }
    assert found["analysed_seconds"] <= 60
    assert list(tmp_path.iterdir()) == [], "it leaves nothing behind"


def test_questions(empty: Typed) -> None:
    said = empty.bare("sentiment", "bench", "read", "--minutes", "0.01", "--rate", "50", "--json")
    found = json.loads(said.out)
    *kinds, whole = found["questions"]
    assert (whole["asked"], whole["errors"]) == (30, 0)
    assert sum(each["asked"] for each in kinds) == 30
    assert found["ok"] == (whole["p95_ms"] <= 100)
    assert said.code == (0 if found["ok"] else 1)
