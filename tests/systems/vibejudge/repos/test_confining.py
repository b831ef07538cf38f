"""What a confined analysis process cannot do, and what it still can."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")

# The kernel does not limit the processes of root: become another user first.
CONFINE = """
import os, signal, subprocess, sys, time
from tablewright.systems.vibejudge.repos.confining import confine
from tablewright.systems.vibejudge.repos.limits import Limits
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65533)
    os.setuid(65533)
"""

FORK = (
    CONFINE
    + """
confine(Limits(processes=32))
children = []
try:
    while len(children) < 1000:
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        children.append(child)
except BlockingIOError:
    pass
for child in children:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
print(len(children))
"""
)

RUN = (
    CONFINE
    + """
confine(Limits())
for program in sys.argv[1:]:
    subprocess.run([program, "--version"], check=True, stdout=subprocess.DEVNULL)
print(open("/proc/self/status").read())
"""
)


def test_confined_process_cannot_fork_without_bound() -> None:
    started = _run(FORK)
    assert 32 <= int(started) <= 64


def test_confined_process_runs_git_and_cannot_gain_privileges() -> None:
    git = shutil.which("git")
    assert git is not None
    assert "NoNewPrivs:\t1" in _run(RUN, git)


def _run(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        cwd="/",
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
