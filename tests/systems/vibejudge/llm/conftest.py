"""Agents beside the stand-in, of either provider."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.systems.vibejudge.llm.support import Desk, desk


@pytest.fixture(params=["bedrock", "openai"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """One after the other: what holds for both."""
    with desk(request.param, monkeypatch) as made:
        yield made


@pytest.fixture
def bedrock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desk("bedrock", monkeypatch) as made:
        yield made


@pytest.fixture
def openai(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with desk("openai", monkeypatch) as made:
        yield made
