"""What whole repositories come to, against what a person would say of them."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from tests.systems.vibejudge.repos.support import HOUR, START
from tests.systems.vibejudge.static.planted import BUILT, README, STUFFED, repository

from tablewright.systems.vibejudge.repos.limits import Limits
from tablewright.systems.vibejudge.repos.reading import snapshot_of_path
from tablewright.systems.vibejudge.rules.templates import TEMPLATES
from tablewright.systems.vibejudge.rules.verdicts import Verdict, Yardstick, verdict
from tablewright.systems.vibejudge.static import analyse
from tablewright.systems.vibejudge.static.results import AgentResult
from tablewright.systems.vibejudge.static.window import Window
from tablewright.systems.vibejudge.table import Agent

DATES = Window(START, START + 48 * HOUR)


def agents_of(folder: Path, window: Window | None = DATES) -> dict[Agent, AgentResult]:
    snapshot = snapshot_of_path(folder, root=folder, limits=Limits(diffs=0))
    return analyse(snapshot, window)


def verdict_of(folder: Path, window: Window | None = DATES) -> Verdict | None:
    return verdict(Yardstick(TEMPLATES[0].rubric), agents_of(folder, window))


@pytest.mark.parametrize(
    "files",
    [
        {"README.md": README},
        {"README.md": README, "LICENSE": "MIT\n", "notes.txt": "Soon.\n", "a.json": "{}\n"},
        {"README.md": README, "main.py": "# coming soon\n\n"},
        {"README.md": README, "node_modules/a/index.js": "module.exports = 1;\n" * 300},
        {
            "README.md": README,
            "data.parquet": "version https://git-lfs.github.com/spec/v1\n"
            f"oid sha256:{'a' * 64}\nsize 80000000\n",
        },
    ],
)
def test_repository_without_code_has_no_score(tmp_path: Path, files: dict[str, str]) -> None:
    folder = repository(tmp_path / "r", files)
    assert verdict_of(folder) is None
    for result in agents_of(folder).values():
        assert set(result.scores.values()) == {None}
        assert all("no source code" in note.text for note in result.notes.values())


def test_keyword_stuffed_code_scores_far_below_a_real_project(tmp_path: Path) -> None:
    stuffed = verdict_of(repository(tmp_path / "stuffed", STUFFED, commits=5))
    built = verdict_of(repository(tmp_path / "built", BUILT, commits=8))
    assert stuffed is not None
    assert built is not None
    assert built.overall_score >= 75
    assert stuffed.overall_score <= 40
    assert stuffed.recommendation == "concerns_flagged"
    # Little is known of 37 lines: a person has to look.
    assert stuffed.confidence < Decimal("0.5")
    assert "human_review" in stuffed.flags
    assert built.confidence > Decimal("0.7")


def test_data_in_lfs_with_one_notebook_is_not_a_good_submission(tmp_path: Path) -> None:
    cell = [f"value_{n} = load({n})\n" for n in range(30)]
    notebook = {"cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell}]}
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 9000000\n"
    files = {
        "README.md": README,
        "explore.ipynb": json.dumps(notebook, indent=1),
        **{f"data/part{n}.csv": pointer for n in range(9)},
    }
    found = verdict_of(repository(tmp_path / "r", files))
    assert found is not None
    assert found.overall_score < 45


def test_dump_in_one_commit_is_no_strength(tmp_path: Path) -> None:
    from tests.systems.vibejudge.repos.support import Repo

    Repo(tmp_path / "r").commit(BUILT, "Everything")
    found = agents_of(tmp_path / "r")["ai_detection"]
    assert found.scores["commit_authenticity"] is None
    assert found.scores["development_velocity"] is None
    made = verdict_of(tmp_path / "r")
    assert made is not None
    assert "commit_authenticity" not in made.strengths
    assert "iteration_depth" in made.weaknesses


def test_strengths_and_weaknesses_are_sentences_with_a_place(tmp_path: Path) -> None:
    files = {**BUILT, "tide/run.py": "def run(text):\n    return eval(text)\n" * 3}
    made = verdict_of(repository(tmp_path / "r", files, commits=8))
    assert made is not None
    for notes, names in (
        (made.strength_notes, made.strengths),
        (made.weakness_notes, made.weaknesses),
    ):
        assert tuple(each.name for each in notes) == names
        for each in notes:
            assert each.text.endswith(".")
            assert len(each.text.split()) > 4
    security = agents_of(tmp_path / "r")["bug_hunter"].notes["security"]
    assert (security.file, security.line) == ("tide/run.py", 2)
