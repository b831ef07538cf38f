"""After a request the loop stays awake for a moment, and then sleeps again."""

from __future__ import annotations

import asyncio
import time

import pytest

from tablewright.server import alertness
from tablewright.server.alertness import Alertness


def rounds_of_a_loop(seconds: float, touch: bool) -> int:
    """How often a loop goes round in 50 ms with nothing to do."""

    async def count() -> int:
        loop = asyncio.get_running_loop()
        awake = Alertness(loop, seconds)
        seen = 0
        original = awake._stay

        def counted() -> None:
            nonlocal seen
            seen += 1
            original()

        awake._stay = counted  # type: ignore[method-assign]
        if touch:
            awake.touch()
        await asyncio.sleep(0.05)
        return seen

    return asyncio.run(count())


def test_it_polls_for_a_while_and_then_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alertness, "processors", lambda: 2)
    assert rounds_of_a_loop(0.01, touch=True) > 10
    assert rounds_of_a_loop(0.01, touch=False) == 0
    started = time.process_time()
    rounds_of_a_loop(0.0001, touch=True)
    assert time.process_time() - started < 0.04, "it should have slept most of the 50 ms"


def test_it_does_not_take_the_only_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alertness, "processors", lambda: 1)
    assert rounds_of_a_loop(0.01, touch=True) == 0
