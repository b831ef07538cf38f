"""The server in a process of its own: it says where it is, and ends when it is told to."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx2
import pytest

pytestmark = pytest.mark.e2e


@contextmanager
def shelf(port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-m", "tests.service.serve_shelf", str(port)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url, process.stderr and process.stderr.read()
            yield process, url
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_and_who_started_it_cleans_up(number: signal.Signals) -> None:
    with shelf() as (process, url):
        assert httpx2.get(f"{url}/health").status_code == 200
        answers: list[int] = []
        slow = threading.Thread(
            target=lambda: answers.append(
                httpx2.get(f"{url}/shelf/odd/sleep?secs=1", timeout=20).status_code
            )
        )
        slow.start()
        time.sleep(0.3)
        process.send_signal(number)
        out, log = process.communicate(timeout=20)
        slow.join()
    assert process.returncode == 0
    assert out.strip() == "clean"
    assert answers == [200]
    lines = [json.loads(line) for line in log.splitlines()]
    assert not [line for line in lines if line["level"] in ("error", "warning")]


def test_a_second_signal_does_not_wait() -> None:
    with shelf() as (process, url):

        def ask() -> None:
            with suppress(httpx2.HTTPError):
                httpx2.get(f"{url}/shelf/odd/sleep?secs=30", timeout=40)

        slow = threading.Thread(target=ask)
        slow.start()
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        started = time.monotonic()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
        slow.join()
    assert time.monotonic() - started < 8
