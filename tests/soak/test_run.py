"""The quick form: all five systems, one ``kill -9``, everything checked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_a_quick_soak(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "soak", "--quick", "--json", "--folder", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-5000:] + told.stderr[-5000:]
    found = json.loads(told.stdout)
    assert found["violations"] == 0
    assert [each["name"] for each in found["disturbances"]] == ["kill -9 of the service"]
    assert all(found["requests"][name]["acknowledged"] > 10 for name in found["requests"])
    assert len(found["requests"]) == 5
    checked = {each["what"]: each["checked"] for each in found["invariants"]}
    assert len(checked) > 40
    assert list(tmp_path.iterdir()) == []  # nothing is kept when all is well
