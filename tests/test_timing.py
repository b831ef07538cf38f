"""What tests hold time to."""

from __future__ import annotations

import gc
import time

import pytest
from tests.timing import at_most


def busy(secs: float) -> None:
    until = time.thread_time() + secs
    while time.thread_time() < until:
        pass


def test_what_takes_longer_fails_and_what_waits_does_not() -> None:
    with pytest.raises(AssertionError, match="of processor time"), at_most(0.01):
        busy(0.02)
    with at_most(0.05):
        time.sleep(0.1)


def test_garbage_is_collected_again_afterwards() -> None:
    with pytest.raises(ZeroDivisionError), at_most(1):
        1 / 0  # noqa: B018
    assert gc.isenabled()
