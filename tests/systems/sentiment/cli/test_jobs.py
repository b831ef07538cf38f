"""`reanalyse`, `compare`, `promote`: another model, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.systems.sentiment.cli.typing_support import BAD, GOOD, PLAIN, Typed, news, write


def test_promoting_and_going_back(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TABLEWRIGHT_SENTIMENT_PROMOTE_SLACK_SECS", "0")
    records = [each for tone in (GOOD, PLAIN, BAD) for each in news(tone.split()[0], 4, tone)]
    typed.json("replay", write(tmp_path / "some.jsonl", records))
    before = by_tone(typed, tmp_path)
    models = {each["model_version"]: each["active"] for each in typed.json("models", "list")}
    (old,) = (name for name, is_active in models.items() if is_active)
    (new,) = (name for name, is_active in models.items() if not is_active)

    assert typed.json("compare", "--all") == []
    assert "reanalyse" in typed.fails("compare")
    begun = typed.json("reanalyse", new, "--no-wait")
    assert (begun["state"], begun["report"]) == ("running", None)
    done = typed.json("reanalyse", new, "--from", "1d")
    assert (done["state"], done["done"], done["old_version"]) == ("compared", len(records), old)
    assert by_tone(typed, tmp_path) == before, "nothing changes for readers"

    promoted = typed.json("promote", done["job_id"])
    assert promoted["state"] == "promoted"
    (active,) = (each for each in typed.json("models", "list") if each["active"])
    assert active["model_version"] == new
    after = by_tone(typed, tmp_path)
    changed = [each for each in before if before[each] != after[each]]
    assert len(changed) == done["report"]["changed"]

    back = typed.json("promote", done["job_id"].lower(), "--rollback")
    assert (back["state"], back["model_version"]) == ("promoted", old)
    assert by_tone(typed, tmp_path) == before
    assert {each["state"] for each in typed.json("compare", "--all")} >= {"compared", "promoted"}
    assert "compare --all" in typed.fails("promote", "nothing")


def by_tone(typed: Typed, folder: Path) -> dict[str, str]:
    """The tone of each article."""
    import csv

    typed.json("export", "--out", str(folder / "all.csv"))
    with (folder / "all.csv").open() as file:
        return {each["id"]: each["sentiment"] for each in csv.DictReader(file)}
