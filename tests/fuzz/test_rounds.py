"""`make fuzz` finds, says with which seed, and finds the same again with it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: One that goes by the seed, one of Hypothesis, and one that could not find anything.
TESTS = """
import random
from hypothesis import given, settings, strategies as st

def test_by_seed(fuzz_seed):
    assert random.Random(fuzz_seed).randrange(10) != 3

@given(st.integers(0, 10**9))
@settings(max_examples=10)
def test_of_hypothesis(number):
    seen.append(number)

seen = []

def test_that_never_varies():
    assert False, "it is not run"
"""
CONFTEST = "from tests.fuzz.conftest import fuzz_seed\n"


def run(folder: Path, *words: str) -> tuple[int, str]:
    (folder / "test_it.py").write_text(TESTS)
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [*(sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")]
    command += ["-p", "hypothesispytest", "-p", "tests.fuzz.rounds", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_rounds_go_on_until_one_finds_something_and_its_seed_finds_it_again(tmp_path: Path) -> None:
    status, said = run(tmp_path, "--fuzz-seed=1", "--fuzz-seconds=60")
    assert status == 1, said
    assert "it is not run" not in said
    (repeat,) = re.findall(r"^repeat: python -m pytest (.+)$", said, re.MULTILINE)
    found = re.search(r"--fuzz-seed=(\d+) (\S+::test_by_seed)$", repeat)
    assert found, repeat
    assert int(found[1]) > 1, "the first seed finds nothing: there were rounds"
    assert run(tmp_path, f"--fuzz-seed={found[1]}", found[2])[0] == 1


def test_one_round_without_a_time(tmp_path: Path) -> None:
    status, said = run(tmp_path, "--fuzz-seed=1")
    assert status == 0, said
    assert "seeds 1 to 1, 2 runs" in said


@pytest.mark.parametrize(
    ("words", "told"), [(["nothing"], "no target nothing"), (["--seconds", "0"], "more than 0")]
)
def test_what_makes_no_sense_is_refused(words: list[str], told: str) -> None:
    command = [sys.executable, "scripts/fuzz.py", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert told in done.stderr


def test_every_target_names_tests_that_exist() -> None:
    """And the page about it names every target."""
    said = subprocess.run(
        [sys.executable, "-c", "import fuzz; print(fuzz.TARGETS)"],
        cwd=ROOT / "scripts",
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    nodes = re.findall(r"'(tests/[^':\[]+)(?:::(\w+))?", said)
    assert len(nodes) > 25
    for path, name in nodes:
        assert (ROOT / path).exists(), path
        assert not name or f"def {name}(" in (ROOT / path).read_text(), name
    page = (ROOT / "docs" / "testing.md").read_text()
    targets = re.findall(r"'([\w-]+)': \(", said)
    assert [name for name in targets if f"`{name}`" not in page] == []
