"""What tests that go by a seed get in an ordinary run."""

from __future__ import annotations

import pytest


@pytest.fixture
def fuzz_seed(request: pytest.FixtureRequest) -> int:
    """The seed of the round; one that stays where there are no rounds."""
    if request.config.pluginmanager.hasplugin("tests.fuzz.rounds"):
        from tests.fuzz.rounds import seed_of

        return seed_of(request.config)
    return 1
