"""What runs beside a benchmark is known from what the benchmark runs itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import beside

_BUSY = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"

pytestmark = pytest.mark.skipif(
    not Path("/proc/stat").exists(), reason="the system does not tell what others use"
)


def test_what_we_have_started_is_ours_once_it_has_ended() -> None:
    before = beside._own_secs()
    subprocess.run([sys.executable, "-S", "-c", _BUSY], check=True)
    assert beside._own_secs() - before >= 0.35


def test_what_still_runs_below_us_is_ours_as_well() -> None:
    """A grandchild that has ended too, though its parent lives on."""
    program = (
        "import subprocess, sys\n"
        f"subprocess.run([sys.executable, '-S', '-c', {_BUSY!r}])\n"
        "print('done', flush=True); sys.stdin.read()"
    )
    before = beside._own_secs()
    with subprocess.Popen(
        [sys.executable, "-S", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"done\n"
        assert beside._own_secs() - before >= 0.35
        child.communicate()


def test_others_are_never_less_than_nobody() -> None:
    cores = beside.Beside().cores()
    assert cores is not None
    assert cores >= 0
