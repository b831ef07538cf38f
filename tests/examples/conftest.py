"""What tests of examples look inside with."""

from __future__ import annotations

import pytest

from tablewright.engine import Engine
from tablewright.testing.backends import Backend


@pytest.fixture
def inside(tablewright_backend: Backend) -> Engine:
    """The engine under ``tablewright_db``, for tests that look at what is stored."""
    if tablewright_backend.engine is None:
        pytest.skip("what is stored is only looked at in our own engine")
    return tablewright_backend.engine
