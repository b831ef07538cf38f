"""An analysis in a process of its own: its answer, its refusals, and its end."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from tests.systems.vibejudge.repos.support import HOUR, START, Repo, serving

from tablewright.systems.vibejudge.analysing import AnalysisFailed, Order, run
from tablewright.systems.vibejudge.analysing.asking import nursery
from tablewright.systems.vibejudge.analysing.orders import packed, unpacked
from tablewright.systems.vibejudge.repos import RepoError
from tablewright.systems.vibejudge.repos.fetching import Access
from tablewright.systems.vibejudge.static import Window


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    made = Repo(tmp_path / "app")
    made.commit({"app.py": "import os\n\n\ndef main():\n    return eval(os.environ['X'])\n"})
    made.commit({"README.md": "# App\n"}, at=START + 48 * HOUR)
    return made


def test_an_analysis(repo: Repo) -> None:
    window = Window(START - HOUR, START + timedelta(days=1))
    access = Access(local_root=repo.folder.parent)
    order = Order(str(repo.folder), window=window, access=access, with_snapshot=True)
    found, again = (asyncio.run(run(order)) for _ in range(2))
    assert found == again
    assert found.meta.commit_count == 2
    assert found.outside_window == 1
    assert set(found.results) == {"bug_hunter", "performance", "innovation", "ai_detection"}
    (evidence,) = [e for e in found.results["bug_hunter"].evidence if e.severity == "high"]
    assert (evidence.file, evidence.line) == ("app.py", 5)
    assert found.snapshot is not None
    assert found.snapshot.sha == found.sha == repo.git("rev-parse", "HEAD")


def test_a_refusal_arrives_as_one(repo: Repo) -> None:
    with pytest.raises(RepoError) as caught:
        asyncio.run(run(Order(str(repo.folder))))
    assert caught.value.code == "REPO_REFUSED"


def test_time_is_up_and_nothing_is_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(20)

        def log_message(self, *_: object) -> None:
            pass

    with serving(Silent) as url:
        order = Order(f"{url}/app.git", access=Access(loopback=True))
        started = time.monotonic()
        with pytest.raises(AnalysisFailed) as caught:
            asyncio.run(run(order, timeout=3))
        assert caught.value.code == "ANALYSIS_TIMEOUT"
        assert time.monotonic() - started < 10
        assert not _running(url)
    assert not list(tmp_path.iterdir())


def test_when_the_caller_is_killed_everything_ends(tmp_path: Path) -> None:
    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(20)

        def log_message(self, *_: object) -> None:
            pass

    program = """
import asyncio, sys
from tablewright.systems.vibejudge.analysing import Order, run
from tablewright.systems.vibejudge.repos.fetching import Access
asyncio.run(run(Order(sys.argv[1], access=Access(loopback=True))))
"""
    with serving(Silent) as url:
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        caller = subprocess.Popen(
            [sys.executable, "-c", program, f"{url}/app.git"], env=environment
        )
        assert _wait(lambda: "ls-remote" in _running(url))
        caller.kill()
        caller.wait()
        assert _wait(lambda: not _running(url) and not list(tmp_path.iterdir()))


def test_the_nursery_may_end_at_any_moment(repo: Repo) -> None:
    order = Order(str(repo.folder), access=Access(local_root=repo.folder.parent))
    first = asyncio.run(run(order))
    before = nursery.pid
    assert before is not None
    os.kill(before, signal.SIGKILL)
    # Whether that is known yet, or found out by and by: there is another one.
    assert asyncio.run(run(order)) == first
    assert nursery.pid not in (None, before)
    nursery.close()
    assert nursery.pid is None
    assert asyncio.run(run(order)) == first


def _running(url: str) -> str:
    return subprocess.run(
        ["pgrep", "-af", f"ls-remote.*{url}"], capture_output=True, text=True
    ).stdout


def _wait(until: object, secs: float = 15) -> bool:
    assert callable(until)
    end = time.monotonic() + secs
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.1)
    return False


def test_only_what_is_known_is_unpacked() -> None:
    order = Order("https://github.com/team/app")
    assert unpacked(packed(order)) == order
    with pytest.raises(pickle.UnpicklingError):
        unpacked(pickle.dumps(os.system))
